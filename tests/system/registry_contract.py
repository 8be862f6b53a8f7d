"""What every registry does: held against the stand-in here and the real one under Wine.

Plain functions without pytest, so that a bare Windows Python can run them too. Each gets a
registry whose "user" scope is an empty key that may be written.
"""

from __future__ import annotations

from cudnn_assistant.system.windows_registry import EXPAND, TEXT, Stored, WindowsRegistry


def one(registry: WindowsRegistry, name: str) -> Stored | None:
    return next((s for s in registry.values("user") if s.name.upper() == name.upper()), None)


def starts_empty(registry: WindowsRegistry) -> None:
    assert registry.values("user") == ()


def keeps_text_and_kind(registry: WindowsRegistry) -> None:
    registry.set("user", "Plain", r"C:\a;%X%\b", TEXT)
    registry.set("user", "Expanding", r"%USERPROFILE%\b", EXPAND)
    assert one(registry, "Plain") == Stored("Plain", r"C:\a;%X%\b", TEXT)
    assert one(registry, "Expanding") == Stored("Expanding", r"%USERPROFILE%\b", EXPAND)


def changes_the_kind_when_told(registry: WindowsRegistry) -> None:
    registry.set("user", "A", "x", TEXT)
    registry.set("user", "A", "x", EXPAND)
    assert one(registry, "A") == Stored("A", "x", EXPAND)


def names_ignore_case_and_keep_their_spelling(registry: WindowsRegistry) -> None:
    registry.set("user", "pAtH", "1", TEXT)
    registry.set("user", "PATH", "2", TEXT)
    assert registry.values("user") == (Stored("pAtH", "2", TEXT),)
    registry.delete("user", "Path")
    assert registry.values("user") == ()


def an_empty_text_is_a_value(registry: WindowsRegistry) -> None:
    registry.set("user", "Empty", "", TEXT)
    stored = one(registry, "Empty")
    assert stored is not None
    assert (stored.data or "", stored.kind) == ("", TEXT)


def long_and_foreign_texts_survive(registry: WindowsRegistry) -> None:
    for text in ("x" * 32_767, "ünï \U0001f600 ;;\";'", " leading and trailing ", "a\nb\tc"):
        registry.set("user", "T", text, EXPAND)
        stored = one(registry, "T")
        assert stored is not None
        assert stored.data == text


def deleting_what_is_not_there_says_so(registry: WindowsRegistry) -> None:
    try:
        registry.delete("user", "None")
    except FileNotFoundError:
        return
    raise AssertionError("nothing was raised")


CONTRACT = (
    starts_empty,
    keeps_text_and_kind,
    changes_the_kind_when_told,
    names_ignore_case_and_keep_their_spelling,
    an_empty_text_is_a_value,
    long_and_foreign_texts_survive,
    deleting_what_is_not_there_says_so,
)
