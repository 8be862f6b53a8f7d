"""Linux' adapter on forged homes, with the real shells."""

from __future__ import annotations

import os
import subprocess
import textwrap
from pathlib import Path

import msgspec
import needs
import pytest

from cudnn_assistant.machine import Value
from cudnn_assistant.system import linux
from cudnn_assistant.trouble import Refused

CLEAN = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home of ünï 'quote'"
    folder.mkdir()
    return folder


def system(home: Path, shell: str = "/bin/bash", **environment: str) -> linux.Linux:
    return linux.Linux(
        {**CLEAN, "HOME": str(home), "SHELL": shell, **environment},
        home=str(home),
        config=str(home / ".config" / "cudnn-assistant"),
        etc=str(home / "no-etc"),
    )


def snapshot(home: Path) -> dict[str, tuple[str, bytes, int]]:
    """Every file and link under ``home`` with its content and mode."""
    found = {}
    for path in sorted(home.rglob("*")):
        if path.is_symlink():
            found[str(path)] = ("link", os.readlink(path).encode(), 0)
        elif path.is_file():
            found[str(path)] = ("file", path.read_bytes(), path.stat().st_mode)
    return found


def ask(home: Path, *command: str, script: str, **environment: str) -> str:
    """What a shell that is really started prints."""
    needs.require(command[0])
    done = subprocess.run(
        [*command, script],
        env={**CLEAN, "HOME": str(home), "TERM": "dumb", **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=30,
        cwd=home,
    )
    return done.stdout.strip().splitlines()[-1] if done.stdout.strip() else done.stderr


PRINT = 'printf "%s\\n" "$LD_LIBRARY_PATH|$CUDA_PATH"'
SHELLS = [
    pytest.param(("bash", "-ic"), id="bash-interactive"),
    pytest.param(("bash", "-lc"), id="bash-login"),
    pytest.param(("zsh", "-c"), id="zsh"),
    pytest.param(("zsh", "-ic"), id="zsh-interactive"),
    pytest.param(("zsh", "-lc"), id="zsh-login"),
    pytest.param(("fish", "-c"), id="fish"),
    pytest.param(("sh", "-lc"), id="sh-login"),
]
ODD = '/opt/my cudnn\'s $HOME `x` "q" [a]*\\n/lib'


def with_all_shells(home: Path) -> None:
    (home / ".bashrc").write_text("# mine\n")
    (home / ".zshrc").write_text("# mine\n")
    (home / ".config" / "fish").mkdir(parents=True)


@pytest.mark.parametrize("shell", SHELLS)
def test_a_new_shell_sees_the_change(home: Path, shell: tuple[str, str]) -> None:
    with_all_shells(home)
    there = system(home)
    there.write("user", "LD_LIBRARY_PATH", Value(text=f"{ODD}:/opt/b"))
    there.write("user", "CUDA_PATH", Value(text=ODD))
    assert ask(home, *shell, script=PRINT) == f"{ODD}:/opt/b|{ODD}"


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "/opt/a:/opt/b"),
        ("/usr/x", "/opt/a:/opt/b:/usr/x"),
        ("/usr/x:/opt/b:/usr/y", "/opt/a:/opt/b:/usr/x:/usr/y"),
        ("/opt/b:/opt/a", "/opt/a:/opt/b"),
        ("/opt/a:/opt/b:/z", "/opt/a:/opt/b:/z"),
    ],
)
def test_the_persons_entries_follow(
    home: Path, shell: tuple[str, str], before: str, after: str
) -> None:
    with_all_shells(home)
    there = system(home, LD_LIBRARY_PATH=before)
    there.write("user", "LD_LIBRARY_PATH", Value(text="/opt/a:/opt/b"))
    assert ask(home, *shell, script=PRINT, LD_LIBRARY_PATH=before) == f"{after}|"
    assert there.fresh_environment()["LD_LIBRARY_PATH"] == after


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("/opt/stub", ""),
        ("/usr/x:/opt/stub:/opt/stub", "/usr/x"),
        ("/opt/stub:/usr/x::/usr/y", "/usr/x:/usr/y"),
    ],
)
def test_what_others_have_set_is_taken_out(
    home: Path, shell: tuple[str, str], before: str, after: str
) -> None:
    with_all_shells(home)
    there = system(home, LD_LIBRARY_PATH=before, CUDA_PATH="/old")
    there.write("user", "LD_LIBRARY_PATH", Value(text="-/opt/stub:-"))
    there.write("user", "CUDA_PATH", Value(text="", gone=True))
    given = {"LD_LIBRARY_PATH": before, "CUDA_PATH": "/old"}
    assert ask(home, *shell, script=PRINT, **given) == f"{after}|"
    fresh = there.fresh_environment()
    assert fresh.get("LD_LIBRARY_PATH", "") == after
    assert "CUDA_PATH" not in fresh
    assert there.read("user", "CUDA_PATH") == Value(text="", gone=True)


def test_a_setting_of_the_person_is_taken_away_and_comes_back(home: Path) -> None:
    own = home / ".bashrc"
    own.write_text("export CUDA_VISIBLE_DEVICES=-1\n")
    before, script = snapshot(home), "echo ${CUDA_VISIBLE_DEVICES-none}"
    there = system(home)
    name = "CUDA_VISIBLE_DEVICES"
    there.write("user", name, Value(text="", gone=True))
    assert ask(home, "bash", "-ic", script=script) == "none"
    assert [v for v in there.variables() if v.name == name and not v.ours] == []
    # What is written behind our line has the last word, until the next change.
    own.write_text(own.read_text() + "export CUDA_VISIBLE_DEVICES=-2\n")
    assert ask(home, "bash", "-ic", script=script) == "-2"
    there.write("user", name, Value(text="", gone=True))
    assert ask(home, "bash", "-ic", script=script) == "none"
    own.write_text(own.read_text().replace("export CUDA_VISIBLE_DEVICES=-2\n", ""))
    there.write("user", name, None)
    assert ask(home, "bash", "-ic", script=script) == "-1"
    assert snapshot(home) == before


@pytest.mark.parametrize("shell", ["bash", "zsh", "dash", "fish"])
def test_reading_it_again_changes_nothing(home: Path, shell: str) -> None:
    with_all_shells(home)
    there = system(home)
    there.write("user", "LD_LIBRARY_PATH", Value(text="/opt/a:/opt/b"))
    file = there.where("user")
    if shell == "fish":
        file = str(home / ".config" / "fish" / "conf.d" / "cudnn-assistant.fish")
    quoted = "'" + file.replace("'", "\\'" if shell == "fish" else "'\\''") + "'"
    script = f". {quoted}; . {quoted}; {PRINT}"
    printed = ask(home, shell, "-c", script=script, LD_LIBRARY_PATH="/x")
    assert printed == "/opt/a:/opt/b:/x|"


@pytest.mark.parametrize("shell", ["bash", "dash", "zsh"])
def test_the_shells_find_nothing_wrong_with_it(home: Path, shell: str) -> None:
    needs.require(shell)
    there = system(home)
    there.write("user", "PATH", Value(text=ODD.replace("\\n", "")))
    file = there.where("user")
    strict = 'set -eu; . "$1"; test "$PATH" != /usr/bin:/bin; set | grep -c ^_cudnn_assistant_'
    done = subprocess.run(
        [shell, "-c", strict, shell, file], env=CLEAN, capture_output=True, text=True
    )
    assert (done.stdout.strip(), done.stderr) == ("0", "")


GENERATOR = "/usr/lib/systemd/user-environment-generators/30-systemd-environment-d-generator"


@pytest.mark.skipif(not os.path.exists(GENERATOR), reason="systemd is missing: apt install systemd")
@pytest.mark.parametrize(("before", "after"), [({}, ""), ({"LD_LIBRARY_PATH": "/x"}, ":/x")])
def test_systemds_own_reader_sees_the_change(
    home: Path, monkeypatch: pytest.MonkeyPatch, before: dict[str, str], after: str
) -> None:
    monkeypatch.setattr(linux, "_BOOTED", "/")
    system(home).write("user", "LD_LIBRARY_PATH", Value(text=ODD))
    done = subprocess.run(
        [GENERATOR],
        env={**CLEAN, "HOME": str(home), **before},
        capture_output=True,
        text=True,
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("LD_LIBRARY_PATH")]
    shown = subprocess.run(
        ["bash", "-c", f'{lines[0]}; printf %s "$LD_LIBRARY_PATH"'], capture_output=True, text=True
    )
    assert shown.stdout == ODD + after


HOMES: dict[str, dict[str, bytes | Path]] = {
    "empty": {},
    "debian": {".bashrc": b"# rc\n", ".profile": b"# profile\n"},
    "bash_profile": {".bash_profile": b"# p\n", ".profile": b"# q\n"},
    "bash_login": {".bash_login": b"# p\n", ".bashrc": b""},
    "no final newline": {".bashrc": b"export A=1", ".profile": b"x"},
    "crlf": {".bashrc": b"export A=1\r\nexport B=2\r\n", ".profile": b"x\r\ny"},
    "continued": {".bashrc": b"export A=1 \\\n"},
    "latin-1": {".bashrc": b"# gr\xfc\xdfe\n", ".zshenv": b"\xff\xfe"},
    "zsh": {".zshenv": b"a=1\n", ".zshrc": b"b=2"},
    "two names of one file": {".bash_profile": Path(".bashrc"), ".bashrc": b"# both\n"},
    "names of one file made anew": {".bash_profile": Path(".profile")},
}
LINES_OF_UNICODE = "/opt/c\x85\u2028\u2029d"


@pytest.mark.parametrize("name", HOMES)
def test_taking_it_back_restores_every_byte(home: Path, name: str) -> None:
    for file, content in HOMES[name].items():
        if isinstance(content, Path):
            (home / file).symlink_to(content)
            continue
        (home / file).write_bytes(content)
        (home / file).chmod(0o640)
    before = snapshot(home)
    there = system(home)
    there.write("user", "LD_LIBRARY_PATH", Value(text="/opt/a"))
    assert there.read("user", "LD_LIBRARY_PATH") == Value(text="/opt/a")
    there.write("user", "LD_LIBRARY_PATH", Value(text="/opt/b:/opt/a"))
    there.write("user", "CUDA_PATH", Value(text=LINES_OF_UNICODE))
    there.write("user", "LD_LIBRARY_PATH", None)
    assert there.read("user", "CUDA_PATH") == Value(text=LINES_OF_UNICODE)
    assert snapshot(home) != before
    there.write("user", "CUDA_PATH", None)
    assert snapshot(home) == before


def test_folders_of_others_that_are_relative_are_not_taken_from_here(home: Path) -> None:
    there = system(home, "/bin/zsh", ZDOTDIR="zsh", XDG_CONFIG_HOME="settings")
    there.write("user", "LD_LIBRARY_PATH", Value(text="/opt/a"))
    assert (home / "zsh" / ".zshenv").exists()
    assert all(Path(path).is_relative_to(home) for path in there.touched())


@pytest.mark.parametrize("folder", ["~/.zsh", '"${XDG_CONFIG_HOME:-$HOME/.config}/zsh"'])
def test_a_zsh_that_has_its_files_elsewhere(home: Path, folder: str) -> None:
    elsewhere = home / (".zsh" if "~" in folder else ".config/zsh")
    elsewhere.mkdir(parents=True)
    (home / ".zshenv").write_text(f"export ZDOTDIR={folder}\n")
    (elsewhere / ".zshrc").write_text("# mine\n")
    before = snapshot(home)
    in_zsh, elsewhere_started = system(home, "/bin/zsh", ZDOTDIR=str(elsewhere)), system(home)
    assert in_zsh.touched() == elsewhere_started.touched()
    in_zsh.write("user", "LD_LIBRARY_PATH", Value(text="/opt/a"))
    for how in ("-c", "-lc", "-ic"):
        assert ask(home, "zsh", how, script=PRINT) == "/opt/a|"
    elsewhere_started.write("user", "LD_LIBRARY_PATH", None)
    assert snapshot(home) == before


def test_bash_profile_is_never_created(home: Path) -> None:
    (home / ".profile").write_text("# mine\n")
    system(home).write("user", "LD_LIBRARY_PATH", Value(text="/opt/a"))
    assert sorted(p.name for p in home.glob(".*")) == [".bashrc", ".config", ".profile"]


@pytest.mark.parametrize("content", [b"export A=1", b"export A=1\n", b""])
def test_later_edits_of_the_person_survive(home: Path, content: bytes) -> None:
    rc = home / ".bashrc"
    rc.write_bytes(content)
    there = system(home)
    there.write("user", "LD_LIBRARY_PATH", Value(text="/opt/a"))
    rc.write_bytes(b"# above\n" + rc.read_bytes() + b"alias x=y\n")
    there.write("user", "LD_LIBRARY_PATH", None)
    ending = b"\n" if content and not content.endswith(b"\n") else b""
    assert rc.read_bytes() == b"# above\n" + content + ending + b"alias x=y\n"


def test_a_line_that_the_person_changed_is_theirs(home: Path) -> None:
    there = system(home)
    there.write("user", "LD_LIBRARY_PATH", Value(text="/opt/a"))
    rc = home / ".bashrc"
    theirs = rc.read_text().replace("if [", "true && if [")
    rc.write_text(theirs)
    there.write("user", "LD_LIBRARY_PATH", None)
    assert rc.read_text() == theirs


def test_a_linked_dotfile_is_edited_where_it_lies(home: Path) -> None:
    store = home / "dotfiles"
    store.mkdir()
    (store / "bashrc").write_text("# managed\n")
    (home / ".bashrc").symlink_to("dotfiles/bashrc")
    before = snapshot(home)
    there = system(home)
    there.write("user", "LD_LIBRARY_PATH", Value(text="/opt/a"))
    assert (home / ".bashrc").is_symlink()
    assert "environment.sh" in (store / "bashrc").read_text()
    there.write("user", "LD_LIBRARY_PATH", None)
    assert snapshot(home) == before


def refused(home: Path, *parts: str) -> None:
    before = snapshot(home)
    with pytest.raises(Refused) as caught:
        system(home).write("user", "LD_LIBRARY_PATH", Value(text="/opt/a"))
    assert all(part in str(caught.value) for part in parts)
    assert snapshot(home) == before


def test_a_hard_linked_dotfile_is_left_alone(home: Path) -> None:
    (home / ".bashrc").write_text("# one\n")
    os.link(home / ".bashrc", home / "other name")
    refused(home, ".bashrc", "hard-link")


def test_a_dotfile_in_a_read_only_store_is_left_alone(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = home / "store"
    store.mkdir()
    (store / "profile").write_text("# from the store\n")
    (home / ".profile").symlink_to(store / "profile")
    monkeypatch.setattr("cudnn_assistant.system.files._STORES", (f"{store}/",))
    refused(home, ".profile", "link-into-store")


def test_a_folder_in_place_of_a_file(home: Path) -> None:
    (home / ".profile").mkdir()
    refused(home, ".profile", "system-said")


@pytest.mark.parametrize("name", [".bashrc", ".profile", ".config/cudnn-assistant"])
@pytest.mark.parametrize(
    "target", ["unmounted/dots/it", "../elsewhere/deep/it", "gone/../../far/it"]
)
def test_a_link_into_a_folder_that_is_not_there(home: Path, name: str, target: str) -> None:
    (home / name).parent.mkdir(exist_ok=True)
    (home / name).symlink_to(target)
    where = os.path.normpath(home / target)
    refused(home, name, "link-to-nowhere")
    assert not os.path.lexists(where)
    assert not os.path.lexists(os.path.dirname(where))


@pytest.mark.parametrize(
    "end", [b"\r", b"\n\r", b"\r\r", b"x\r\n\r", b"\\\r", b"\x0b\r", b"\r\n\\"]
)
def test_odd_line_ends_come_back_byte_for_byte(home: Path, end: bytes) -> None:
    for name in (".bashrc", ".profile"):
        (home / name).write_bytes(b"export A=1" + end)
    before = snapshot(home)
    there = system(home)
    there.write("user", "LD_LIBRARY_PATH", Value(text="/opt/a"))
    assert snapshot(home) != before
    there.write("user", "LD_LIBRARY_PATH", None)
    assert snapshot(home) == before


def test_a_link_that_leads_to_itself(home: Path) -> None:
    (home / ".bashrc").symlink_to(".bashrc")
    refused(home, ".bashrc", "Too many levels")


def test_a_settings_file_edited_by_hand_is_not_overwritten(home: Path) -> None:
    there = system(home)
    there.write("user", "LD_LIBRARY_PATH", Value(text="/opt/a"))
    file = Path(there.where("user"))
    file.write_text(file.read_text() + "export MINE=1\n")
    before = snapshot(home)
    with pytest.raises(Refused, match="edited-by-hand"):
        there.write("user", "LD_LIBRARY_PATH", None)
    assert snapshot(home) == before
    assert there.read("user", "LD_LIBRARY_PATH") == Value(text="/opt/a")


def test_a_twin_edited_by_hand_is_not_overwritten(home: Path) -> None:
    with_all_shells(home)
    there = system(home)
    there.write("user", "LD_LIBRARY_PATH", Value(text="/opt/a"))
    twin = home / ".config" / "fish" / "conf.d" / "cudnn-assistant.fish"
    twin.write_text(twin.read_text() + "set -gx MINE 1\n")
    before = snapshot(home)
    with pytest.raises(Refused, match="edited-by-hand"):
        there.write("user", "LD_LIBRARY_PATH", None)
    assert snapshot(home) == before


def test_a_pipe_in_place_of_a_file_is_not_waited_for(home: Path) -> None:
    os.mkfifo(home / ".bashrc")
    there = system(home)
    there.variables()
    assert ".bashrc: it is not a plain file." in there.gaps()[0].why
    with pytest.raises(Refused, match=r"system-said .*not-a-plain-file"):
        there.write("user", "LD_LIBRARY_PATH", Value(text="/opt/a"))


def test_a_home_whose_name_is_no_text(tmp_path: Path) -> None:
    home = tmp_path / "h\udcff"
    home.mkdir()
    with_all_shells(home)
    before = snapshot(home)
    there = system(home)
    there.write("user", "LD_LIBRARY_PATH", Value(text="/opt/a"))
    assert ask(home, "bash", "-lc", script=PRINT) == "/opt/a|"
    msgspec.json.encode([there.variables(), there.gaps(), there.touched()])
    assert "\\xff" in there.where("user")
    there.write("user", "LD_LIBRARY_PATH", None)
    assert snapshot(home) == before


def test_a_home_whose_name_has_a_line_end(tmp_path: Path) -> None:
    home = tmp_path / "h\nh"
    home.mkdir()
    with pytest.raises(Refused, match="file-name-unusable"):
        system(home).write("user", "LD_LIBRARY_PATH", Value(text="/opt/a"))
    assert snapshot(home) == {}


def test_two_configurations_share_the_start_up_files(home: Path) -> None:
    (home / ".bashrc").write_text("# mine")
    before = snapshot(home)

    def other() -> linux.Linux:
        folder = str(home / "other config")
        return linux.Linux({**CLEAN, "SHELL": "bash"}, home=str(home), config=folder, etc="/none")

    system(home).write("user", "LD_LIBRARY_PATH", Value(text="/opt/a"))
    other().write("user", "CUDA_PATH", Value(text="/opt/b"))
    assert ask(home, "bash", "-ic", script=PRINT) == "/opt/a|/opt/b"
    system(home).write("user", "LD_LIBRARY_PATH", None)
    assert ask(home, "bash", "-ic", script=PRINT) == "|/opt/b"
    other().write("user", "CUDA_PATH", None)
    after = snapshot(home)
    assert after.pop(str(home / ".bashrc"))[1] == b"# mine\n"
    # Made by one configuration and still in use by the other when that one let go: left, empty.
    assert after.pop(str(home / ".profile"))[1] == b""
    assert set(after) == set(before) - {str(home / ".bashrc")}


def test_settings_are_found_where_the_shells_read_them(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also when XDG_CONFIG_HOME is another, or set no more, at the next start."""
    monkeypatch.setattr(linux, "_BOOTED", "/")
    (home / "other/fish").mkdir(parents=True)
    before = snapshot(home)

    def person(config: str) -> linux.Linux:
        monkeypatch.setenv("XDG_CONFIG_HOME", config)
        known = {**CLEAN, "HOME": str(home), "SHELL": "bash", "XDG_CONFIG_HOME": config}
        return linux.Linux(known, etc="/none")

    person(str(home / "other")).write("user", "LD_LIBRARY_PATH", Value(text="/opt/a"))
    there = person(str(home / "not yet"))
    (own,) = [one for one in there.variables() if one.ours]
    assert (own.value, own.source) == (Value(text="/opt/a"), there.where("user"))
    there.write("user", "CUDA_PATH", Value(text="/opt/b"))
    assert ask(home, "bash", "-ic", script=PRINT) == "/opt/a|/opt/b"
    for name in ("LD_LIBRARY_PATH", "CUDA_PATH"):
        there.write("user", name, None)
    assert snapshot(home) == before
    assert {path.name for path in home.rglob("*")} == {"other", "fish"}


@pytest.mark.parametrize("kept", ["", "environment.d/mine.conf", "fish/conf.d/mine.fish"])
def test_folders_that_held_only_ours_go_along(
    home: Path, monkeypatch: pytest.MonkeyPatch, kept: str
) -> None:
    monkeypatch.setattr(linux, "_BOOTED", "/")
    (home / ".config/fish").mkdir(parents=True)
    if kept:
        (home / ".config" / kept).parent.mkdir()
        (home / ".config" / kept).touch()
    before = set(home.rglob("*"))
    there = system(home)
    there.write("user", "LD_LIBRARY_PATH", Value(text="/opt/a"))
    there.write("user", "LD_LIBRARY_PATH", None)
    assert set(home.rglob("*")) == before


@pytest.mark.parametrize("text", ["/a\n/b", "/a::/b", "relative", ":/a", "/a\x00"])
def test_values_that_a_shell_would_misread_are_refused(home: Path, text: str) -> None:
    with pytest.raises(Refused):
        system(home).write("user", "LD_LIBRARY_PATH", Value(text=text))
    assert snapshot(home) == {}


def test_other_scopes_are_not_ours(home: Path) -> None:
    there = system(home)
    assert there.may_write("machine") == (os.geteuid() == 0)
    assert there.may_write("user")
    with pytest.raises(Refused):
        there.write("machine", "PATH", Value(text="/a"))


def test_without_a_home_there_is_no_place(tmp_path: Path) -> None:
    there = linux.Linux({"HOME": ""}, home="", config=str(tmp_path / "c"), login_shell="")
    assert not there.may_write("user")
    assert there.touched() == ()
    with pytest.raises(Refused, match="no-home"):
        there.write("user", "PATH", Value(text="/a"))
    there.variables()


def test_touched_names_what_is_touched(home: Path) -> None:
    with_all_shells(home)
    there = system(home)
    touched = set(there.touched())
    before = set(snapshot(home))
    old = snapshot(home)
    there.write("user", "LD_LIBRARY_PATH", Value(text="/opt/a"))
    new = snapshot(home)
    changed = {path for path in new if new[path] != old.get(path)}
    assert changed == touched | {there.where("user")}
    assert before <= set(new)


def test_variables_of_every_layer_with_their_place(home: Path) -> None:
    etc = home / "etc"
    (etc / "profile.d").mkdir(parents=True)
    (etc / "environment").write_text('CUDA_PATH="/usr/local/cuda"\nEDITOR=vi\n')
    (etc / "profile.d" / "cuda.sh").write_text("export PATH=/usr/local/cuda/bin:$PATH\n")
    (home / ".config" / "fish").mkdir(parents=True)
    (home / ".config" / "fish" / "config.fish").write_text("set -gx CUDNN_PATH /opt/f\n")
    (home / ".bashrc").write_text(
        textwrap.dedent("""\
            # export LD_LIBRARY_PATH=/commented
            export LD_LIBRARY_PATH="/opt/stubs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"  # old
            if true; then CUDA_VISIBLE_DEVICES=-1; export CUDA_VISIBLE_DEVICES; fi
            export CUDA_HOME=/opt/c TF_FORCE_GPU_ALLOW_GROWTH=true SECRET_TOKEN=x
            echo "it's broken
            PATH+=:/more
        """)
    )
    there = linux.Linux(
        {"HOME": str(home), "LD_LIBRARY_PATH": "/odd\udcff", "AWS_SECRET": "s", "SHELL": ""},
        home=str(home),
        config=str(home / "c"),
        etc=str(etc),
    )
    there.write("user", "CUDA_MODULE_LOADING", Value(text="LAZY"))
    found = {
        (v.scope, v.name, v.value.text, v.source.removeprefix(str(home)), v.ours)
        for v in there.variables()
    }
    stubs = "/opt/stubs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
    assert found == {
        ("process", "LD_LIBRARY_PATH", "/odd\\xff", "", False),
        ("user", "CUDA_MODULE_LOADING", "LAZY", "/c/environment.sh", True),
        ("user", "LD_LIBRARY_PATH", stubs, "/.bashrc:2", False),
        ("user", "CUDA_VISIBLE_DEVICES", "-1", "/.bashrc:3", False),
        ("user", "CUDA_HOME", "/opt/c", "/.bashrc:4", False),
        ("user", "TF_FORCE_GPU_ALLOW_GROWTH", "true", "/.bashrc:4", False),
        ("user", "PATH", "$PATH:/more", "/.bashrc:6", False),
        ("user", "CUDNN_PATH", "/opt/f", "/.config/fish/config.fish:1", False),
        ("machine", "CUDA_PATH", "/usr/local/cuda", "/etc/environment:1", False),
        ("machine", "PATH", "/usr/local/cuda/bin:$PATH", "/etc/profile.d/cuda.sh:1", False),
    }
    assert there.gaps() == ()


def test_what_could_not_be_read_is_told(home: Path) -> None:
    (home / ".profile").mkdir()
    there = system(home)
    there.variables()
    assert [gap.what for gap in there.gaps()] == ["variables"]
    assert ".profile" in there.gaps()[0].why


def test_undo_is_seen_by_a_program_that_started_after_the_change(home: Path) -> None:
    system(home).write("user", "LD_LIBRARY_PATH", Value(text="/opt/a"))
    later = system(home, LD_LIBRARY_PATH="/opt/a:/x")
    assert later.fresh_environment()["LD_LIBRARY_PATH"] == "/opt/a:/x"
    later.write("user", "LD_LIBRARY_PATH", None)
    assert later.fresh_environment()["LD_LIBRARY_PATH"] == "/x"
