"""Paths in a report: what every computer has is kept, what one person made is marked."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from cudnn_assistant import places
from cudnn_assistant.envpath import separator
from cudnn_assistant.machine import SYSTEM, Family
from cudnn_assistant.report.marks import HIDDEN, MARK, Marks

HOMES = re.compile(
    r"(?P<root>/(?:var/)?home/|/Users/|/mnt/[a-z]/Users/|/(?:run/)?media/"
    r"|(?<![\w/\\~])~(?=[A-Za-z][\w.-]*/)|(?<![\w:/\\.%}-])\\Users\\|/var/(?:spool/)?mail/"
    r"|[A-Za-z]:[\\/]+(?:Users|Documents and Settings|Windows[\\/]+ServiceProfiles)[\\/]+)"
    r"(?P<name>[^\\/:;\"'<>|*?\n\t]+)",
    re.IGNORECASE,
)
"""A home folder and whose it is, anywhere in a text."""

_SHARED = {
    "public", "default", "all users", "default user", "linuxbrew", "defaultapppool",
    "localservice", "networkservice",
}  # fmt: skip
_STANDARD = re.compile(
    r"(?!/(?:run/(?:media|user)|usr/local)/)(?:/(?:usr|lib|lib32|lib64|etc|proc|sys|dev|run|boot|bin|sbin|nix|gnu|pytorch)"
    r"|/mnt/[a-z]/(?:Windows|Program Files(?: \(x86\))?)"
    r"|HK(?:LM|CU|U|CR|EY_\w+)"
    r"|%(?:SystemRoot|windir|(?:Common)?Program(?:Files(?:\(x86\))?|W6432|Data))%"
    r"|(?:\\\\\?\\)?[A-Za-z]:[\\/]+"
    r"(?:Windows|Program Files(?: \(x86\))?|Progra~[12]"
    r"|ProgramData(?=[\\/]+(?:NVIDIA|Microsoft|Anaconda|Miniconda|Package)|[\\/]*$)))(?=[\\/]|$)",
    re.IGNORECASE,
)
"""Roots whose folders are made by installers, not by people. /opt and below are products."""

_SHAPE = re.compile(
    r"""(?ix)
    \.{1,2} | \? | ~ | \$\{?\w+\}? | %\w+(?:\(x86\))?% | [a-z]:? | \*{3}
    | \.?v?env\d* | (?:mini|ana)?conda\d* | miniforge\d*
    | Python[\d.\-]* | PythonSoftwareFoundation\.Python\.\d\.\d+_\w{13} | python[\d.]*\.exe
    | py(?:thon)?-?\d+(?:\.\d+)* | cpython-\d[\w.+-]*
    | cuda_\w+ | cu1[1-9] | CUDA\w* | bin\w* | cuDNN[ ]Assistant | cudnn-assistant
    | (?:nvidia[-_ ]?)?(?:cuda|cudnn|tensorrt)
      (?:[-_ ](?:toolkit|linux|windows|archive|cuda|x86_64|local))*[-_ ]?v?\d*(?:\.\d+)*
      (?:[-_]cuda\d+(?:\.\d+)*)?(?:[-_]archive)?
    | v?\d+(?:\.\d+){0,2}
    | v?(?:9\.(?:\d|[1-4]\d)|[4-8]\.\d{1,2})\.\d{1,2}\.\d{1,3}
    | \w{1,3}linux(?:1|20)\w*
    | lib[\w+-]+\.so[\d.]* | [\w.+-]+\.(?:dll|pyd|exe) | cudnn\w*\.h | gsp_\w+\.bin
    | version\.(?:json|txt|py)
    | \.(?:bashrc|zshrc|zshenv|zprofile|profile|bash_profile|bash_login)(?::\d+)?
    | (?:environment|config|profile)\.(?:sh|fish|d|conf)(?::\d+)?
    | [\w.]+-[\d.\w+]+\.dist-info | (?:user|folder|share|host)-ü?\d+ | _MEI\w+
    | (?:libcu\w+|cudnn|cuda)[\w.-]*(?:archive)?
    """
)
"""Forms of names of folders and files that mean the same on every computer."""

_LONGEST = 255
"""Characters of the name of a file or folder, on every system."""

_QUOTED = re.compile(r"([\"'])((?:[A-Za-z]:[\\/]|\\\\|~?/)[^\"'\n<>|]*)(?=\1)")
_WITHIN = {
    # On Windows a folder's name may hold spaces: what comes before another backslash belongs to it.
    "windows": re.compile(
        r"(?<![\w/\\.-])"
        r"(?:[A-Za-z]:[\\/](?i:Program Files(?: \(x86\))?)?|\\\\|(?<!:)//(?=\w)"
        r"|/(?=[\w.-]+/)|~[\\/]|%\w+%[\\/]|\.{1,2}[\\/]|\.{3}(?=[\w-]+[\\/]))"
        r"[^\s\"'<>|*;,\[\]]*(?:(?: [^\s\"'<>|*;,:\\\[\]]+){1,4}[\\][^\s\"'<>|*;,\[\]]*)*"
    ),
    "linux": re.compile(
        r"(?<![\w/\\.<*-])(?:(?<!:)//(?=\w[\w.-]*/\w)|/(?=[\w.])(?!(?:physical_)?device:|job:)"
        r"|~/|\$\{?\w+\}?/|\.{1,2}/|\.{3}(?=[\w-]+/)"
        r"|[A-Za-z]:\\(?i:Program Files(?: \(x86\))?)?|\\\\(?=\w))"
        r"[^\s\"'<>|*?;()\[\]]*"
    ),
}
"""Paths in a sentence."""
_WHOLE = re.compile(r"^[\"\s]*(?:[A-Za-z]:[\\/]|\\\\|/|~/|%\w+%[\\/]|\$\w+/)[^\n<>|]*$")
_SENTENCE = re.compile(r"\s(?:is|was|not|can't|cannot|from|to|in|because|wurde|refused)\s|: ")
_SHARE = re.compile(
    r"(?:\\\\\?\\UNC\\|\\\\(?![?.])|//(?!(?:usr|lib\w*|opt|home|etc|var|mnt|tmp)/))"
    r"(?:(?P<given>share-ü?\d+)(?=[\\/]|$)|(?P<name>[^\\/]+[\\/]+[^\\/]+))"
)
"""A server and its share, or the mark that stands for both."""
_NO_PATH = re.compile(r"/(?:physical_)?device:|/job:")
"""TensorFlow names devices as if they were files: /device:GPU:0."""
_PIPE = re.compile(r"(\\\\\.\\pipe\\)[^\\\s\"']+")


class Paths:
    """Cleans the paths of one report."""

    def __init__(self, marks: Marks, family: Family, home: str = "") -> None:
        self._marks = marks
        self._family = family
        self._separator = separator(family)
        # A home that no pattern knows: of a service, on another disk.
        unusual = len(home) > 2 and home not in ("/root", "/") and not HOMES.fullmatch(home)
        self._home = home if unusual else ""

    def people(self, texts: Iterable[str]) -> set[str]:
        """Whose home folders these texts name."""
        found = {match["name"].strip() for text in texts for match in HOMES.finditer(text)}
        return {name for name in found if name.casefold() not in _SHARED and not _mark(name)}

    def clean(self, path: str) -> str:
        """One path, or a list of them, with the names that people gave marked."""
        if path == SYSTEM:
            return path
        pieces = path.split(self._separator) if self._is_list(path) else [path]
        if len(pieces) > 1:
            pieces = [self._relative(piece) for piece in pieces]
        return self._separator.join(map(self._one, pieces))

    def _relative(self, piece: str) -> str:
        """In a list a bare name is a folder, too."""
        bare = bool(piece) and not re.search(r"[\\/]", piece) and not known_name(piece)
        return self._marks.mark("folder", piece) if bare else piece

    def homes(self, text: str) -> str:
        """``text`` with the owner of every home folder marked, the rest as it is."""
        if self._home and self._home in text:
            text = text.replace(self._home, "/home/" + self._marks.mark("user", self._home))
        return HOMES.sub(lambda match: match["root"] + self._owner(match["name"]), text)

    def within(self, text: str) -> str:
        """``text`` with every path in it cleaned; one that is a path from end to end as a whole."""
        text = _PIPE.sub(rf"\1{HIDDEN}", text)
        if _WHOLE.match(text) and not _SENTENCE.search(text):
            return self.clean(text)
        text = _QUOTED.sub(lambda match: match[1] + self.clean(match[2]), text)
        text = self.homes(text)
        return _WITHIN[self._family].sub(lambda match: self.clean(match[0]), text)

    def _is_list(self, text: str) -> bool:
        if self._separator == ";":
            return ";" in text
        return ":" in text and not re.search(r"^[A-Za-z]:[\\/]|:\d+$|://", text)

    def _one(self, path: str) -> str:
        if _NO_PATH.match(path):
            return path
        share = _SHARE.match(path)
        if share:
            name = share["name"] and self._marks.mark("share", share["name"].replace("/", "\\"))
            return f"\\\\{name or share['given']}{self._rest(path[share.end() :])}"
        path = self.homes(path)
        if _STANDARD.match(path.lstrip('" ')) or not re.search(r"[\\/]", path):
            return path
        return self._rest(path)

    def _rest(self, path: str) -> str:
        """Every component that isn't known on other computers too becomes a mark."""
        # Below site-packages lie names of published packages.
        below = re.search(r"[\\/](?:site|dist)-packages(?=[\\/])", path)
        end = below.start() if below else len(path)
        told = (
            piece
            if number % 2 or not piece or known_name(piece.strip('" :)'))
            else self._marks.mark("folder", piece)
            for number, piece in enumerate(re.split(r"([\\/]+)", path[:end]))
        )
        return "".join(told) + path[end:]

    def _owner(self, name: str) -> str:
        if name.casefold() in _SHARED or _mark(name):
            return name
        return self._marks.mark("user", name.strip())


@cache
def _folders() -> frozenset[str]:
    """Names of folders that programs and systems make, in small letters."""
    return frozenset(places.resource("errors/known_folders.txt").read_text("utf-8").split())


def known_name(name: str) -> bool:
    """Whether folders and files have this name on every computer."""
    return len(name) <= _LONGEST and (
        name.casefold().removeprefix(".") in _folders() or _SHAPE.fullmatch(name) is not None
    )


def _mark(name: str) -> bool:
    return MARK.fullmatch(name) is not None
