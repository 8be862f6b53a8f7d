"""Child program for another interpreter: one convolution inside the person's own framework.

It is run as text by the Python of the environment in question, whatever that is: standard
library only, nothing of ours, ASCII alone (what else is in a command a Python can't read where the
language is C), and no syntax or annotation that Python 3.6 can't read (hence the quotes; modules
are fetched by name, so that type checkers need none of them).
Arguments: the pipe, the framework, seconds to live. Answers as the other children do.
"""

# ruff: noqa: B904, B905  (Python 3.6)

import json
import os
import re
import sys
import time
from importlib import import_module

BORN = time.time()
N, C, H, W, K = 1, 8, 8, 8, 8
FIRST = "CUDNN_ASSISTANT_FIRST"
"""Names a call of the framework's own that is to be made before all else."""
STARTS = "CUDNN_ASSISTANT_STARTS"
"""Set, Python was started without what runs by itself then: these files of it are to be run."""
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Tell = Callable[..., None]


class Stopped(Exception):
    """The test can't go on: "no-cudnn" (it isn't called here), "no-cuda" (in this build), "no-gpu"
    (is listed), "processor" (was gone back to); "": the framework's own words say why."""

    def __init__(self, why: str, detail: str) -> None:
        super().__init__(detail)
        self.why = why


def say(pipe: int, **facts: object) -> None:
    """Tell facts."""
    facts["at"] = (time.time() - BORN) * 1000
    os.write(pipe, (json.dumps(facts) + "\n").encode("ascii"))


def start() -> None:
    """Run what the module site would have run, but for what is left out."""
    import site

    for path in filter(None, os.environ.get(STARTS, "").split(os.pathsep)):
        folder, name = os.path.split(path)
        if name.endswith(".pth"):
            site.addpackage(folder, name, set())
        else:
            import_module(name[:-3])


def module(name: str) -> "Any":
    """Import. Folders that an uninstalled package left behind are no module of its."""
    found = import_module(name)
    if getattr(found, "__file__", None) is None and getattr(found, "__path__", None) is not None:
        raise ModuleNotFoundError(f"No module named '{name}'")
    return found


def numbers(count: int, seed: int) -> "list[float]":
    """Repeatable integers from -2 to 2: exact in every type a framework may choose."""
    return [float((i * 7919 + seed * 104729) // 13 % 5 - 2) for i in range(count)]


X = numbers(N * C * H * W, 1)
FILTER = numbers(K * C * 9, 2)


def expected() -> "list[float]":
    """The convolution by the processor, n k p q."""
    empty = [0.0] * (W + 2)
    lines = [[0.0, *X[i * W : (i + 1) * W], 0.0] for i in range(C * H)]
    planes = [[empty, *lines[c * H : (c + 1) * H], empty] for c in range(C)]
    taps = [(c, r, s) for c in range(C) for r in range(3) for s in range(3)]
    return [
        sum(planes[c][p + r][q + s] * FILTER[k * C * 9 + i] for i, (c, r, s) in enumerate(taps))
        for k in range(K)
        for p in range(H)
        for q in range(W)
    ]


def torch(tell: "Tell") -> "list[float]":
    """PyTorch."""
    t = module("torch")

    tell(framework=t.__version__)
    tell(stage="driver")
    if t.version.cuda is None:
        raise Stopped("no-cuda", "this PyTorch is built without CUDA")
    # Asked for outright, it says why; is_available() only says no.
    t.cuda.init()
    tell(gpu_name=t.cuda.get_device_name(0))
    tell(stage="convolution", version=dotted(t.backends.cudnn.version() or 0))
    x = t.tensor(X).reshape(N, C, H, W).cuda()
    w = t.tensor(FILTER).reshape(K, C, 3, 3).cuda()
    if not t.backends.cudnn.is_acceptable(x):
        raise Stopped("no-cudnn", "PyTorch doesn't use cuDNN here")
    return list(t.nn.functional.conv2d(x, w, padding=1).cpu().reshape(-1).tolist())


def tensorflow(tell: "Tell") -> "list[float]":
    """TensorFlow 1.15 and later."""
    tf = module("tensorflow")

    tell(framework=tf.__version__)
    tell(stage="driver")
    gpus = tf.config.experimental.list_physical_devices("GPU")
    if not gpus:
        raise Stopped("no-gpu", "TensorFlow lists no GPU")
    tell(gpu_name=gpus[0].name, stage="convolution")
    # Filters are r s c k, pictures n h w c: what every build can do.
    with tf.device("/GPU:0"):
        x = tf.transpose(tf.reshape(tf.constant(X), [N, C, H, W]), [0, 2, 3, 1])
        w = tf.transpose(tf.reshape(tf.constant(FILTER), [K, C, 3, 3]), [2, 3, 1, 0])
        y = tf.transpose(tf.nn.conv2d(x, w, strides=[1, 1, 1, 1], padding="SAME"), [0, 3, 1, 2])
    if hasattr(y, "numpy"):
        return list(y.numpy().reshape(-1).tolist())
    options = tf.compat.v1.ConfigProto(gpu_options=tf.compat.v1.GPUOptions(allow_growth=True))
    with tf.compat.v1.Session(config=options) as session:
        return list(session.run(y).reshape(-1).tolist())


def jax(tell: "Tell") -> "list[float]":
    """JAX."""
    said = listen("jax")
    j = module("jax")

    tell(framework=j.__version__)
    tell(stage="driver")
    try:
        device = j.devices("gpu")[0]
    except Exception as trouble:
        raise Stopped("", reason_of_jax(said, text_of(trouble)))
    tell(gpu_name=str(device.device_kind), stage="convolution")
    np = module("jax.numpy")

    with j.default_device(device):
        x = np.array(X, dtype=np.float32).reshape(N, C, H, W)
        w = np.array(FILTER, dtype=np.float32).reshape(K, C, 3, 3)
        y = j.lax.conv(x, w, (1, 1), "SAME")
        return list(j.device_get(y).reshape(-1).tolist())


def listen(name: str) -> "list[str]":
    """What will be logged under a name, with the exceptions that go with it."""
    logging = module("logging")
    said = []  # type: list[str]

    def keep(record: "Any") -> None:
        trouble = record.exc_info[1] if record.exc_info else None
        said.append(text_of(trouble) if trouble else record.getMessage())

    handler = logging.Handler()
    handler.emit = keep
    logging.getLogger(name).addHandler(handler)
    return said


def reason_of_jax(said: "list[str]", trouble: str) -> str:
    """Why JAX has no GPU: it only says that it has none, and logs or keeps the reason."""
    bridge = "jax._src.xla_bridge"
    failed = getattr(module(bridge), "_backend_errors", {}) if there(bridge) else {}
    reasons = [str(failed[name]) for name in ("cuda", "gpu") if name in failed]
    reasons += [text for text in said if re.search("(?i)cuda|cudnn", text)]
    # The part for NVIDIA GPUs is a plugin, and was inside jaxlib until 0.4.20.
    parts = [f"jax_plugins.xla_cuda{major}" for major in range(11, 20)]
    if not any(map(there, [*parts, "jaxlib.cuda._solver", "jaxlib.cuda._cusolver"])):
        trouble = trouble.replace("Unknown", "this JAX is built without CUDA: unknown")
    return " ".join(reasons) or trouble


def there(name: str) -> bool:
    """Whether a module is installed."""
    try:
        return module("importlib.util").find_spec(name) is not None
    except (ImportError, AttributeError, ValueError):
        return False


def cupy(tell: "Tell") -> "list[float]":
    """CuPy, in the releases that call cuDNN (before 14)."""
    c = module("cupy")

    tell(framework=c.__version__)
    if not there("cupy.cudnn"):
        raise Stopped("no-cudnn", "this CuPy doesn't call cuDNN")
    tell(stage="driver")
    tell(gpu_name=c.cuda.runtime.getDeviceProperties(0)["name"].decode("utf-8", "replace"))
    tell(stage="load")
    cudnn = module("cupy.cudnn")
    tell(stage="convolution", version=dotted(c.cuda.cudnn.getVersion()))
    x = c.array(X, dtype=c.float32).reshape(N, C, H, W)
    w = c.array(FILTER, dtype=c.float32).reshape(K, C, 3, 3)
    y = c.empty((N, K, H, W), dtype=c.float32)
    cudnn.convolution_forward(
        x, w, None, y, (1, 1), (1, 1), (1, 1), 1, auto_tune=False, tensor_core="auto"
    )
    return list(c.asnumpy(y).reshape(-1).tolist())


MODEL = bytes.fromhex(
    "08073a7e0a220a01780a01771201792204436f6e762a110a0470616473a0010740014001400140011201675a1b0a01"
    "7812160a14080112100a0208010a0208080a0208080a0208085a1b0a017712160a14080112100a0208080a0208080a"
    "0208030a020803621b0a017912160a14080112100a0208010a0208080a0208080a02080842040a00100b"
)
"""ONNX (IR 7, operator set 11): y = Conv(x, w) with pads of 1, for N, C, H, W and K as above."""


def onnxruntime(tell: "Tell") -> "list[float]":
    """ONNX Runtime."""
    np, ort = module("numpy"), module("onnxruntime")

    tell(framework=ort.__version__)
    if os.environ.get(FIRST) == "onnxruntime.preload_dlls()":
        ort.preload_dlls()
    tell(stage="driver")
    if "CUDAExecutionProvider" not in ort.get_available_providers():
        raise Stopped("no-cuda", "this ONNX Runtime is built without CUDA")
    tell(stage="convolution")
    session = ort.InferenceSession(MODEL, providers=["CUDAExecutionProvider"])
    if "CUDAExecutionProvider" not in session.get_providers():
        raise Stopped("processor", "ONNX Runtime went back to the processor")
    x = np.array(X, dtype=np.float32).reshape(N, C, H, W)
    w = np.array(FILTER, dtype=np.float32).reshape(K, C, 3, 3)
    return list(session.run(None, {"x": x, "w": w})[0].reshape(-1).tolist())


def dotted(number: int) -> str:
    """Version number to text."""
    if number >= 90000:
        return f"{number // 10000}.{number % 10000 // 100}.{number % 100}"
    return f"{number // 1000}.{number % 1000 // 100}.{number % 100}"


LIBRARY = re.compile(
    # Not the modules of Python that are called so: cupy's nvrtc.cpython-311-x86_64-linux-gnu.so.
    r"(?i)^(lib)?(cudnn|cublas|cudart|cuda\.so|nvcuda|nvrtc|zlibwapi)(?!.*\.(cpython|abi3|cp\d))"
)


def mapped() -> "list[str]":
    """CUDA and cuDNN libraries that this process has mapped (Linux)."""
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
            fields = [line.split(None, 5) for line in maps]
    except OSError:
        return []
    paths = {row[5].strip() for row in fields if len(row) == 6}
    return sorted(path for path in paths if LIBRARY.match(os.path.basename(path)))


def disagreement(got: "list[float]", wanted: "list[float]") -> str:
    """What is wrong with the result, "" when nothing is."""
    wrong = [i for i, (a, b) in enumerate(zip(got, wanted)) if not abs(a - b) <= 0]
    if len(got) == len(wanted) and not wrong:
        return ""
    return f"{len(wrong)} of {len(wanted)} values differ"


def text_of(trouble: BaseException) -> str:
    """An exception and what led to it: the second often names the library."""
    text = f"{type(trouble).__name__}: {trouble}"
    before = trouble.__cause__ or trouble.__context__
    return f"{text} (after {text_of(before)})" if before is not None else text


def limit_process(seconds: int) -> None:
    """End with the parent, and after that time wherever it is stuck."""
    if sys.platform.startswith("linux"):
        import ctypes
        import signal

        end_with_parent, adopt_what_is_left, no_new_rights = 1, 36, 38  # of prctl(2)
        prctl = ctypes.CDLL(None).prctl
        prctl(end_with_parent, signal.SIGKILL, 0, 0, 0)
        prctl(adopt_what_is_left, 1, 0, 0, 0)
        # The driver lets a helper that runs as root make device files when first needed.
        if not os.path.exists("/usr/bin/nvidia-modprobe"):
            prctl(no_new_rights, 1, 0, 0, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(seconds)


def main(pipe: int, name: str, seconds: int) -> None:
    """Run and answer."""
    limit_process(seconds)
    if sys.platform == "win32":
        import msvcrt

        pipe = msvcrt.open_osfhandle(pipe, os.O_WRONLY)
    ways = (torch, tensorflow, jax, cupy, onnxruntime)
    run = {way.__name__: way for way in ways}[name]
    say(pipe, stage="load")
    facts = {"status": "ok", "checks": ["fp32"]}  # type: dict[str, Any]
    try:
        start()
        wrong = disagreement(run(lambda **facts: say(pipe, **facts)), expected())
        if wrong:
            facts = {"status": "wrong-result", "detail": wrong}
    except Stopped as stopped:
        facts = {"status": "stopped", "why": stopped.why, "detail": str(stopped)}
    except BaseException as trouble:
        facts = {"status": "raised", "detail": text_of(trouble)[:2000]}
    paths = mapped()
    main_library = next((p for p in paths if os.path.basename(p).startswith("libcudnn.so")), "")
    say(pipe, mapped=paths, loaded=main_library)
    say(pipe, **facts)
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
