"""The language of all words: gettext over ``resources/locale``."""

from __future__ import annotations

import gettext
import os
from collections.abc import Sequence

from cudnn_assistant import places

DOMAIN = "cudnn-assistant"

_current: gettext.NullTranslations | None = None


def choose(languages: Sequence[str] | None = None) -> None:
    """Speak one of ``languages`` from now on; ``None`` follows the system's settings.

    A language without a catalogue is passed over; English needs none.
    """
    global _current  # noqa: PLW0603 - a program speaks one language at a time
    wanted = list(languages) if languages is not None else _of_the_system()
    _current = gettext.translation(
        DOMAIN, str(places.resource("locale")), languages=wanted, fallback=True
    )


def _of_the_system() -> list[str] | None:
    """Languages of the environment; on Windows, which sets none, those of its settings."""
    if os.name != "nt" or any(os.environ.get(n) for n in ("LANGUAGE", "LC_ALL", "LANG")):
        return None
    import ctypes
    import locale

    number = ctypes.windll.kernel32.GetUserDefaultUILanguage()  # type: ignore[attr-defined,unused-ignore]
    name = locale.windows_locale.get(number)
    return [name] if name else None


def install(translations: gettext.NullTranslations) -> None:
    """Speak by these translations; for tests and tools."""
    global _current  # noqa: PLW0603
    _current = translations


def _translations() -> gettext.NullTranslations:
    if _current is None:
        choose()
    assert _current is not None
    return _current


def pgettext(key: str, text: str) -> str:
    """The text that stands under ``key``, in the language that is spoken now."""
    return _translations().pgettext(key, text)


def npgettext(key: str, one: str, many: str, count: int) -> str:
    """The form of the sentence under ``key`` that fits ``count``, in that language."""
    return _translations().npgettext(key, one, many, count)
