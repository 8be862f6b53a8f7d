"""``recommend``: what fits together, for this computer or for an imagined one."""

from __future__ import annotations

import msgspec

from cudnn_assistant.cli.looking import given, look
from cudnn_assistant.cli.options import Options
from cudnn_assistant.cli.screen import Screen
from cudnn_assistant.compat import Recommendation
from cudnn_assistant.compat.environment import EnvironmentAdvice
from cudnn_assistant.explain.reading import text_of
from cudnn_assistant.session import Misuse, Session
from cudnn_assistant.session.imagined import Imagined, environment_advice, recommendation
from cudnn_assistant.wording import say
from cudnn_assistant.wording.recommendation import headline, lines


def recommend(session: Session, options: Options, screen: Screen) -> int:
    """Say what fits: 0 when something does, 1 when nothing can, 3 when it isn't known.

    A GPU that is named is imagined in the computer of the report or the environment that is named
    beside it, else in an ordinary one. Raises :class:`Misuse` for what can't be meant.
    """
    wish = msgspec.convert(options, Imagined, from_attributes=True)
    checkup, real = None, [name for name in ("machine", "python") if getattr(options, name)]
    if options.system and real:
        raise Misuse("apart", option="--system", other=f"--{real[0]}")
    if options.gpu and not real:
        session.fetch_data(offline=options.offline)
    else:
        checkup = look(session, msgspec.structs.replace(options, no_test=True), screen)
    found: Recommendation | EnvironmentAdvice
    if options.requirements or len(options.wishes) > 1:
        named = options.requirements
        text = text_of(given(named, 1024 * 1024, screen)) if named else ""
        about = session.compat, options.python
        found = environment_advice(wish, checkup, *about, text=text, wishes=options.wishes)
    else:
        wish = msgspec.structs.replace(wish, framework="".join(options.wishes))
        found = recommendation(wish, checkup, session.compat, options.python)
    if options.json:
        screen.as_json(found)
    elif isinstance(found, EnvironmentAdvice):
        _show_all(found, options, screen)
    else:
        _show(found, screen, verbose=options.verbose)
    return {True: 0, False: 1, None: 3}[found.possible]


def _show_all(found: EnvironmentAdvice, options: Options, screen: Screen) -> None:
    for one in found.packages:
        _show(one, screen, verbose=options.verbose)
        screen.line()
    if found.possible is None and all(one.possible for one in found.packages):
        screen.line(say("recommendation.no-common-cuda"))
    if found.snippets:
        screen.line(say("recommendation.compared"))
        what = f"recommendation.snippet-{options.tool}"
        screen.line(say(what, cuda=found.cuda_major, python=found.python))
        screen.raw(getattr(found.snippets, options.tool) + "\n")


def _show(found: Recommendation, screen: Screen, *, verbose: bool) -> None:
    for one in lines(found):
        if verbose or not one.reason:
            screen.marked(one.mark, one.label, one.text)
    screen.line()
    screen.line(headline(found))
