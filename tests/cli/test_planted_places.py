"""A look runs nothing that somebody planted, and exactly what the person says yes to."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import needs
import pytest
from planted_places import (
    ASKED,
    BROUGHT,
    CHOSEN,
    HERE,
    LIBRARY,
    PLANTED,
    PROGRAM,
    RELATIVE,
    SITE,
    SOMEBODY,
    VERSION,
    Home,
    rows,
    whole,
)

sys.path.insert(0, str(Path(__file__).parents[1] / "lab"))
import driver as lab

LOOKS = {"check": ("check", "--offline"), "report": ("report", "-", "--offline")}
OWN = {f"own/{name}" for name in (LIBRARY, f"{SITE}/torch/__init__.py", f"{SITE}/zz.pth")}
"""What runs in the person's own environment: each of these looks gets as far as that."""
ENDS = {0, 1, 3}


@pytest.fixture(scope="module", autouse=True)
def somebody() -> None:
    needs.require("gcc", *SOMEBODY[:1])
    if SOMEBODY and subprocess.run([*SOMEBODY, "true"], capture_output=True).returncode:
        pytest.skip("root can't become somebody else here: user namespaces are switched off")


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Home:
    folder = tmp_path_factory.mktemp("planted")
    return whole(folder, driver(folder))


def driver(folder: Path) -> dict[str, str]:
    """A GPU, without which no framework is asked."""
    return {"LD_LIBRARY_PATH": str(lab.write(folder / "driver", lab.RTX_4090))}


def test_what_was_planted_is_much() -> None:
    assert len(PLANTED) + len(RELATIVE) + len(CHOSEN) + len(BROUGHT) >= 100
    assert len({*ASKED}) >= 60


@pytest.mark.parametrize("look", LOOKS)
def test_nothing_is_run_without_a_yes(planted: Home, look: str) -> None:
    done = planted.run(*LOOKS[look])
    assert done.ran == OWN
    assert done.code in ENDS
    assert "Traceback" not in done.said


@pytest.mark.spread(2)
@pytest.mark.parametrize(
    ("name", "look"), [*zip(["Downloads/unpacked", "venvs/a"], LOOKS, strict=True)]
)
def test_the_environment_that_was_named_is_run_and_no_other(
    planted: Home, name: str, look: str
) -> None:
    yes = ("--python", str(planted.home / name))
    assert rows(planted.run(*LOOKS[look], *yes).ran - OWN, PLANTED) == {name}


@pytest.mark.spread(2)
@pytest.mark.parametrize("part", range(2))
def test_what_was_trusted_is_run_and_nothing_else(planted: Home, part: int) -> None:
    """So that each row of the table can fail: without the doubt about it, it would have run."""
    some = ASKED[part::2]
    yes = [word for name in some for word in ("--trust", str(planted.home / name))]
    assert rows(planted.run(*LOOKS["check"], *yes).ran - OWN, PLANTED) == set(some)


@pytest.mark.spread(2)
@pytest.mark.parametrize(("chosen", "look"), [*zip(CHOSEN, LOOKS, strict=True)])
def test_the_folder_one_stands_in_chooses_nothing(tmp_path: Path, chosen: str, look: str) -> None:
    home = Home(tmp_path)
    home.settings = {**RELATIVE, **driver(tmp_path)}
    home.environment(f"{HERE}/.venv")
    for shim in ("python", "python3"):
        home.put(f".pyenv/shims/{shim}", "#!/bin/sh\n")
    (home.home / ".pyenv" / "versions").mkdir()
    home.put(f"{HERE}/.python-version", chosen)
    assert home.run(*LOOKS[look]).ran == OWN
    yes = ("--trust", str(home.home / HERE))
    assert rows(home.run(*LOOKS[look], *yes).ran - OWN, [HERE]) == {HERE}


@pytest.mark.spread(3)
@pytest.mark.parametrize("name", BROUGHT)
def test_what_a_setting_brings_waits_for_a_yes(tmp_path: Path, name: str) -> None:
    row, home = BROUGHT[name], Home(tmp_path)
    given = driver(tmp_path)["LD_LIBRARY_PATH"]
    listed = ":".join(filter(None, (given, row.settings.get("LD_LIBRARY_PATH", ""))))
    home.settings = {
        "PATH": "{home}/own/bin:/usr/bin:/bin", **row.settings, "LD_LIBRARY_PATH": listed,
    }  # fmt: skip
    for path, text in row.plants.items():
        home.put(path, text) if "\n" in text else home.library(path, text)
    (home.home / row.spoiled).chmod(0o777)
    if name == "set by an activation":
        home.settings["PATH"] = "/usr/bin:/bin"
        home.put(".conda/environments.txt", str(home.home / "own"))
    look = LOOKS["report" if list(BROUGHT).index(name) % 2 else "check"]
    assert home.run(*look).ran <= OWN
    trusted = home.run(*look, "--trust", str(home.home / row.spoiled)).ran - OWN
    assert rows(trusted, [row.spoiled]) - set(row.plants) == {row.spoiled}


def test_what_every_program_of_a_python_imports_waits_for_a_yes(tmp_path: Path) -> None:
    """The packages of its user, and the standard library below a virtual environment."""
    home = Home(tmp_path)
    home.settings = {"PATH": "{home}/own/bin:/usr/bin:/bin", **driver(tmp_path)}
    base = home.home / "base"
    home.environment("base")
    (base / "pyvenv.cfg").unlink()
    (base / "bin" / "python").unlink()
    home.put(f"base/bin/python{VERSION}", PROGRAM)
    (base / "bin" / "python").symlink_to(f"python{VERSION}")
    (home.home / "own" / "bin" / "python").unlink()
    (home.home / "own" / "bin" / "python").symlink_to(base / "bin" / "python")
    program, library = f"base/bin/python{VERSION}", base / "lib" / f"python{VERSION}"
    library.chmod(0o777)
    assert program not in home.run(*LOOKS["check"]).ran
    assert program in home.run(*LOOKS["check"], "--trust", str(library)).ran
    library.chmod(0o755)
    home.settings["PATH"] = "{home}/base/bin:/usr/bin:/bin"
    module = f".local/{SITE}/usercustomize.py"
    home.put(module, "open({witness!r}, 'a').write(__file__ + '\\n')\n")
    assert module in home.run(*LOOKS["check"]).ran
    (home.home / module).chmod(0o666)
    assert module not in home.run(*LOOKS["check"]).ran
