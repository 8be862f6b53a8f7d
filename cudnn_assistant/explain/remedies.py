"""Advice that fits what a text states: its framework, system, container, GPU and driver.

The words are forms of a cause's row ("general@tensorflow"); which build to take is answered by the
same rules and data as everywhere (``compat.recommend_for``).
"""

from __future__ import annotations

from collections.abc import Iterator

from cudnn_assistant import compat
from cudnn_assistant.compat import FrameworkAdvice, Recommendation, Situation
from cudnn_assistant.explain.facts import Facts
from cudnn_assistant.explain.generations import embedded, of_another_maker
from cudnn_assistant.explain.versions import version_text
from cudnn_assistant.machine import Family
from cudnn_assistant.wording import say

_OF_A_BUILD = frozenset(
    [
        *("cpu-only-build", "gpu-too-new", "gpu-too-old", "cuda-version-mismatch"),
        *("driver-too-old", "python-version-unsupported", "framework-dropped-windows-gpu"),
    ]
)
"""Classes of causes that another build of the framework mends."""
_OF_A_DRIVER = frozenset(["driver-too-old", "driver-missing"])
_FOREIGN = "gpu-of-another-maker"
_BY_PIP = ("pytorch", "tensorflow", "jax", "onnxruntime", "cupy", "ctranslate2")


def situations(f: Facts) -> tuple[str, ...]:
    """The forms of a cause's words for these facts, the most special first."""
    known = {
        "general@jetson": embedded(f),
        f"general@{f.framework}": bool(f.framework),
        "general@container": f.container,
        f"general@{f.os}": bool(f.os),
        "general@framework": bool(f.framework),
    }
    return tuple(form for form, holds in known.items() if holds)


def advising(f: Facts, name: str, cls: str) -> str:
    """The cause whose advice is given: where no NVIDIA GPU is there, no driver or build helps."""
    other = of_another_maker(f) and cls in _OF_A_BUILD | _OF_A_DRIVER
    return _FOREIGN if other else name


def fitting(f: Facts, cls: str) -> str:
    """Which build fits the GPU and the driver, and how new a driver can be; "" where unknown."""
    return " ".join([*_build(f, cls), *_driver(f, cls)])


def _build(f: Facts, cls: str) -> Iterator[str]:
    if cls not in _OF_A_BUILD or f.framework not in _BY_PIP or not f.compute or embedded(f):
        return
    advice = compat.recommend_for(_situation(f), f.compat)
    if advice.framework and advice.framework.command and _can_be_had(advice):
        command = f"python -m {advice.framework.command}"
        yield say("explain.build-that-fits", what=_title(advice.framework), command=command)


def _can_be_had(advice: Recommendation) -> bool:
    return advice.possible is not False and not (advice.driver and advice.driver.possible is False)


def _title(build: FrameworkAdvice) -> str:
    cuda = f" (CUDA {build.cuda})" if build.cuda else ""
    return f"{build.name} {build.version}{cuda}"


def _driver(f: Facts, cls: str) -> Iterator[str]:
    last = compat.last_driver_branch(f.compat, str(f.compute)) if f.compute else None
    if cls in _OF_A_DRIVER and last is not None:
        yield say("explain.last-driver", branch=str(last))


def _situation(f: Facts) -> Situation:
    """The computer that the text tells of."""
    family: Family = "windows" if f.os == "windows" else "linux"
    of_driver: Family = "windows" if f.os in {"windows", "wsl"} else "linux"
    driver = version_text(f.driver)
    return Situation(
        family=family,
        platform="windows-x86_64" if family == "windows" else "linux-x86_64",
        driver_family=of_driver,
        computes=(str(f.compute),),
        driver=driver,
        has_driver=True if driver else None,
        cuda=version_text(f.driver_cuda) or compat.cuda_of_driver(f.compat, driver, of_driver),
        python=version_text(f.python[:2]),
        framework=f.framework,
    )
