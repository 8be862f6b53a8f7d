"""What a text with an error message really means: telling lines, and ranked causes.

``explain`` is pure: it reads no computer, only the text, what the person gives, and a snapshot.

How it works, in the order of the modules:

* ``reading``    bytes to lines: encodings, colours, wrapped lines.
* ``literals``   which of the words that patterns ask for may stand in a piece of text.
* ``patterns``   which known messages occur (``resources/errors/patterns/*.toml``).
* ``facts``      versions, GPU and system that the text states or the person gives.
* ``versions``   how versions are spelled, which GPU a name means, and what is denied.
* ``wanted``     what the program asks for.
* ``features``   what follows from facts side by side ("needs CUDA 10.0, there is 10.1"), and
  ``generations`` what follows from the GPU's generation and the driver.
* ``evidence``   what patterns and rules (``resources/errors/rules.toml``) speak for.
* ``question``   which lines and words are compared with earlier reports.
* ``similar_reports`` what was the cause in public reports with similar words.
* ``word_model`` what single words add to that, learned from those reports.
* ``cases``      all of these for one text.
* ``snapshot``   what a snapshot of the computer confirms or rules out.
* ``ranking``    the votes of all voices added up, in one place.
* ``causes``     the words of the answer (``resources/causes``): those that fit the framework, the
  system and the GPU, and which build fits.
* ``understood`` what was read, to be corrected or refused, and what would tell more.

How to add a pattern
--------------------
Append a ``[[pattern]]`` to the file of ``resources/errors/patterns`` that is named for what it
speaks for loudest. A report of ``reports.jsonl`` must need it, or a documented message:

* ``find``: one or more literals in small letters. A line is looked at only if one is in it, so
  each message that ``match`` takes must contain one of them. Rare words keep the search fast.
* ``match``: a regular expression, case ignored. Every repetition has an upper bound
  (``\\S{1,80}``, never ``\\S+``): a test refuses others, because a log can be hostile. Named groups
  hand on facts: ``missing`` (a file name), ``loaded`` and ``built`` (cuDNN), ``cuda``, ``driver``,
  ``driver_cuda``, ``sm``, ``smlist``; a digit at the end (``missing2``) is another spelling.
* ``example``: a line that it matches (tested), ``source``: a public thread, document or program
  that shows the message.
* ``means``: what it says, in words for people (no status code as an explanation).
* ``votes``: log weights for classes. What the message *literally* says gets 3 to 5; a code
  that has many causes gets about 1 to 2 for each of them. Patterns in one ``group`` say the same
  thing in other words: of them only the strongest vote counts.
* ``words``: people's words, sought in short texts only. Learned words say most of them better: of
  the threads that hold such a pattern at least half should have a cause that it votes for.
* ``deniable``: it isn't found where the words before deny it ("works inside Docker").
* ``code``: the cause that it points at, by its name in ``resources/causes``.
* ``vague``: such a line alone doesn't tell why: what no fact speaks for beside it isn't clear.
* ``needs``: what pip is to install where a framework itself says this ("numpy<2").

What a message means only together with something else is a ``[[rule]]`` in ``rules.toml``.
Then run ``python -m installer.words --cross`` and look at what it says of all reports together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from cudnn_assistant.compat import Compat
from cudnn_assistant.explain.answer import Cause as Cause
from cudnn_assistant.explain.answer import Explanation as Explanation
from cudnn_assistant.explain.answer import Line
from cudnn_assistant.explain.answer import State as State
from cudnn_assistant.explain.cases import Case, read_case
from cudnn_assistant.explain.causes import cause, shown_by
from cudnn_assistant.explain.evidence import rules
from cudnn_assistant.explain.ranking import rank
from cudnn_assistant.explain.show import WORTH_SHOWING
from cudnn_assistant.explain.show import basis as basis
from cudnn_assistant.explain.show import doubt as doubt
from cudnn_assistant.explain.show import likely as likely
from cudnn_assistant.explain.show import text_lines as text_lines
from cudnn_assistant.explain.snapshot import (
    facts_of,
    proven,
    same_computer,
    snapshot_evidence,
    states,
)
from cudnn_assistant.explain.understood import only_unnamed_file, understood, would_tell
from cudnn_assistant.explain.word_model import WordModel, load_words
from cudnn_assistant.finding import Finding
from cudnn_assistant.machine import Machine
from cudnn_assistant.wording.language import pgettext

CLEAR = 0.71
"""Probability from which the first cause is worth a remedy: of projects that nothing was learned
from, about nine of ten such causes were right and four of five such remedies helped; below it,
every second cause was right."""
_ELSEWHERE = 0.8
"""Probability that a text is about something else from which no cause is named at all. Before that
the causes have hardly a chance of being clear: of foreign messages one in fifty has."""
_UNTOLD = 0.6
"""The same for a text without a single line that is known to tell something."""
_SHOWN_AT_LEAST = 3
_SHOWN_AT_MOST = 10
_LINE_WIDTH = 400


def explain(
    text: str | bytes,
    machine: Machine | None = None,
    given: Mapping[str, str] | None = None,
    compat: Compat | None = None,
    *,
    findings: Sequence[Finding] = (),
) -> Explanation:
    """Telling lines of ``text`` and the causes they speak for, best first.

    ``text`` may be a whole log, as text or as bytes in any common encoding; time and memory grow
    linearly with it. ``given`` is what the person knows: the keys gpu, driver, cuda, cudnn,
    python, framework, os are read as facts, any other as a sentence. With ``machine`` (and what
    the diagnosis found on it, ``findings``) each cause is said to be confirmed, possible or
    ruled out. ``compat`` says what fits together; without it, the data that came with this program.

    Never raises for any text; nothing recognised gives an empty answer.
    """
    case = read_case(text, given or {}, facts_of(machine) if machine else {}, compat=compat)
    return answer_for(case, load_words(), machine, findings)


def about_something_else(likely: float, *, told: bool) -> bool:
    """Whether no cause is named for a text that is that likely about something else.

    ``told``: some line of it is known to tell something.
    """
    return likely >= (_ELSEWHERE if told else _UNTOLD)


def answer_for(
    case: Case,
    model: WordModel,
    machine: Machine | None = None,
    findings: Sequence[Finding] = (),
) -> Explanation:
    """The answer to a text that was read, by the words of ``model``."""
    read = understood(case.facts)
    told = tuple(one for one in read if one.key not in case.facts.filled_in)
    filled_in = tuple(one for one in read if one.key in case.facts.filled_in)
    unclear = Explanation(lines=_lines(case), causes=(), understood=told, filled_in=filled_in)
    if about_something_else(model.elsewhere(case.signs_of_text), told=bool(case.hits)):
        return replace(unclear, would_tell=would_tell(case.facts, case.hits))
    here = machine if machine and same_computer(machine, case.facts) else None
    more = list(snapshot_evidence(here, findings, case.facts)) if here is not None else []
    ranked = rank(case, model, more, states(rules().prior, here, findings, case.facts))
    shown = [
        one
        for place, one in enumerate(ranked)
        if place < _SHOWN_AT_LEAST
        or one.state == "confirmed"
        or (place < _SHOWN_AT_MOST and one.probability >= WORTH_SHOWING and one.reasons)
    ]
    clear = shown[0].state == "confirmed" or (
        shown[0].probability >= CLEAR
        and not case.untold(shown[0].cls)
        and (case.informed or not only_unnamed_file(case.facts, case.hits))
    )
    facts, voices = case.facts, [*case.evidence, *case.similar, *more]
    found = tuple(cause(o, voices, facts, remedy=clear, first=o is shown[0]) for o in shown)
    if here is not None:
        known = proven(findings)
        found = tuple(shown_by(c, known[c.cls], here) if c.cls in known else c for c in found)
    return replace(
        unclear,
        causes=found,
        clear=clear,
        basis="text" if here is None else "computer",
        would_tell=() if clear else would_tell(case.facts, case.hits),
    )


def _lines(case: Case) -> tuple[Line, ...]:
    """Every hit, save what plain words say of a line that a message's own pattern explains."""
    explained = {hit.text for hit in (*case.hits, *case.note_hits) if not hit.pattern.words}
    numbered = [*((hit.line + 1, hit) for hit in case.hits), *((0, hit) for hit in case.note_hits)]
    return tuple(
        Line(
            number=number,
            text=" ".join(hit.text.split())[:_LINE_WIDTH],
            means=pgettext("explain", hit.pattern.means),
            pattern=hit.pattern.id,
        )
        for number, hit in numbered
        if not hit.pattern.words or hit.text not in explained
    )
