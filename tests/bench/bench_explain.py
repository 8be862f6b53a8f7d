# ruff: noqa: T201
"""How long explain takes for logs of many kinds, and how much memory.

    python tests/bench/bench_explain.py [MEGABYTES [KIND...]]

How often it is right, ``python -m installer.words --cross`` tells.
"""

from __future__ import annotations

import base64
import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from itertools import count, cycle

NEAR_MISSES = (
    "Could not load dynamic librar 'cudart64_100.dll; dlerror cudart64_100 dll not foun",
    "NVRM: Xid (PCI:0000:01:00: seventynine, pid=1, name=python cudnn cublas nvidia",
    "CUDNN_STATUS_INTERNAL_ERRO CUDNN_STATUS_NOT_INITIALIZE cuda out of memor",
    "RuntimeError: cuDNN versio incompatibility: PyTorch was compiled agains (8, 3, 2",
)
_LETTERS = str.maketrans("0123456789", "ghijklmnop")
PROSE = (
    "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。何でも薄暗いじめじめした所で"
)
CHANCE = random.Random(18)


def lettered(number: int) -> str:
    """A number without digits."""
    return number.to_bytes(4, "big").hex().translate(_LETTERS)


def hostile(number: int) -> str:
    """Near-misses that differ in letters, so that no line can be skipped as seen before."""
    return f"{lettered(number)} {NEAR_MISSES[number % len(NEAR_MISSES)]}"


def pip(number: int) -> str:
    """What pip tells while it installs."""
    return (
        f"Collecting package-{lettered(number)}=={number % 9}.{number % 31}.{number % 7}\n"
        f"  Downloading package_{lettered(number)}-{number % 9}.1-cp311-manylinux.whl (1.2 MB)"
    )


def training(number: int) -> str:
    """The progress of a training."""
    done = number % 938
    loss = CHANCE.random()
    return f"Epoch {number // 938} [{done}/938] loss: {loss:.6f} acc {loss:.4f} {done}it/s cuda:0"


def numbers(_number: int) -> str:
    """A table of measurements."""
    return " ".join(f"{CHANCE.random() * 1000:.5f}" for _column in range(8))


def short_numbers(_number: int) -> str:
    """Numbers as short as the codes that patterns look for."""
    return " ".join(str(CHANCE.randrange(10_000)) for _column in range(12))


def hexadecimal(number: int) -> str:
    """What ``hexdump -C`` shows."""
    data = CHANCE.randbytes(16)
    return f"{16 * number:08x}  {data.hex(' ')}  |{lettered(number)}{lettered(number)}|"


def short_words(_number: int) -> str:
    """Words of three letters: there are few that don't occur."""
    return " ".join("".join(CHANCE.choices("abcdefghijklmnopqrstuvwxyz_.-", k=3)) for _ in range(9))


def paths(number: int) -> str:
    """What ``find`` shows."""
    return f"/usr/lib/python3/site-packages/{lettered(number)}/sub_{number % 97}/lib{number}.so"


def records(number: int) -> str:
    """A log of objects."""
    said = {"ts": 1_700_000_000 + number, "level": "info", "id": lettered(number), "msg": "step"}
    return json.dumps(said | {"loss": CHANCE.random(), "gpu": number % 8})


def letters_64(_number: int) -> str:
    """A file that was sent by mail."""
    return base64.b64encode(CHANCE.randbytes(57)).decode()


def prose(number: int) -> str:
    """A book."""
    return PROSE[number % 40 :] + PROSE + PROSE[: number % 37]


def compiler(number: int) -> str:
    """Warnings of gcc."""
    name = lettered(number)
    return (
        f"src/{name}.cc: In function 'int {name}(float*, int)':\n"
        f"src/{name}.cc:{number % 900}:{number % 80}: warning: unused variable 'tmp_{name}' "
        "[-Wunused-variable]\n   int tmp = 0;\n       ^~~"
    )


def repeated(_number: int) -> str:
    """One message again and again."""
    return "RuntimeError: cuDNN error: CUDNN_STATUS_EXECUTION_FAILED"


def traces(number: int) -> str:
    """Where a program was when it stopped."""
    name = lettered(number)
    return (
        "Traceback (most recent call last):\n"
        f'  File "/home/me/project/{name}.py", line {number % 700}, in {name}\n'
        f"    return self.{name}(x)\nValueError: not enough values to unpack: {name}"
    )


def blank(_number: int) -> str:
    """Nothing."""
    return ""


def tabs(number: int) -> str:
    """A table with very wide columns."""
    return f"{number}{chr(9) * 900}{lettered(number)}"


def kernel(number: int) -> str:
    """What ``dmesg`` shows."""
    return (
        f"[{number / 1000:12.6f}] usb 1-{number % 9}: new device {lettered(number)}, NVRM: loading"
    )


def coloured(number: int) -> str:
    """A progress bar in colours."""
    done = number % 50
    return (
        f"\x1b[32m{2 * done:3}%\x1b[0m|{'█' * done}{' ' * (50 - done)}| {number}/9 \x1b[1mok\x1b[0m"
    )


def western(number: int) -> str:
    """A log in another language."""
    return f"Schritt {number}: Der Verlust für {lettered(number)} ist größer als möglich"


def lines(line: Callable[[int], str], end: str = "\n", encoding: str = "utf-8") -> Iterator[bytes]:
    """Line after line, without an end."""
    return ((line(number) + end).encode(encoding) for number in count())


def endless(kind: str) -> Iterator[bytes]:
    """A text of this kind, in pieces."""
    if kind == "binary":
        return (CHANCE.randbytes(1000) for _ in count())
    if kind == "one line":
        return cycle([b"abcdefgh cudnn 12345 "])
    if kind == "bare returns":
        return lines(training, end="\r")
    if kind == "utf-16":
        return lines(training, encoding="utf-16-le")
    if kind == "code page":
        return lines(western, encoding="cp1252")
    return lines(LINES[kind])


LINES: dict[str, Callable[[int], str]] = {
    "hostile": hostile,
    "pip": pip,
    "training": training,
    "numbers": numbers,
    "short numbers": short_numbers,
    "hex": hexadecimal,
    "short words": short_words,
    "paths": paths,
    "json": records,
    "base64": letters_64,
    "japanese": prose,
    "gcc": compiler,
    "repeated": repeated,
    "traces": traces,
    "blank": blank,
    "tabs": tabs,
    "kernel": kernel,
    "colours": coloured,
}
KINDS = (*LINES, "one line", "bare returns", "utf-16", "code page", "binary")


def measure(kind: str, megabytes: int) -> tuple[float, float]:
    """Seconds and megabytes of the command line, for one text of this kind.

    Processor time: a clock on the wall measures others too.
    """
    with tempfile.NamedTemporaryFile("wb", suffix=".log") as log:
        for piece in endless(kind):
            log.write(piece)
            if log.tell() >= megabytes * 1_000_000:
                break
        log.truncate(megabytes * 1_000_000)
        log.flush()
        command = (sys.executable, "-m", "cudnn_assistant", "explain", log.name)
        measured = (sys.executable, "-c", _MEASURED, *command)
        told = subprocess.run(measured, capture_output=True, check=True, text=True).stdout
    took, memory = map(float, told.split())
    return took, memory


_MEASURED = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=False)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1000)
"""
"""The most memory of all children is told, so each has a parent of its own."""


def main() -> None:
    """Each kind that is asked for, or all."""
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    for kind in sys.argv[2:] or KINDS:
        took, memory = measure(kind, megabytes)
        print(f"{kind:14} {megabytes} MB: {took:4.1f} s of a processor, {memory:4.0f} MB at most")


if __name__ == "__main__":
    main()
