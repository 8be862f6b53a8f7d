"""What ``import cudnn_assistant`` offers to notebooks, bug templates and other programs.

Nothing here prints, asks, or changes the computer. Names and fields only ever grow. What is asked
for and can't be meant raises :class:`~cudnn_assistant.trouble.Misuse`, with a code and facts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

from cudnn_assistant.session import LookRequest, Session
from cudnn_assistant.session.json_output import Answer, answer

if TYPE_CHECKING:
    from cudnn_assistant.compat import Recommendation
    from cudnn_assistant.explain import Explanation


def check(*, test: bool = True, python: str = "", offline: bool = False) -> Answer:
    """Look at this computer and say what is wrong.

    ``test`` runs a convolution in a process of its own; without it the look takes less than a
    second. ``python`` is an environment to look at besides. ``offline`` asks no server for newer
    data. ``to_json()`` of the answer is what ``cudnn-assistant check --json`` prints.
    """
    session = Session()
    request = LookRequest(trial=test, python=python, offline=offline)
    return answer(session.check(request), session.source)


def explain_text(
    text: str | bytes, *, given: Mapping[str, str] | None = None, look: bool = True
) -> Explanation:
    """What an error message, or a log with one, really means: causes, most likely first.

    ``given`` is what is known of the computer that it came from (gpu, driver, cuda, cudnn, python,
    framework, os); without it, ``look`` compares with this one.
    """
    session = Session()
    asked = look and not given
    seen = session.check(LookRequest(trial=False, offline=True)) if asked else None
    return session.explain(text, seen, given)


def recommend(
    *,
    gpu: str = "",
    driver: str = "",
    framework: str = "",
    python_version: str = "",
    system: Literal["", "linux", "windows"] = "",
) -> Recommendation:
    """Which driver, CUDA and cuDNN fit together, with the official files.

    For this computer, with what is named in place of what is here; with ``gpu`` (a name, or a
    compute capability like "8.6") for an imagined one. ``framework`` may carry a version.
    """
    from cudnn_assistant.session.imagined import Imagined, recommendation

    session = Session()
    wish = Imagined(
        gpu=gpu, driver=driver, framework=framework, python_version=python_version, system=system
    )
    seen = None if gpu else session.check(LookRequest(trial=False))
    return recommendation(wish, seen, session.compat)


def support_report(*, test: bool = True, text: str = "") -> str:
    """The report for a bug template as Markdown, without names of people, computers and projects.

    ``text`` is the message that somebody got; it is redacted likewise.
    """
    session = Session()
    checkup = session.check(LookRequest(trial=test))
    return session.report(checkup, text=text)("markdown")
