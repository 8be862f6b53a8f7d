"""Text out of whatever a log is stored in: encodings, colours, kernel prefixes, wrapped lines.

Everything here takes time and memory that grow linearly with the input. No input makes it raise.
"""

from __future__ import annotations

import codecs
import re

LONGEST_LINE = 4096
"""Characters of a line that are looked at; what follows in the line is passed over."""

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
_NVRM_NEXT = re.compile(r"^NVRM: {2,8}\S")


def decoded(data: bytes) -> str:
    """The text of a file in UTF-8, UTF-16, UTF-32 or a Windows code page, also mixed.

    A byte that no guess can read becomes U+FFFD.
    """
    for mark, name in _BOMS:
        if data.startswith(mark):
            return data.decode(name, "replace")
    nuls = data[:65536].count(0)
    if nuls * 4 > len(data[:65536]) > 1:
        return data.decode("utf-16-be" if data[0] == 0 else "utf-16-le", "replace")
    # A shell that appends UTF-16 to a file of bytes leaves a nul beside each letter.
    data = data.replace(b"\0", b"") if 0 in data else data
    return "\n".join(_decoded_lines(data))


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
    for raw in data.split(b"\n"):
        try:
            raw.decode("utf-8")
        except UnicodeDecodeError:
            found.append(raw[:LONGEST_LINE])
            size -= len(raw)
            if size < 0:
                break
    return b"\n".join(found)


def lines_of(text: str | bytes) -> list[str]:
    """The lines as a person sees them: no colours, no kernel prefix, wrapped NVRM lines joined.

    The list is as long as the text has lines, so that an index tells the line's number; a
    line that was joined to the one before is "" here.
    """
    lines = _split(text)
    kernel = any("NVRM" in line or "kernel:" in line for line in lines)
    return _joined(lines) if kernel else [line[:LONGEST_LINE] for line in lines]


def _split(text: str | bytes) -> list[str]:
    """The lines, without colours. A log may be large, so bytes are decoded line by line."""
    if isinstance(text, bytes) and (text.startswith(tuple(m for m, _n in _BOMS)) or 0 in text):
        text = decoded(text)
    rows = text.split("\n") if isinstance(text, str) else _decoded_lines(text)
    # Windows ends a line with \r\n; a progress bar overwrites its line with a bare \r.
    if any("\r" in row for row in rows):
        rows = "\n".join(rows).replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return [_COLOUR.sub("", row) if "\x1b" in row else row for row in rows]


def _decoded_lines(data: bytes) -> list[str]:
    waiting = data.split(b"\n")
    waiting.reverse()
    lines: list[str] = []
    page = ""
    while waiting:
        raw = waiting.pop()
        try:
            lines.append(raw.decode("utf-8"))
        except UnicodeDecodeError:
            page = page or _code_page(data)
            lines.append(raw.decode(page, "replace"))
    return lines


def _joined(lines: list[str]) -> list[str]:
    """The same list, changed in place: a log may be large."""
    head = -1
    for at, line in enumerate(lines):
        bare = line[:LONGEST_LINE]
        if bare.startswith(("<", "[")) or "kernel:" in bare:
            bare = _KERNEL.sub("", bare, count=1)
        if head >= 0 and _NVRM_NEXT.match(bare) and len(lines[head]) < LONGEST_LINE:
            lines[head] += " " + bare.removeprefix("NVRM:").strip()
            lines[at] = ""
            continue
        head = at if bare.startswith("NVRM:") else -1
        lines[at] = bare
    return lines
