"""Lists of folders, also the hostile ones that real machines have."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cudnn_assistant import envpath
from cudnn_assistant.machine import Family

FAMILIES: tuple[Family, ...] = ("windows", "linux")
families = st.sampled_from(FAMILIES)

_WINDOWS = ["C:\\a", "c:\\A\\", '"C:\\a;b"', "C:/a", "%X%\\bin", "", " ", ".", "D:\\ß", "\\\\s\\h"]
_LINUX = ["/a", "/a/", "//a/./", "/b c", "", ".", "rel", "/ünï", "/a;b", "~/x", "$HOME/x"]
_NEW = {"windows": ["C:\\New", "C:\\a", "E:\\x;y", "D:\\SS"], "linux": ["/new", "/a", "/b c"]}


@st.composite
def cases(draw: st.DrawFn) -> tuple[Family, str, str]:
    family = draw(families)
    windows = family == "windows"
    pool = st.sampled_from(_WINDOWS if windows else _LINUX) | st.text(max_size=6)
    entries = draw(st.lists(pool, max_size=12))
    text = envpath.separator(family).join(entries)
    return family, text, draw(st.sampled_from(_NEW[family]))


@given(families, st.text())
def test_splitting_loses_nothing(family: Family, text: str) -> None:
    assert envpath.join(envpath.split(text, family), family) == text


@given(cases())
def test_put_first_puts_first_and_touches_nothing_else(case: tuple[Family, str, str]) -> None:
    family, text, folder = case
    new = envpath.put_first(text, folder, family)
    entries = envpath.split(new, family)
    assert envpath.same_folder(entries[0], folder, family)
    rest = [e for e in envpath.split(text, family) if not envpath.same_folder(e, folder, family)]
    mine = [e for e in entries if not envpath.same_folder(e, folder, family)]
    assert mine == rest
    assert envpath.put_first(new, folder, family) == new


@given(cases())
def test_take_out_takes_out_and_touches_nothing_else(case: tuple[Family, str, str]) -> None:
    family, text, folder = case
    new = envpath.take_out(text, folder, family)
    entries = envpath.split(new, family)
    assert not any(envpath.same_folder(e, folder, family) for e in entries)
    if not any(envpath.same_folder(e, folder, family) for e in envpath.split(text, family)):
        assert new == text


@given(cases())
def test_taking_back_an_untouched_change_restores_every_byte(case: tuple[Family, str, str]) -> None:
    family, text, folder = case
    for change in (envpath.put_first, envpath.take_out):
        after = change(text, folder, family)
        assert envpath.take_back(text, after, after, family) == text


@given(cases(), st.data())
def test_taking_back_keeps_what_others_added(
    case: tuple[Family, str, str], data: st.DataObject
) -> None:
    family, text, folder = case
    after = envpath.put_first(text, folder, family)
    foreign = "C:\\foreign" if family == "windows" else "/foreign"
    entries = list(envpath.split(after, family))
    if family == "windows" and any(e.count('"') % 2 for e in entries):
        return  # an unclosed quote swallows whatever is put behind it
    entries.insert(data.draw(st.integers(0, len(entries))), foreign)
    back = envpath.split(
        envpath.take_back(text, after, envpath.join(entries, family), family), family
    )
    keys = [envpath.key(e, family) for e in back if e != foreign]
    assert foreign in back
    assert sorted(keys) == sorted(envpath.key(e, family) for e in envpath.split(text, family))


@pytest.mark.parametrize(
    ("before", "after", "now", "back"),
    [
        ("/a:/b", "/x:/a:/b", "/x:/a:/b:/mine", "/a:/b:/mine"),
        ("/a:/b", "/x:/a:/b", "/mine:/a:/x:/b", "/mine:/a:/b"),
        ("/a:/b:/c", "/a:/c", "/a:/mine:/c", "/a:/b:/mine:/c"),
        ("/a:/x:/b", "/x:/a:/b", "/x:/a:/b:/mine", "/a:/x:/b:/mine"),
        ("/b:/c", "/c", "/mine:/c", "/mine:/b:/c"),
        ("/a", "/x:/a", "/a", "/a"),
        ("", "/x", "/x:/mine", "/mine"),
        ("/b", "", "/mine", "/b:/mine"),
        ("/b:/c", "/c", "/c:/b:/mine", "/c:/b:/mine"),
        ("/a:/x:/b:/x", "/x:/a:/b", "/x:/a:/b:/mine", "/a:/x:/b:/x:/mine"),
        ("/a:/x:/b", "/x:/a:/b", "/a:/b", "/a:/b"),
    ],
)
def test_taking_back_after_somebody_elses_edit(
    before: str, after: str, now: str, back: str
) -> None:
    assert envpath.take_back(before, after, now, "linux") == back


def test_a_very_long_path_is_handled_in_good_time() -> None:
    text = ";".join(f"C:\\folder {n:05}\\bin" for n in range(2200))
    assert len(text) > 40_000
    after = envpath.put_first(text, "C:\\folder 01999\\BIN\\", "windows")
    assert len(envpath.split(after, "windows")) == 2200
    assert envpath.take_back(text, after, after + ";C:\\mine", "windows") == text + ";C:\\mine"


@pytest.mark.parametrize(
    ("a", "b", "family", "same"),
    [
        ("C:\\A\\", "c:/a", "windows", True),
        (' "C:\\A;B" ', "C:\\a;b", "windows", True),
        ("C:\\", "C:", "windows", False),
        ("C:\\Straße", "C:\\STRASSE", "windows", False),
        ("C:\\ÄÖ", "c:\\äö", "windows", True),
        ("C:\\a\\..\\b", "C:\\b", "windows", True),
        ("/a//b/./", "/a/b", "linux", True),
        ("/a/../b", "/b", "linux", False),
        ("/A", "/a", "linux", False),
        ("", ".", "linux", False),
    ],
)
def test_same_folder(a: str, b: str, family: Family, same: bool) -> None:
    assert envpath.same_folder(a, b, family) is same


def test_same_folder_through_a_variable() -> None:
    lookup = {"CUDA_PATH": "C:\\cuda"}.get
    assert envpath.same_folder("%CUDA_PATH%\\bin", "c:\\CUDA\\bin", "windows", lookup)
    assert not envpath.same_folder("%CUDA_PATH%\\bin", "c:\\CUDA\\bin", "windows")
    assert envpath.take_out("%CUDA_PATH%\\bin;C:\\x", "C:\\cuda\\bin", "windows", lookup) == "C:\\x"


@pytest.mark.parametrize(
    ("folder", "family", "fits"),
    [
        ("/opt/a", "linux", True),
        ("/opt/a:b", "linux", False),
        ("opt", "linux", False),
        ("", "linux", False),
        ("/a\nb", "linux", False),
        ("/a\udcff", "linux", False),
        ("C:\\a;b", "windows", True),
        ("C:\\100%", "windows", True),
        ("C:\\%TEMP%", "windows", False),
        ("\\a", "windows", False),
        ("C:a", "windows", False),
        ("\\\\server\\share\\a", "windows", True),
        ('C:\\"a"', "windows", False),
    ],
)
def test_fits(folder: str, family: Family, fits: bool) -> None:
    assert envpath.fits(folder, family) is fits
    if not fits:
        with pytest.raises(ValueError, match="can't stand"):
            envpath.put_first("", folder, family)


def test_a_semicolon_in_a_folder_is_quoted() -> None:
    for odd in ('"C:\\x"', " C:\\x"):
        assert envpath.put_first(f"{odd};D:\\y", "C:\\x", "windows") == "C:\\x;D:\\y"
    text = envpath.put_first("C:\\x", "C:\\a;b", "windows")
    assert text == '"C:\\a;b";C:\\x'
    assert envpath.split(text, "windows") == ('"C:\\a;b"', "C:\\x")


@pytest.mark.parametrize(
    ("text", "family", "expanded"),
    [
        ("%A%\\bin;%NONE%;%", "windows", "C:\\a\\bin;%NONE%;%"),
        ("$A/bin:${A}:$NONE.", "linux", "C:\\a/bin:C:\\a:."),
        ("/x${A:+:$A}", "linux", "/x:C:\\a"),
        ("/x${NONE:+:$NONE}${EMPTY:-d}${EMPTY-d}${EMPTY+w}", "linux", "/xdw"),
        ("$5 ${A", "linux", "$5 ${A"),
    ],
)
def test_expand(text: str, family: Family, expanded: str) -> None:
    known = {"A": "C:\\a", "EMPTY": ""}
    assert envpath.expand(text, known.get, family) == expanded


@pytest.mark.parametrize(("family", "folder"), [("linux", "/a"), ("windows", "C:\\a")])
def test_an_empty_entry_that_is_left_alone_stays(family: Family, folder: str) -> None:
    apart = envpath.separator(family)
    assert envpath.put_first(apart + folder, folder, family) == folder + apart


@pytest.mark.parametrize(
    ("path", "folder", "family", "expected"),
    [
        ("/home/kim/venv/lib/x.so", "/home/kim/venv", "linux", True),
        ("/home/kim/venv", "/home/kim/venv/", "linux", True),
        ("/home/kim/venv-cuda/lib/x.so", "/home/kim/venv", "linux", False),
        ("/home/Kim/venv/x.so", "/home/kim/venv", "linux", False),
        ("/usr/lib/x.so", "/", "linux", True),
        ("/usr/lib/x.so", "", "linux", False),
        ("c:/Venv/Lib/x.dll", "C:\\venv", "windows", True),
        ("C:\\venv-cuda\\x.dll", "C:\\venv", "windows", False),
        ("D:\\x.dll", "D:\\", "windows", True),
    ],
)
def test_inside_a_folder(path: str, folder: str, family: Family, expected: bool) -> None:
    assert envpath.inside(path, folder, family) is expected


@pytest.mark.parametrize(
    ("family", "name", "entries"),
    [
        # ld.so(8): "separated by colons or semicolons".
        ("linux", "LD_LIBRARY_PATH", ("/a", "/b", "", "/c d")),
        ("windows", "PATH", ("/a", "/b:", "/c d")),
    ],
)
def test_what_the_loader_reads(family: Family, name: str, entries: tuple[str, ...]) -> None:
    assert envpath.search_list({name: "/a;/b:;/c d"}, family) == (name, entries)
    lower = {name.lower(): "/a;/b:;/c d"}
    other = (name, ()) if family == "linux" else (name.lower(), entries)
    assert envpath.search_list(lower, family) == other
