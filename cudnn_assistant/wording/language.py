"""The language of all words: gettext over ``resources/locale``.

A language is a file ``resources/locale/NAME.po`` that translators write; building the program puts
its compiled form, ``NAME.mo``, beside it (``installer/compile_locale.py``).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from gettext import GNUTranslations, NullTranslations

from cudnn_assistant import places

LANGUAGES = {
    "en": "English",
    "de": "Deutsch",
    "es": "Español",
    "fr": "Français",
    "ja": "日本語",
    "zh_CN": "简体中文",
    "pt_BR": "Português (Brasil)",
}
"""Every language that the program speaks, by its name in itself; English needs no catalogue."""

_NEAR = {"pt": "pt_BR", "zh_Hans": "zh_CN", "zh_SG": "zh_CN"}
"""Where there is no catalogue of its own: the one that its readers read best."""

_in_english: ContextVar[bool] = ContextVar("in_english", default=False)
_current: NullTranslations | None = None


def choose(languages: Sequence[str] | None = None) -> None:
    """Speak the first of ``languages`` that is known from now on; ``None`` follows the system.

    A language without a catalogue is passed over; where none is left, it is English.
    """
    global _current  # noqa: PLW0603 - a program speaks one language at a time
    wanted = list(languages) if languages is not None else _of_the_system()
    _current = NullTranslations()
    for name in (known for one in wanted if (known := _known(one))):
        with suppress(OSError), (places.resource("locale") / f"{name}.mo").open("rb") as file:
            _current = GNUTranslations(file)
        return


def _known(name: str) -> str:
    """The language of ours that serves "de_AT.UTF-8" or "pt-PT"; "" where there is none."""
    plain = name.partition(".")[0].partition("@")[0].replace("-", "_")
    whole, base = plain, plain.partition("_")[0]
    return next((n for n in (whole, _NEAR.get(whole), base, _NEAR.get(base)) if n in LANGUAGES), "")


def _of_the_system() -> list[str]:
    """Languages of the environment; on Windows, which sets none, those of its settings."""
    for variable in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        if value := os.environ.get(variable):
            return value.split(":")
    if os.name != "nt":
        return []
    import ctypes
    import locale

    number = ctypes.windll.kernel32.GetUserDefaultUILanguage()  # type: ignore[attr-defined,unused-ignore]
    return [locale.windows_locale.get(number, "en")]


@contextmanager
def english() -> Iterator[None]:
    """What is said in here, by this thread, is English."""
    token = _in_english.set(True)
    try:
        yield
    finally:
        _in_english.reset(token)


def translations() -> NullTranslations:
    """What is said in the language that is spoken now, in words of ours and of libraries."""
    if _in_english.get():
        return NullTranslations()
    if _current is None:
        choose()
    assert _current is not None
    return _current


def spoken() -> str:
    """The language spoken now, one of ``LANGUAGES``."""
    return _known(translations().info().get("language", "")) or "en"


def pgettext(key: str, text: str) -> str:
    """The text that stands under ``key``, in the language that is spoken now."""
    return translations().pgettext(key, text)
