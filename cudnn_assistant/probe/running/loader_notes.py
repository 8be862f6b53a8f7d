"""What the loader of Linux says of its work (ld.so(8), LD_DEBUG), taken out of standard error.

It goes to standard error and not into a file of its own: a program that closes what it inherited
would write its next file over that one (measured). Only for who asks for it, since a program that
reads another's standard error finds the loader's lines there.
"""

from __future__ import annotations

import re

from cudnn_assistant.child.mapped import interesting

VARIABLES = {"LD_DEBUG": "files"}
"""What has the loader speak."""

_LINE = re.compile(rb" {0,9}\d+:\t[^\n]*\n")
_BEGUN = re.compile(rb" {0,9}\d+:\t[^\n]*\Z")
_OPENED = re.compile(r"\tcalling init: (/.*)$")
_REFUSED = re.compile(r"\t(.+): error: ((?:(?:symbol|version) lookup )?error: .+|.+) \(fatal\)$")
_NAME = re.compile(r"[^\s/()]+\.so[^\s/()]*")


def refusals(output: str) -> list[str]:
    """What the loader said of files of CUDA and cuDNN that it could not use, as dlopen says it."""
    notes = LoaderNotes()
    notes.sift(output.encode())
    return [re.sub(r"\w+ lookup error: |[^\s(]*/", "", text) for text in notes.refusals]


class LoaderNotes:
    """Sifts a stream: the program's own bytes pass, the loader's lines are read."""

    def __init__(self) -> None:
        self.files: dict[str, None] = {}
        """CUDA's and cuDNN's files that were opened, in order."""
        self.refusals: dict[str, None] = {}
        """What the loader said of those that it could not use."""
        self._rest = b""

    def sift(self, piece: bytes) -> bytes:
        """What of a piece is the program's own; an unfinished line of the loader's is kept."""
        whole = self._rest + piece
        for line in _LINE.findall(whole):
            self._read(line.decode("utf-8", "surrogateescape").rstrip("\n"))
        own = _LINE.sub(b"", whole)
        begun = _BEGUN.search(own)
        self._rest = begun[0] if begun else b""
        return own[: begun.start()] if begun else own

    def _read(self, line: str) -> None:
        if opened := _OPENED.search(line):
            self.files.update(dict.fromkeys(interesting([opened[1]])))
        elif (refused := _REFUSED.search(line)) and interesting(_NAME.findall(line)):
            self.refusals[f"{refused[1]}: {refused[2]}"] = None
