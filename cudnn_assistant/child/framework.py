"""Child program for another interpreter: one convolution inside the person's own framework.

It is run as text by the Python of the environment in question, whatever that is, behind the texts
of channel.py and mapped.py: standard library only, ASCII alone (what else is in a command a Python
can't read where the language is C), and no syntax or annotation that Python 3.6 can't read (hence
the quotes; modules are fetched by name, so that type checkers need none of them).
One JSON argument: pipe, deadline, framework.
"""

# ruff: noqa: B904, B905  (Python 3.6)

import os
import re
import sys
from importlib import import_module

if __name__ != "__main__":
    from cudnn_assistant.child.channel import Channel, Stopped, Wish, dotted, serve
    from cudnn_assistant.child.mapped import files_of, interesting

N, C, H, W, K = 1, 8, 8, 8, 8
FIRST = "CUDNN_ASSISTANT_FIRST"
"""Names a call of the framework's own that is to be made before all else."""
STARTS = "CUDNN_ASSISTANT_STARTS"
"""Set, Python was started without what runs by itself then: these files of it are to be run."""
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def stop(why: str, detail: str) -> Stopped:
    """The test can't go on: "no-cudnn" (it isn't called here), "no-cuda" (in this build), "no-gpu"
    (is listed), "processor" (was gone back to); "": the framework's own words say why."""
    return Stopped("stopped", why=why, detail=detail)


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


def torch(channel: Channel) -> "list[float]":
    """PyTorch."""
    t = module("torch")

    channel.say(framework=t.__version__)
    channel.stage("driver")
    if t.version.cuda is None:
        raise stop("no-cuda", "this PyTorch is built without CUDA")
    # Asked for outright, it says why; is_available() only says no.
    t.cuda.init()
    channel.say(gpu_name=t.cuda.get_device_name(0))
    channel.say(stage="convolution", version=dotted(t.backends.cudnn.version() or 0))
    x = t.tensor(X).reshape(N, C, H, W).cuda()
    w = t.tensor(FILTER).reshape(K, C, 3, 3).cuda()
    if not t.backends.cudnn.is_acceptable(x):
        raise stop("no-cudnn", "PyTorch doesn't use cuDNN here")
    return list(t.nn.functional.conv2d(x, w, padding=1).cpu().reshape(-1).tolist())


def tensorflow(channel: Channel) -> "list[float]":
    """TensorFlow 1.15 and later."""
    tf = module("tensorflow")

    channel.say(framework=tf.__version__)
    channel.stage("driver")
    gpus = tf.config.experimental.list_physical_devices("GPU")
    if not gpus:
        raise stop("no-gpu", "TensorFlow lists no GPU")
    channel.say(gpu_name=gpus[0].name, stage="convolution")
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


def jax(channel: Channel) -> "list[float]":
    """JAX."""
    said = listen("jax")
    j = module("jax")

    channel.say(framework=j.__version__)
    channel.stage("driver")
    try:
        device = j.devices("gpu")[0]
    except Exception as trouble:
        raise stop("", reason_of_jax(said, text_of(trouble)))
    channel.say(gpu_name=str(device.device_kind), stage="convolution")
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


def cupy(channel: Channel) -> "list[float]":
    """CuPy, in the releases that call cuDNN (before 14)."""
    c = module("cupy")

    channel.say(framework=c.__version__)
    if not there("cupy.cudnn"):
        raise stop("no-cudnn", "this CuPy doesn't call cuDNN")
    channel.stage("driver")
    channel.say(gpu_name=c.cuda.runtime.getDeviceProperties(0)["name"].decode("utf-8", "replace"))
    channel.stage("load")
    cudnn = module("cupy.cudnn")
    channel.say(stage="convolution", version=dotted(c.cuda.cudnn.getVersion()))
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


def onnxruntime(channel: Channel) -> "list[float]":
    """ONNX Runtime."""
    np, ort = module("numpy"), module("onnxruntime")

    channel.say(framework=ort.__version__)
    if os.environ.get(FIRST) == "onnxruntime.preload_dlls()":
        ort.preload_dlls()
    channel.stage("driver")
    if "CUDAExecutionProvider" not in ort.get_available_providers():
        raise stop("no-cuda", "this ONNX Runtime is built without CUDA")
    channel.stage("convolution")
    session = ort.InferenceSession(MODEL, providers=["CUDAExecutionProvider"])
    if "CUDAExecutionProvider" not in session.get_providers():
        raise stop("processor", "ONNX Runtime went back to the processor")
    x = np.array(X, dtype=np.float32).reshape(N, C, H, W)
    w = np.array(FILTER, dtype=np.float32).reshape(K, C, 3, 3)
    return list(session.run(None, {"x": x, "w": w})[0].reshape(-1).tolist())


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


def test(channel: Channel, wish: Wish) -> None:
    """Run and answer."""
    ways = (torch, tensorflow, jax, cupy, onnxruntime)
    run = {way.__name__: way for way in ways}[wish["framework"]]
    channel.stage("load")
    try:
        start()
        wrong = disagreement(run(channel), expected())
        if wrong:
            raise Stopped("wrong-result", detail=wrong)
    except Stopped:
        raise
    except BaseException as trouble:
        raise Stopped("raised", detail=text_of(trouble)[:2000])
    finally:
        tell_mapped(channel)
    channel.say(checks=["fp32"])


def tell_mapped(channel: Channel) -> None:
    """Tell which libraries of CUDA and cuDNN are mapped, and the main one (Linux)."""
    try:
        paths = sorted(interesting(files_of("self")))
    except OSError:
        paths = []
    main = next((p for p in paths if os.path.basename(p).startswith("libcudnn.so")), "")
    channel.say(mapped=paths, loaded=main)


if __name__ == "__main__":
    serve(sys.argv[1:], test)
