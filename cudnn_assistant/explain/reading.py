"""Text out of whatever a log is stored in: encodings, colours, kernel prefixes, wrapped lines.

Everything here takes time and memory that grow linearly with the input. No input makes it raise.
"""

from __future__ import annotations

import codecs
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, islice
from typing import AnyStr

from cudnn_assistant.explain.versions import known

LONGEST_LINE = 4096
"""Characters of a line that are looked at; what follows in the line is passed over."""
_LONGEST_READ = 16 * LONGEST_LINE
"""Characters, or bytes, of a line that are read for that: colours and a prefix count there."""
_BLOCK = 1000
"""Lines that are kept together where each was looked at."""
_PIECE = 1 << 16
"""Characters, or bytes, of a text that are kept together otherwise, up to the next line's end."""

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)

_COLOUR = re.compile(
    r"\x1b(?:\[[0-9;?]{0,40}[ -/]{0,4}[@-~]|\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)?|[@-Z\\-_])"
)
_KERNEL = re.compile(
    r"^(?:<\d{1,3}>)?(?:\w{3} [ \d]\d [\d:]{8} \S{1,80} kernel: ?)?"
    r"(?:\[ {0,8}\d{1,9}\.\d{1,9}\] ?)?"
)
# Windows ends a line with \r\n; a progress bar overwrites its line with a bare \r.
# A nul stands between them where UTF-16 was appended to a file of bytes.
_END, _END_OF_BYTES = re.compile(r"\r\n?|\n"), re.compile(rb"\r\0?\n?|\n")
_NEVER_WRITTEN = bytes({*range(32), 127} - set(b"\b\t\n\f\r\x1b"))
"""Bytes that no text has in any code page."""
_WRITTEN = 0.95
"""Share of a text's bytes that are others. Of what has fewer only plain words are read."""
_PLAIN = re.compile(rb"[\t -~]{16,}|\r\n?|\n")
"""In what is no text: fewer letters in a row come about by chance, and chance names causes."""
_MAYBE_UTF_8 = re.compile(rb"[\xc2-\xf4][\x80-\xbf]")
_NVRM_NEXT = re.compile(r"^NVRM: {2,8}\S")


class Lines:
    """The lines of a log, kept in blocks of bytes: each as a text would take thrice the log.

    One block at a time is there as texts, so they are best asked for in a row.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        """``texts``: whole lines each, with an end between two of them."""
        # One after the other: blocks of their own would leave gaps as large as the log.
        self._data = bytearray()
        self._cuts = [0]
        counts = []
        for text in texts:
            self._data += text.encode("utf-8", "surrogatepass")
            self._cuts.append(len(self._data))
            counts.append(text.count("\n") + 1)
        self._ends = list(accumulate(counts))
        self._open: tuple[int, list[str]] = (-1, [])

    @property
    def blocks(self) -> int:
        """How many texts they are kept in."""
        return len(self._ends)

    def block(self, number: int) -> tuple[int, str]:
        """The index of a text's first line, and the text."""
        first = self._ends[number - 1] if number else 0
        told = self._data[self._cuts[number] : self._cuts[number + 1]]
        return first, told.decode("utf-8", "surrogatepass")

    def last_written(self, most: int) -> list[str]:
        """The last lines that hold anything, in their order."""
        found: list[str] = []
        for number in reversed(range(self.blocks)):
            _first, text = self.block(number)
            # Millions of empty lines are passed over together.
            rows = text.strip().split("\n")
            found += islice((row for row in reversed(rows) if row.strip()), most - len(found))
            if len(found) == most:
                break
        return found[::-1]

    def _rows(self, number: int) -> list[str]:
        if self._open[0] != number:
            self._open = (number, self.block(number)[1].split("\n"))
        return self._open[1]

    def _from(self, at: int) -> list[str]:
        """The lines from ``at`` to the end of its block."""
        number = bisect_right(self._ends, at)
        first = self._ends[number - 1] if number else 0
        return self._rows(number)[at - first :]

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def __iter__(self) -> Iterator[str]:
        for number in range(self.blocks):
            yield from self._rows(number)

    def __getitem__(self, at: slice) -> list[str]:
        start, stop, _step = at.indices(len(self))
        found: list[str] = []
        while start + len(found) < stop:
            found += self._from(start + len(found))[: stop - start - len(found)]
        return found


def lines_of(text: str | bytes) -> Lines:
    """The lines as a person sees them: no colours, no kernel prefix, wrapped NVRM lines joined.

    There are as many as the text has lines, so that an index tells the line's number; a
    line that was joined to the one before is "" here. Besides the text they take as much memory
    as it does.
    """
    given = _read(text) if isinstance(text, bytes) else text
    texts = _decoded(given) if isinstance(given, bytes) else map(_ended, _pieces(given, _END))
    if not _of_kernel(given):
        return Lines(map(_plain, texts))
    return Lines(_together(_joined(row for piece in texts for row in _uncoloured(piece))))


def text_of(data: bytes) -> str:
    """The whole text of a file, in whatever encoding a shell or an editor has left it."""
    given = _read(data)
    return given if isinstance(given, str) else "\n".join(_decoded(given))


def _ended(text: str) -> str:
    """With the same end after every line, save the last."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _uncoloured(text: str) -> Iterator[str]:
    rows = (row[:_LONGEST_READ] for row in text.split("\n"))
    return (_COLOUR.sub("", row) for row in rows) if "\x1b" in text else rows


def _plain(text: str) -> str:
    """Without colours and what is too long: most texts as they are, and line by line the others."""
    if "\x1b" not in text and not _has_long_line(text):
        return text
    return "\n".join(row[:LONGEST_LINE] for row in _uncoloured(text))


def _has_long_line(text: str) -> bool:
    at = 0
    while len(text) - at > LONGEST_LINE:
        at = text.rfind("\n", at, at + LONGEST_LINE + 1) + 1
        if not at:
            return True
    return False


def _together(rows: Iterator[str]) -> Iterator[str]:
    while some := list(islice(rows, _BLOCK)):
        yield "\n".join(some)


def _of_kernel(text: str | bytes) -> bool:
    if isinstance(text, bytes):
        # With nuls it may be there in UTF-16.
        return 0 in text or b"NVRM" in text or b"kernel:" in text
    return "NVRM" in text or "kernel:" in text


def _read(data: bytes) -> str | bytes:
    """The text of a file in UTF-16 or UTF-32; one of bytes as it is: see :func:`_decoded`."""
    for mark, name in _BOMS:
        if data.startswith(mark):
            return data.decode(name, "replace")
    nuls = data[:65536].count(0)
    if nuls * 4 > len(data[:65536]) > 1:
        return data.decode("utf-16-be" if data[0] == 0 else "utf-16-le", "replace")
    return data


def _pieces(text: AnyStr, ends: re.Pattern[AnyStr]) -> Iterator[AnyStr]:
    """The text in pieces of whole lines, so that most of the work is done for many at once."""
    start = 0
    while end := ends.search(text, start + _PIECE):
        yield text[start : end.start()]
        start = end.end()
    yield text[start:]


def _pieces_of_bytes(data: bytes) -> Iterator[bytes]:
    # A shell that appends UTF-16 to a file of bytes leaves a nul beside each letter.
    return (piece.replace(b"\0", b"") for piece in _pieces(data, _END_OF_BYTES))


def _decoded(data: bytes) -> Iterator[str]:
    """The lines of bytes in UTF-8 or a Windows code page, also mixed, in pieces.

    A byte that no guess can read becomes U+FFFD.
    """
    page = ""
    for piece in _pieces_of_bytes(data):
        try:
            text = piece.decode("utf-8")
        except UnicodeDecodeError:
            page = page or _code_page(data)
            text = _foreign(piece, page)
        yield _ended(text)


def _foreign(piece: bytes, page: str) -> str:
    """What isn't UTF-8 as a whole."""
    if len(piece.translate(None, _NEVER_WRITTEN)) < len(piece) * _WRITTEN:
        return b"".join(_PLAIN.findall(piece)).decode("ascii")
    if not _MAYBE_UTF_8.search(piece):
        return piece.decode(page, "replace")
    return "\n".join(_row(raw, page) for raw in _END_OF_BYTES.split(piece))


def _row(raw: bytes, page: str) -> str:
    cut = raw[:_LONGEST_READ]
    try:
        # What was cut may end within a letter.
        return codecs.utf_8_decode(cut, "strict", len(cut) < _LONGEST_READ)[0]
    except UnicodeDecodeError:
        return cut.decode(page, "replace")


def _code_page(data: bytes) -> str:
    """The code page under which the foreign lines look most like a translated message."""
    sample = _foreign_sample(data)

    def likeness(page: tuple[str, Sequence[str]]) -> int:
        text = sample.decode(page[0], "replace")
        return sum(text.count(part) * len(part) ** 2 for part in page[1])

    return max(known().code_pages, key=likeness)[0]


def _foreign_sample(data: bytes, size: int = 65536) -> bytes:
    found: list[bytes] = []
    rows = (row for piece in _pieces_of_bytes(data) for row in _END_OF_BYTES.split(piece))
    for raw in rows:
        try:
            raw.decode("utf-8")
        except UnicodeDecodeError:
            found.append(raw[:LONGEST_LINE])
            size -= len(raw)
            if size < 0:
                break
    return b"\n".join(found)


def _joined(lines: Iterable[str]) -> Iterator[str]:
    """The same lines; what was wrapped stands in its first one, and "" in place of the rest."""
    head, more = "", 0
    for line in lines:
        bare = line[:LONGEST_LINE]
        if bare.startswith(("<", "[")) or "kernel:" in bare:
            bare = _KERNEL.sub("", bare, count=1)
        if head and _NVRM_NEXT.match(bare) and len(head) < LONGEST_LINE:
            head += " " + bare.removeprefix("NVRM:").strip()
            more += 1
            continue
        if head:
            yield from (head, *[""] * more)
        head, more = (bare, 0) if bare.startswith("NVRM:") else ("", 0)
        if not head:
            yield bare
    if head:
        yield from (head, *[""] * more)
