"""PowerShell's grammar for tests: whether a line is one command whose words are all literal.

And what becomes of the words: how Windows PowerShell 5.1 and PowerShell 7.3 write a program's
command line, and how that program reads it.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Sequence

import tree_sitter
import tree_sitter_powershell

_PARSER = tree_sitter.Parser(tree_sitter.Language(tree_sitter_powershell.language()))
_LITERAL = {
    "program", "statement_list", "pipeline", "pipeline_chain", "command", "command_name",
    "command_elements", "command_argument_sep", "command_parameter", "generic_token",
    "command_invokation_operator", "command_name_expr", "string_literal",
    "verbatim_string_characters", "array_literal_expression", "unary_expression",
    "integer_literal", "decimal_integer_literal",
}  # fmt: skip
# '…' + [char]0x1b + [char]::ConvertFromUtf32(0x1f600): how a sign that can't be seen is written.
_SPELLED = re.compile(
    r"\('' \+ (?:'(?:[^']|'')*'|\[char](?:0x[0-9a-f]+|::ConvertFromUtf32\(0x[0-9a-f]+\)))"
    r"(?: \+ (?:'(?:[^']|'')*'|\[char](?:0x[0-9a-f]+|::ConvertFromUtf32\(0x[0-9a-f]+\))))*\)"
)
# One word to PowerShell ("--a=b"), which the grammar can't read.
_OPTION = re.compile(r"(?<=\s)--?[A-Za-z][\w-]*[=\\][\w.\\/:-]*")
# What stands in quotation marks without anything that PowerShell replaces in them.
_CMD = re.compile(r"(?<= )\"[\w ./\\:+-]*\"(?= |$)")


def _straight(line: str) -> str:
    """PowerShell takes typographic quotation marks for its own; the grammar doesn't."""
    return re.sub("[“”„]", '"', re.sub("[‘’‚‛]", "'", line))


def _nodes(node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    yield node
    for child in node.named_children:
        yield from _nodes(child)


def one_command(line: str) -> bool:
    """Whether PowerShell starts one thing with this line, and computes none of its words."""
    text = _SPELLED.sub("'x'", _straight(line))
    text = _OPTION.sub("x", _CMD.sub("'x'", text) if text.startswith("cmd /c call ") else text)
    tree = _PARSER.parse(text.encode()).root_node
    kinds = [node.type for node in _nodes(tree)]
    return not tree.has_error and kinds.count("command") == 1 and set(kinds) <= _LITERAL


def handed_on(words: Sequence[str], *, newer: bool = False) -> str:
    """The command line of a program that PowerShell starts with these words."""
    if newer:
        return subprocess.list2cmdline(words)
    return " ".join(f'"{word}"' if re.search(r"\s", word) else word for word in words)


def read_by_program(line: str) -> list[str]:
    """The words that a program of Windows makes of its command line (its C runtime does)."""
    words: list[str] = []
    word, inside, there = "", False, False
    for piece in re.findall(r'\\*"|\\+|.', line, re.DOTALL):
        if piece.endswith('"'):
            slashes = len(piece) - 1
            word += "\\" * (slashes // 2)
            if slashes % 2:
                word += '"'
            else:
                inside = not inside
            there = True
        elif piece in " \t" and not inside:
            words += [word] if there else []
            word, there = "", False
        else:
            word, there = word + piece, True
    return words + ([word] if there else [])
