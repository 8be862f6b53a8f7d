"""Text out of whatever a log is stored in: encodings, colours, kernel prefixes, wrapped lines.

Everything here takes time and memory that grow linearly with the input. No input makes it raise.
"""

from __future__ import annotations

import codecs
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, islice
from typing import AnyStr, overload

LONGEST_LINE = 4096
"""Characters of a line that are looked at; what follows in the line is passed over."""
_LONGEST_READ = 16 * LONGEST_LINE
"""Characters, or bytes, of a line that are read for that: colours and a prefix count there."""
_BLOCK = 4000
"""Lines that are kept together."""
_PIECE = 1 << 18
"""Characters, or bytes, of a text that are cut into lines together, up to the next line's end."""

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)

_WESTERN = (
    *("für", "könn", "möglich", "ungült", "größ", "verfüg", "spécifi", "bibliothè", "mémoire"),
    *("módulo", "función", "não", "però"),
)
_CYRILLIC = ("найд", "модул", "файл", "ошиб", "указан", "памят", "подкач", "удалось")
# Code pages of Windows and of its console, each with parts of words that its translation of
# "The specified module could not be found" and other common messages contains. The first is
# what is taken when nothing is recognised. (charset_normalizer reads 9 of 14 such lines, as the
# rest of a log is plain English; these words read 13.)
_CODE_PAGES = (
    ("cp1252", _WESTERN),
    ("cp850", _WESTERN),
    ("cp1251", _CYRILLIC),
    ("cp866", _CYRILLIC),
    ("cp1250", ("można", "modułu", "określ", "pamięc", "błąd", "nelze", "zadan", "paměť")),
    ("gbk", ("找不到", "模块", "指定", "错误", "文件")),
    ("big5", ("找不到", "模組", "指定", "錯誤", "檔案")),
    ("cp932", ("指定され", "モジュール", "見つかり", "エラー", "ファイル")),
    ("cp949", ("지정된", "모듈", "찾을", "오류", "파일")),
    ("cp1254", ("belirtilen", "modül", "bulunam", "bellek", "için")),
)

_COLOUR = re.compile(
    r"\x1b(?:\[[0-9;?]{0,40}[ -/]{0,4}[@-~]|\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)?|[@-Z\\-_])"
)
_KERNEL = re.compile(
    r"^(?:<\d{1,3}>)?(?:\w{3} [ \d]\d [\d:]{8} \S{1,80} kernel: ?)?"
    r"(?:\[ {0,8}\d{1,9}\.\d{1,9}\] ?)?"
)
# Windows ends a line with \r\n; a progress bar overwrites its line with a bare \r.
_END, _END_OF_BYTES = re.compile(r"\r\n?|\n"), re.compile(rb"\r\n?|\n")
_NVRM_NEXT = re.compile(r"^NVRM: {2,8}\S")


class Lines(Sequence[str]):
    """The lines of a log, kept in blocks of bytes: each as a text would take thrice the log.

    One block at a time is there as texts, so they are best asked for in a row.
    """

    def __init__(self, lines: Iterable[str]) -> None:
        self._blocks: list[bytes] = []
        counts = []
        rest = iter(lines)
        while some := list(islice(rest, _BLOCK)):
            self._blocks.append("\n".join(some).encode("utf-8", "surrogatepass"))
            counts.append(len(some))
        self._ends = list(accumulate(counts))
        self._open: tuple[int, list[str]] = (-1, [])

    def _block(self, number: int) -> list[str]:
        if self._open[0] != number:
            text = self._blocks[number].decode("utf-8", "surrogatepass")
            self._open = (number, text.split("\n"))
        return self._open[1]

    def _from(self, at: int) -> list[str]:
        """The lines from ``at`` to the end of its block."""
        number = bisect_right(self._ends, at)
        first = self._ends[number - 1] if number else 0
        return self._block(number)[at - first :]

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def __iter__(self) -> Iterator[str]:
        for number in range(len(self._blocks)):
            yield from self._block(number)

    def __reversed__(self) -> Iterator[str]:
        for number in reversed(range(len(self._blocks))):
            yield from reversed(self._block(number))

    @overload
    def __getitem__(self, at: int) -> str: ...

    @overload
    def __getitem__(self, at: slice) -> list[str]: ...

    def __getitem__(self, at: int | slice) -> str | list[str]:
        if isinstance(at, int):
            return self[at : at + 1][0]
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
    rows = _decoded(given) if isinstance(given, bytes) else _rows(given, _END)
    plain = (_COLOUR.sub("", row) if "\x1b" in row else row for row in rows)
    return Lines(_joined(plain) if _of_kernel(given) else (row[:LONGEST_LINE] for row in plain))


def _of_kernel(text: str | bytes) -> bool:
    if isinstance(text, bytes):
        return b"NVRM" in text or b"kernel:" in text
    return "NVRM" in text or "kernel:" in text


def _read(data: bytes) -> str | bytes:
    """The text of a file in UTF-16 or UTF-32; one of bytes as it is: see :func:`_decoded`."""
    for mark, name in _BOMS:
        if data.startswith(mark):
            return data.decode(name, "replace")
    nuls = data[:65536].count(0)
    if nuls * 4 > len(data[:65536]) > 1:
        return data.decode("utf-16-be" if data[0] == 0 else "utf-16-le", "replace")
    # A shell that appends UTF-16 to a file of bytes leaves a nul beside each letter.
    return data.replace(b"\0", b"") if 0 in data else data


def _pieces(text: AnyStr, ends: re.Pattern[AnyStr]) -> Iterator[AnyStr]:
    """The text in pieces of whole lines, so that most of the work is done for many at once."""
    start = 0
    while end := ends.search(text, start + _PIECE):
        yield text[start : end.start()]
        start = end.end()
    yield text[start:]


def _rows(text: AnyStr, ends: re.Pattern[AnyStr]) -> Iterator[AnyStr]:
    """The lines one after the other, each up to what is read of it."""
    for piece in _pieces(text, ends):
        yield from (row[:_LONGEST_READ] for row in ends.split(piece))


def _decoded(data: bytes) -> Iterator[str]:
    """The lines of bytes in UTF-8 or a Windows code page, also mixed.

    A byte that no guess can read becomes U+FFFD.
    """
    page = ""
    for piece in _pieces(data, _END_OF_BYTES):
        try:
            text = piece.decode("utf-8")
        except UnicodeDecodeError:
            page = page or _code_page(data)
            yield from (_row(raw, page) for raw in _END_OF_BYTES.split(piece))
        else:
            yield from (row[:_LONGEST_READ] for row in _END.split(text))


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
    best, most = "cp1252", 0
    for name, words in _CODE_PAGES:
        text = sample.decode(name, "replace")
        found = sum(text.count(part) * len(part) ** 2 for part in words)
        if found > most:
            best, most = name, found
    return best


def _foreign_sample(data: bytes, size: int = 65536) -> bytes:
    found: list[bytes] = []
    for raw in _rows(data, _END_OF_BYTES):
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
