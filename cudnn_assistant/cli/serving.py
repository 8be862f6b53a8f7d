"""What an assistant may ask: the tools of the Model Context Protocol, thin over the session.

Everything that is answered was redacted and judged anew, as a report is. All tools but one only
look. That one needs the person's own yes, asked by the protocol for exactly the changes that were
planned and shown before; an assistant without that question gets no change.
"""

# Annotations stay objects here: the protocol's library reads those of "fix" inside a function.

import io
import os
import secrets
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, get_type_hints

from cudnn_assistant import __version__
from cudnn_assistant.cli.options import Options
from cudnn_assistant.cli.screen import Screen
from cudnn_assistant.plan import Plan, demanded, without_installers
from cudnn_assistant.session import (
    Checkup,
    LookRequest,
    Misuse,
    Refused,
    Session,
    Source,
    ignore,
)
from cudnn_assistant.session.changing import Change
from cudnn_assistant.session.imagined import Imagined, recommendation
from cudnn_assistant.session.json_output import answer
from cudnn_assistant.session.permitted import known
from cudnn_assistant.session.reports import shareable, without_home
from cudnn_assistant.signals import listening
from cudnn_assistant.wording import say
from cudnn_assistant.wording.recommendation import headline, lines
from cudnn_assistant.wording.refusals import why

try:
    from mcp.server.mcpserver import (
        AcceptedElicitation,
        Elicit,
        ElicitationResult,
        MCPServer,
        Resolve,
    )
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp_types import ToolAnnotations
    from pydantic import BaseModel, Field
    from typing_extensions import TypedDict
except ImportError as trouble:
    raise Misuse("no-mcp") from trouble

_Shape = TypeVar("_Shape")
_LOOKS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
_CHANGES = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True)
_KEPT = 8
"""Plans that are remembered; the oldest go."""
_LONGEST = 16 << 20
"""Bytes of one message; the protocol's library would keep any number."""


class Meaning(TypedDict):
    """What a message may mean."""

    code: str
    title: str
    why: str
    fix: str


class Problem(Meaning):
    """One problem and what helps."""

    severity: str
    sure: bool
    commands: Sequence[str]
    link: str


class Checked(TypedDict):
    """The answer of a check."""

    verdict: str
    title: str
    sentence: str
    lines: list[str]
    problems: list[Problem]


class Possible(Meaning):
    """One cause, how probable it is (0 to 1), and what would settle whether it is this one."""

    score: float
    confirm: str


class Explained(TypedDict):
    """The causes that a message points to, most likely first; none where nothing is recognised.

    Where the answer isn't ``clear``, none is to be acted on: ``would_tell`` says what to ask for.
    """

    basis: str
    """"text": this computer isn't the one that it came from, or wasn't asked."""
    clear: bool
    causes: list[Possible]
    would_tell: Sequence[str]


class Fits(TypedDict):
    """What fits together."""

    headline: str
    lines: list[str]


class Planned(TypedDict):
    """Changes that would help, and by which name they can be asked for."""

    plan: str
    changes: list[str]
    demands: list[str]


class Done(TypedDict):
    """What became of a change."""

    changed: bool
    said: str
    verdict: str


class Yes(BaseModel):
    """The person's own answer."""

    yes: bool = Field(default=False, description="yes: make these changes now")


class _Proposal(NamedTuple):
    """A plan that was shown, with the checkup that it is for."""

    plan: Plan
    own: Checkup
    question: str


class _Desk:
    """One assistant's conversation: the plans that it was shown."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.proposals: dict[str, _Proposal] = {}
        self.changing = threading.Lock()
        self.stop = threading.Event()

    def leave(self, *_signal: object) -> None:
        """End at once, whoever holds our input open; a change that is being made is taken back."""
        self.stop.set()
        if self.changing.acquire(blocking=False):
            os._exit(130)

    def check(self, test: bool = True) -> Checked:
        """Look at this computer: does cuDNN work, and what is wrong? Changes nothing.

        With ``test`` a convolution is run on the GPU (up to a minute).
        """
        return _told(self._looked(test)[1], self.session.source)

    def explain(self, message: str) -> Explained:
        """What an error message about CUDA, cuDNN or the GPU really means, on this computer."""
        _own, checkup = self._looked(test=False)
        found = self.session.explain(message, checkup)
        causes = [_part(Possible, one) for one in found.causes]
        return {
            "basis": found.basis,
            "clear": found.clear,
            "causes": causes,
            "would_tell": found.would_tell,
        }

    def recommend(
        self,
        gpu: str = "",
        driver: str = "",
        framework: str = "",
        python_version: str = "",
        system: Literal["", "linux", "windows"] = "",
    ) -> Fits:
        """Which driver, CUDA and cuDNN fit together here, or for the ``gpu`` that is named."""
        try:
            wish = Imagined(
                gpu=gpu, driver=driver, framework=framework, python_version=python_version,
                system=system,
            )  # fmt: skip
            seen = None if gpu else self._looked(test=False)[1]
            found = recommendation(wish, seen, self.session.compat)
        except Misuse as trouble:
            raise ToolError(why(trouble)) from trouble
        told = [f"{line.label}: {line.text}" for line in lines(found)]
        return {"headline": headline(found), "lines": told}

    def report(self, test: bool = True) -> str:
        """The whole support report as Markdown, without names of people, computers, projects."""
        return self.session.report(self.session.check(LookRequest(trial=test)))("markdown")

    def plan_fix(self, codes: list[str] | None = None) -> Planned:
        """What would help: every change, old and new. Changes nothing.

        For all problems, or for those with these codes.
        """
        try:
            only = known(codes or ())
        except Misuse as trouble:
            raise ToolError(why(trouble)) from trouble
        own = self.session.check(LookRequest())
        own = self.session.limited(own, only) if only else own
        # An assistant can't bring a yes of its own to what can't be taken back.
        plan = self._tried(without_installers(own.plan), own)
        shown, shown_plan = shareable(own, plan, self.session.compat)
        # A settings file that a change goes into is no part of the plan.
        changes = [
            without_home(_change(one)) for one in self.session.preview(shown_plan, shown.machine)
        ]
        needs = list(demanded(shown_plan, shown.machine))
        name = self._keep(plan, own, changes + needs) if plan.steps else ""
        return {"plan": name, "changes": changes, "demands": needs}

    def _tried(self, plan: Plan, own: Checkup) -> Plan:
        """The plan once it was tried; without steps where it would not help."""
        try:
            tried = self.session.rehearse(plan, before=own)
        except (Refused, OSError) as trouble:
            raise ToolError(self.session.redacted_note(why(trouble))) from trouble
        return Plan() if tried.in_vain else without_installers(tried)

    def _keep(self, plan: Plan, own: Checkup, shown: list[str]) -> str:
        name = secrets.token_hex(4)
        question = say("mcp.question", count=len(plan.steps))
        self.proposals[name] = _Proposal(plan, own, "\n\n".join([question, *shown]))
        for old in list(self.proposals)[:-_KEPT]:
            del self.proposals[old]
        return name

    def ask(self, plan: str) -> Elicit[Yes]:
        """The question to the person, about exactly what was shown."""
        return Elicit(self._proposal(plan).question, Yes)

    def _proposal(self, name: str) -> _Proposal:
        if name not in self.proposals:
            raise ToolError(say("mcp.no-such-plan"))
        return self.proposals[name]

    def fix(self, plan: str, answer: ElicitationResult[Yes]) -> Done:
        """Carry a shown plan out, journalled; then look again. Only a yes is a yes."""
        proposal = self._proposal(plan)
        if not isinstance(answer, AcceptedElicitation) or not answer.data.yes:
            return {"changed": False, "said": say("mcp.no"), "verdict": ""}
        del self.proposals[plan]
        with self.changing:
            trouble = self._changed(proposal)
        if self.stop.is_set():
            self.leave()
        if trouble:
            changed = isinstance(trouble, Refused) and not trouble.as_before
            said = self.session.redacted_note(why(trouble))
            return {"changed": changed, "said": said, "verdict": ""}
        return {"changed": True, "said": say("mcp.done"), "verdict": self._looked(True)[1].verdict}

    def _changed(self, proposal: _Proposal) -> Refused | OSError | None:
        try:
            read = self.session.licences(proposal.plan)
            change = Change(ignore, self.stop)
            self.session.apply(proposal.plan, change, read, "asked", proposal.own)
        except (Refused, OSError) as trouble:
            return trouble
        return None

    def _looked(self, test: bool) -> tuple[Checkup, Checkup]:
        """This computer, and what may be told of it."""
        own = self.session.check(LookRequest(trial=test))
        return own, shareable(own, Plan(), self.session.compat)[0]


class _Messages(io.BufferedIOBase):
    """An input of lines that ends where a line is longer than :data:`_LONGEST`."""

    def __init__(self, source: Any) -> None:
        self._source, self.begun = source, 0

    def readable(self) -> bool:
        return True

    def read1(self, size: int = -1) -> bytes:
        some: bytes = self._source.read1(size)
        _before, end, rest = some.rpartition(b"\n")
        self.begun = len(rest) + (0 if end else self.begun)
        return some if self.begun <= _LONGEST else b""


def mcp(session: Session, _options: Options, _screen: Screen) -> int:
    """Answer until the assistant goes away, or somebody ends us.

    Raises :class:`Misuse` where nothing can be read, or a message has no end.
    """
    if sys.stdin is None:
        raise Misuse("no-input")
    messages = _Messages(sys.stdin.buffer)
    sys.stdin = io.TextIOWrapper(messages)
    desk = _Desk(session)
    for number in listening():
        signal.signal(number, desk.leave)
    _tools(desk).run()
    if messages.begun > _LONGEST:
        raise Misuse("input-without-end", size=_LONGEST // 1000)
    return 0


def _tools(desk: _Desk) -> MCPServer[Any]:
    """The tools of one conversation."""
    whole: MCPServer[Any] = MCPServer(
        "cudnn-assistant", version=__version__, instructions=say("mcp.instructions")
    )
    for look in (desk.check, desk.explain, desk.recommend, desk.report, desk.plan_fix):
        whole.add_tool(look, annotations=_LOOKS)

    def fix(plan: str, answer: Annotated[ElicitationResult[Yes], Resolve(desk.ask)]) -> Done:
        """Make the changes of a ``plan_fix``, once the person said yes to that question.

        Everything is journalled; ``cudnn-assistant undo`` takes it back.
        """
        return desk.fix(plan, answer)

    whole.add_tool(fix, annotations=_CHANGES)
    return whole


def _told(checkup: Checkup, source: Source) -> Checked:
    """What ``check --json`` says, without the snapshot."""
    whole = answer(checkup, source)
    return {
        "verdict": whole.verdict,
        "title": whole.title,
        "sentence": whole.sentence,
        "lines": [f"{line.label}: {line.text}" for line in whole.lines],
        "problems": [_part(Problem, one) for one in whole.findings],
    }


def _part(shape: Callable[..., _Shape], whole: object) -> _Shape:
    """What of something is told: the fields that a shape names."""
    return shape(**{name: getattr(whole, name) for name in get_type_hints(shape)})


def _change(one: Any) -> str:
    rows = [f"{one.title}  {one.place}".strip()]
    rows += [f"  {line.sign} {line.text}" for line in one.lines if line.sign != " "]
    return "\n".join([*rows, *(f"  {note}" for note in one.notes)])
