"""Finding environments: on a real machine's kind of disk, forged below a folder."""

from __future__ import annotations

import json
import os
import posixpath
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from forged_pythons import (
    Site,
    elf,
    link_loop,
    linux_installation,
    linux_venv,
    pe,
    windows_installation,
    windows_venv,
    write,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cudnn_assistant.machine import PythonEnvironment, Value, Variable
from cudnn_assistant.probe.pythons.environments import library_folders, one_python, pythons
from cudnn_assistant.probe.pythons.layout import pyvenv_config
from cudnn_assistant.probe.pythons.records import CondaPackage

MODULE = sys.modules["cudnn_assistant.probe.pythons.environments"]
"""The package has a function of the same name."""
HOME = {"HOME": "/home/me", "PATH": "/usr/local/bin:/usr/bin:/bin"}
WINDOWS = {
    "USERPROFILE": r"C:\Users\me",
    "LOCALAPPDATA": r"C:\Users\me\AppData\Local",
    "APPDATA": r"C:\Users\me\AppData\Roaming",
    "ProgramFiles": r"C:\Program Files",
    "SystemDrive": "C:",
    "Path": r"C:\Windows\system32;C:\Windows",
}


def look(
    tree: Path, environment: dict[str, str] | None = None, **more: object
) -> dict[str, PythonEnvironment]:
    found = pythons("linux", HOME | (environment or {}), root=str(tree), **more)  # type: ignore[arg-type]
    assert len({one.id for one in found}) == len(found), "ids are the subjects' names"
    for one in found:
        assert msgspec.json.decode(msgspec.json.encode(one), type=PythonEnvironment) == one
    return {one.id: one for one in found}


def look_windows(tree: Path, **more: object) -> dict[str, PythonEnvironment]:
    environment = WINDOWS | more.pop("environment", {})  # type: ignore[operator]
    found = pythons("windows", environment, root=str(tree), **more)  # type: ignore[arg-type]
    return {one.id: one for one in found}


def home(tree: Path, *parts: str) -> Path:
    return tree.joinpath("home/me", *parts)


# --- a real environment, made by the standard library -------------------------------------------


def test_reads_a_real_virtual_environment(tmp_path: Path) -> None:
    folder = tmp_path / "project" / ".venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    environment = {
        "PATH": f"{folder}/bin:/usr/bin",
        "HOME": str(tmp_path),
        "VIRTUAL_ENV": str(folder),
    }
    active = pythons("linux", environment, current=str(tmp_path / "project"))[0]
    assert active.active
    assert active.id == os.path.realpath(folder)
    assert active.kind == "venv"
    assert active.version == sys.version.split()[0].rstrip("+")
    assert active.bits == 64
    assert active.pip is False
    assert not active.externally_managed
    expected = subprocess.run(
        [folder / "bin/python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        capture_output=True, text=True, check=True,
    ).stdout.strip()  # fmt: skip
    assert active.sites[0] == os.path.realpath(expected)
    assert {"PATH", "VIRTUAL_ENV", "project"} <= set(active.found_via)


def test_a_real_environment_over_system_packages_sees_them(tmp_path: Path) -> None:
    folder = tmp_path / "v"
    command = [sys.executable, "-m", "venv", "--without-pip", "--system-site-packages", folder]
    subprocess.run(command, check=True)
    (one,) = (
        o for o in pythons("linux", {}, extra=str(folder)) if o.id == os.path.realpath(folder)
    )
    seen = subprocess.run(
        [folder / "bin/python", "-c", "import site; print('\\n'.join(site.getsitepackages()))"],
        capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    assert set(one.sites) >= {os.path.realpath(path) for path in seen if os.path.isdir(path)}


# --- where environments are -----------------------------------------------------------------------

PLACES = (
    "venv-torch", ".venv", ".virtualenvs/cv", "envs/a", "venvs/b", ".local/share/virtualenvs/p-Xy",
    ".cache/pypoetry/virtualenvs/q", "project/venv", "project/.venv", "code/deep/er/.venv",
    "code/any-name", "group/project/env", "group/oddly-named",
    ".local/share/hatch/env/virtual/a/b/c", ".local/share/pdm/venvs/p-Xy", ".pixi/envs/tool",
    "code/any-project/.pixi/envs/cuda", "code/any-project/.direnv/python-3.12",
    ".rye/tools/whisperx", ".cache/uv/environments-v2/transcribe-e1b5acf8502bcedf",
    "StabilityMatrix/Data/Packages/ComfyUI/venv", "/venv/main", "/workspace/app/.venv",
    "/workspaces/app/.venv", "/anaconda/envs/azureml_py310", "/miniconda3/envs/ai",
    "/opt/venvs/hub", "/srv/envs/hub",
)  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
def test_finds_environments_where_people_keep_them(tmp_path: Path, place: str) -> None:
    root = posixpath.join("/home/me", place)
    linux_venv(tmp_path / root[1:])
    assert look(tmp_path)[root].kind == "venv"


@pytest.mark.parametrize(
    ("place", "kind"),
    [
        (".local/share/pipx/venvs/x", "pipx"),
        (".local/pipx/venvs/x", "pipx"),
        (".local/share/uv/tools/x", "uv"),
    ],
)
def test_knows_environments_of_tools_by_their_place(tmp_path: Path, place: str, kind: str) -> None:
    linux_venv(home(tmp_path, place))
    assert look(tmp_path)[f"/home/me/{place}"].kind == kind


def test_folders_that_variables_name_in_place_of_the_usual_ones(tmp_path: Path) -> None:
    for place in ("uv/tools/x", "virtualenvs/y", "pypoetry/virtualenvs/z"):
        linux_venv(tmp_path / "data" / place)
    linux_venv(home(tmp_path, ".local/share/virtualenvs/w"))
    variables = dict.fromkeys(("XDG_DATA_HOME", "XDG_CACHE_HOME"), "/data")
    assert {one.rpartition("/")[2] for one in look(tmp_path, variables)} == {"x", "y", "z"}
    assert [*look(tmp_path, {"XDG_DATA_HOME": ""})] == ["/home/me/.local/share/virtualenvs/w"]


@pytest.mark.parametrize(("made_by", "lock"), [("uv = 0.13.9", "/home/me/p/uv.lock"), ("", "")])
def test_an_environment_that_uv_keeps_to_its_list(tmp_path: Path, made_by: str, lock: str) -> None:
    linux_venv(home(tmp_path, "p/.venv"))
    with home(tmp_path, "p/.venv/pyvenv.cfg").open("a") as file:
        file.write(f"\n{made_by}\n")
    write(home(tmp_path, "p/uv.lock"), "version = 1")
    assert look(tmp_path)["/home/me/p/.venv"].lock == lock


@pytest.mark.parametrize("name", ["CONDA_ENVS_PATH", "CONDA_ENVS_DIRS"])
def test_conda_may_keep_its_environments_in_several_folders(tmp_path: Path, name: str) -> None:
    for place in ("one/a", "two/b"):
        linux_venv(tmp_path / place)
    assert [*look(tmp_path, {name: "/one:/two"})] == ["/one/a", "/two/b"]


def test_reads_installations_of_pyenv_and_uv(tmp_path: Path) -> None:
    linux_installation(
        home(tmp_path, ".pyenv/versions/3.12.1"), "3.12", names=["python3", "python"]
    )
    uv = home(tmp_path, ".local/share/uv/python/cpython-3.13.0-linux-x86_64-gnu")
    linux_installation(uv, "3.13", names=["python3"])
    write(uv / "lib/python3.13/EXTERNALLY-MANAGED")
    found = {one.kind: one for one in look(tmp_path).values()}
    assert found["pyenv"].version == "3.12.1"
    assert not found["pyenv"].externally_managed
    assert found["uv"].version == "3.13.0"
    assert found["uv"].externally_managed


def test_a_chooser_on_path_stands_for_what_it_chooses(tmp_path: Path) -> None:
    for version in ("3.11.9", "3.12.1", "3.12.10", "3.12.9"):
        linux_installation(
            home(tmp_path, f".pyenv/versions/{version}"), version[:4], names=["python3"]
        )
    write(home(tmp_path, ".pyenv/shims/python3"), "#!/usr/bin/env bash\nexec pyenv exec\n")
    write(home(tmp_path, ".pyenv/version"), "3.11.9\n")
    write(home(tmp_path, "new/.python-version"), "3.12.1\n")
    path = {"PATH": "/home/me/.pyenv/shims:/usr/bin"}

    def active(**more: object) -> str:
        return next(
            one.version
            for one in look(tmp_path, path | more.pop("env", {}), **more).values()
            if one.active
        )  # type: ignore[operator]

    assert active() == "3.11.9"
    assert active(current="/home/me/new/src") == "3.12.1"
    assert active(env={"PYENV_VERSION": "3.12.1"}) == "3.12.1"
    assert active(env={"PYENV_VERSION": "3.12"}) == "3.12.10"


def test_conda_environments_from_its_list_and_its_folders(tmp_path: Path) -> None:
    base = home(tmp_path, "miniconda3")
    for root in (base, base / "envs/one", tmp_path / "data/two"):
        linux_installation(root, "3.11", names=["python3"])
        write(root / "conda-meta/python-3.11.5-h955ad1f_0.json", "{}")
        write(root / "conda-meta/cudnn-9.10.1.4-h7646684_0.json", "{}")
    write(home(tmp_path, ".conda/environments.txt"), "/data/two\n\n/data/gone\nnot absolute\n")
    found = look(tmp_path, {"CONDA_PREFIX": "/data/two"})
    assert {name for name, one in found.items() if one.kind == "conda"} == {
        "/home/me/miniconda3", "/home/me/miniconda3/envs/one", "/data/two",
    }  # fmt: skip
    two = found["/data/two"]
    assert two.active
    assert two.version == "3.11.5"
    assert [(p.name, p.version, p.manager) for p in two.packages] == [
        ("cudnn", "9.10.1.4", "conda")
    ]
    assert set(two.found_via) == {"CONDA_PREFIX", "conda"}


def test_system_python_of_debian_and_its_further_versions(tmp_path: Path) -> None:
    linux_installation(tmp_path / "usr", "3.11", names=["python3"])
    write(tmp_path / "usr/bin/python3.12", elf())
    write(tmp_path / "usr/lib/python3.12/os.py")
    write(tmp_path / "usr/lib/python3.11/EXTERNALLY-MANAGED")
    Site(tmp_path / "usr/lib/python3/dist-packages").put("nvidia-ml-py", "12.0")
    Site(tmp_path / "usr/local/lib/python3.11/dist-packages").put("torch", "2.9.1")
    os.symlink("usr/bin", tmp_path / "bin")
    found = look(tmp_path)
    system = found["/usr"]
    assert (system.kind, system.version, system.active) == ("system", "3.11", True)
    assert system.externally_managed
    assert system.sites[0] == "/usr/local/lib/python3.11/dist-packages"
    assert [one.name for one in system.packages] == ["nvidia-ml-py", "torch"]
    assert found["/usr/bin/python3.12"].version == "3.12"
    assert not found["/usr/bin/python3.12"].active


def test_system_python_of_fedora_with_a_free_threaded_one(tmp_path: Path) -> None:
    for version, torch in (("3.13", "2.9.1"), ("3.13t", "2.8.0")):
        linux_installation(tmp_path / "usr", version)
        site = f"usr/local/lib64/python{version}/site-packages"
        Site(tmp_path / site).put("torch", torch)
    os.symlink("python3.13", tmp_path / "usr/bin/python3")
    found = look(tmp_path, {"PATH": "/usr/bin"})
    assert {name: one.frameworks[0].version for name, one in found.items()} == {
        "/usr": "2.9.1",
        "/usr/bin/python3.13t": "2.8.0",
    }


def test_packages_of_the_persons_own_are_an_environment_of_their_own(tmp_path: Path) -> None:
    linux_installation(tmp_path / "usr", "3.11", names=["python3"])
    write(tmp_path / "usr/lib/python3.11/EXTERNALLY-MANAGED")
    own = Site(home(tmp_path, ".local/lib/python3.11/site-packages"))
    own.put("torch", "2.9.1", requires=["nvidia-cudnn-cu12==9.10.2.21"])
    Site(tmp_path / "usr/lib/python3/dist-packages").put("nvidia-cudnn-cu12", "9.10.2.21")
    mine = look(tmp_path)["/home/me/.local/lib/python3.11"]
    assert mine.kind == "user-site"
    assert mine.python == "/usr/bin/python3"
    assert mine.externally_managed, "PEP 668 holds for pip install --user too"
    assert [(pin.has, pin.satisfied) for pin in mine.frameworks[0].pins] == [("9.10.2.21", True)]


def test_what_pythonpath_names_is_an_environment_unless_one_has_it(tmp_path: Path) -> None:
    linux_installation(tmp_path / "usr", "3.11", names=["python3"])
    of_system = "usr/lib/python3/dist-packages"
    for folder in (of_system, "opt/packages"):
        Site(tmp_path / folder).put("torch", "2.9.1")
    Site(tmp_path / "opt/code").put("requests", "2.32.0")
    listed = f"/{of_system}:/opt/packages/:relative:/opt/code:/opt/packages:/gone"
    found = look(tmp_path, {"PYTHONPATH": listed})
    assert [one.id for one in found.values() if one.frameworks] == ["/usr", "/opt/packages"]
    named = found["/opt/packages"]
    assert (named.kind, named.python, named.active) == ("pythonpath", "/usr/bin/python3", False)
    assert named.sites == ("/opt/packages", *found["/usr"].sites)


def test_the_terminals_own_environment_is_the_active_one(tmp_path: Path) -> None:
    linux_installation(tmp_path / "usr", "3.11", names=["python3", "python"])
    linux_venv(home(tmp_path, "a"))
    linux_venv(home(tmp_path, "b"))

    def process(name: str, text: str) -> Variable:
        return Variable(scope="process", name=name, value=Value(text=text))

    def active(*variables: Variable) -> str:
        return next(o.id for o in pythons("linux", HOME, variables, root=str(tmp_path)) if o.active)

    assert active() == "/usr"
    assert active(process("PATH", "/home/me/b/bin:/usr/bin")) == "/home/me/b"
    assert active(process("VIRTUAL_ENV", "/home/me/a")) == "/home/me/a"
    both = process("PATH", "/home/me/b/bin:/home/me/a/bin"), process("VIRTUAL_ENV", "/home/me/a")
    assert active(*both) == "/home/me/b", "a deactivated one may linger; PATH decides"
    listed = process("PATH", "/home/me/a/bin:/usr/bin"), process("VIRTUAL_ENV", "/home/me/a")
    for name in ("python", "python3"):
        home(tmp_path, "a/bin", name).unlink()
    assert active(*listed) == "/home/me/a", "its Python is gone, and it is still what is used"


def test_an_added_interpreter_or_folder(tmp_path: Path) -> None:
    linux_venv(tmp_path / "data/x/y/z")
    linux_venv(tmp_path / "elsewhere")
    found = look(tmp_path, extra="/elsewhere/bin/python", folders=["/data", "/nowhere"])
    assert found["/elsewhere"].found_via == ("added",)
    assert found["/elsewhere"].python == "/elsewhere/bin/python"
    assert not found["/elsewhere"].active
    assert "/data/x/y/z" in found
    assert look(tmp_path, extra="/no/such/thing") == {}


def test_one_environment_by_its_interpreter_or_folder(tmp_path: Path) -> None:
    linux_venv(home(tmp_path, "venv")).put("torch", "2.9.1")
    (seen,) = look(tmp_path).values()
    for path in ("/home/me/venv", "/home/me/venv/bin/python3"):
        one = one_python(path, "linux", root=str(tmp_path))
        assert one is not None
        assert (one.id, one.sites, one.frameworks) == (seen.id, seen.sites, seen.frameworks)
    for path in ("", "/home/me", "/home/me/venv/bin", "/gone"):
        assert one_python(path, "linux", root=str(tmp_path)) is None


def test_a_32_bit_and_a_gone_interpreter(tmp_path: Path) -> None:
    linux_venv(home(tmp_path, "venv32"))
    write(home(tmp_path, "venv32/bin/python"), elf(bits=32, machine=3))
    linux_venv(home(tmp_path, "venv-gone"))
    for name in ("python", "python3"):
        home(tmp_path, "venv-gone/bin", name).unlink()
    (home(tmp_path, "venv-gone/bin/python")).symlink_to("/usr/bin/python3.9")
    found = look(tmp_path)
    assert (found["/home/me/venv32"].bits, found["/home/me/venv32"].architecture) == (32, "x86")
    gone = found["/home/me/venv-gone"]
    assert (gone.python, gone.bits, gone.version) == ("", None, "3.11")


def test_an_interpreter_that_an_upgrade_replaced_is_gone(tmp_path: Path) -> None:
    """The link leads to python3.12 now, and the packages lie in lib/python3.11."""
    linux_installation(tmp_path / "usr", "3.12", names=["python3"])
    for name, libraries in (("venv-old", ["3.11"]), ("venv-new", ["3.11", "3.12"])):
        root = home(tmp_path, name)
        linux_venv(root)
        for library in libraries:
            Site(root / f"lib/python{library}/site-packages").put("torch", "2.9.1")
        for link in ("python", "python3"):
            (root / "bin" / link).unlink()
            (root / "bin" / link).symlink_to("../../../../usr/bin/python3")
    found = look(tmp_path)
    assert found["/home/me/venv-old"].dead
    assert not found["/home/me/venv-new"].dead


def test_what_runs_the_persons_notebooks(tmp_path: Path) -> None:
    linux_venv(tmp_path / "data/envs/ai")
    kernels = home(tmp_path, ".local/share/jupyter/kernels")
    write(kernels / "ai/kernel.json", '{"argv": ["/data/envs/ai/bin/python", "-m", "ipykernel"]}')
    write(kernels / "odd/kernel.json", '{"argv": [3]}')
    write(kernels / "named/kernel.json", '{"argv": ["python3"]}')
    assert list(look(tmp_path)) == ["/data/envs/ai"]


@pytest.mark.parametrize(
    ("place", "variables"),
    [
        ("home/me/.local/share/jupyter", {}),
        ("home/me/data/jupyter", {"XDG_DATA_HOME": "/home/me/data"}),
        ("srv/kernels", {"JUPYTER_DATA_DIR": "/srv/kernels"}),
        ("srv/kernels", {"JUPYTER_PATH": "relative:/srv/kernels"}),
        ("usr/local/share/jupyter", {}),
        ("data/envs/ai/share/jupyter", {"VIRTUAL_ENV": "/data/envs/ai"}),
    ],
)
def test_what_a_kernel_of_notebooks_sets(
    tmp_path: Path, place: str, variables: dict[str, str]
) -> None:
    """Of its variables those that matter here: others may hold secrets."""
    linux_venv(tmp_path / "data/envs/ai")
    kernels = tmp_path / place / "kernels"
    spec = {
        "argv": ["/data/envs/ai/bin/python", "-m", "ipykernel"],
        "env": {"CUDA_VISIBLE_DEVICES": "", "API_KEY": "x", "LD_LIBRARY_PATH": "/a", "CUDA_X": 1},
    }
    write(kernels / "ai/kernel.json", json.dumps(spec))
    write(kernels / "odd/kernel.json", json.dumps(spec | {"env": ["CUDA_VISIBLE_DEVICES"]}))
    # Whose Python is another's says nothing of this one, nor what runs R.
    write(kernels / "r/kernel.json", json.dumps(spec | {"argv": ["R", "--slave"]}))
    write(kernels / "other/kernel.json", json.dumps(spec | {"argv": ["/gone/bin/python"]}))
    (one,) = look(tmp_path, variables).values()
    setting = [kernel for kernel in one.notebooks if kernel.variables]
    assert [kernel.path for kernel in setting] == [f"/{place}/kernels/ai/kernel.json"]
    assert [(v.name, v.value.text) for v in setting[0].variables] == [
        ("CUDA_VISIBLE_DEVICES", ""),
        ("LD_LIBRARY_PATH", "/a"),
    ]
    others = [kernel.path for kernel in one.notebooks if kernel not in setting]
    assert others == [f"/{place}/kernels/odd/kernel.json"]


def test_conda_without_its_python_and_without_any(tmp_path: Path) -> None:
    for name in ("gone", "of-r"):
        write(home(tmp_path, "miniconda3/envs", name, "conda-meta/history"))
    Site(home(tmp_path, "miniconda3/envs/gone/lib/python3.11/site-packages")).put("torch", "2.9.1")
    (one,) = look(tmp_path).values()
    assert (one.id, one.kind, one.dead) == ("/home/me/miniconda3/envs/gone", "conda", True)


def test_links_and_loops(tmp_path: Path) -> None:
    linux_venv(tmp_path / "data/shared")
    link_loop(home(tmp_path, "code/loop"))
    home(tmp_path, "code/mine").symlink_to("../../../data/shared")
    home(tmp_path, "code/same").symlink_to("../../../data/shared")
    assert [name for name in look(tmp_path) if "shared" in name] == ["/data/shared"]


def test_network_mounts_are_left_alone_unless_the_path_names_them(tmp_path: Path) -> None:
    mounts = "srv:/x /home/me/code/team nfs4 rw 0 0\n//win/y /mnt/a\\040b cifs rw 0 0\n"
    write(tmp_path / "proc/mounts", "/dev/sda1 / ext4 rw 0 0\n" + mounts)
    linux_venv(home(tmp_path, "code/team/.venv"))
    linux_venv(tmp_path / "mnt/a b/venv")
    assert look(tmp_path) == {}
    assert list(look(tmp_path, {"PATH": "/mnt/a b/venv/bin"})) == ["/mnt/a b/venv"]
    assert list(look(tmp_path, extra="/home/me/code/team/.venv")) == ["/home/me/code/team/.venv"]


def test_a_link_to_a_network_mount_is_not_followed(tmp_path: Path) -> None:
    write(tmp_path / "proc/mounts", "srv:/x /net/team nfs rw 0 0\n")
    linux_venv(tmp_path / "net/team/.venv")
    home(tmp_path, "code").mkdir(parents=True)
    home(tmp_path, "code/team").symlink_to("../../../net/team")
    assert look(tmp_path) == {}


def test_a_home_on_the_network_is_not_searched_but_its_usual_places_are_read(
    tmp_path: Path,
) -> None:
    write(tmp_path / "proc/mounts", "srv:/home /home nfs4 rw 0 0\n")
    linux_venv(home(tmp_path, "project/.venv"))
    linux_venv(home(tmp_path, ".virtualenvs/a"))
    said: list[str] = []
    assert list(look(tmp_path, note=said.append)) == ["/home/me/.virtualenvs/a"]
    assert len(said) == 1
    assert len(look(tmp_path, folders=["/home/me/project"])) == 2


def test_says_what_a_limit_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(6):
        linux_venv(home(tmp_path, f"envs/{number}"))
    monkeypatch.setattr(MODULE, "MOST_ENVIRONMENTS", 4)
    said: list[str] = []
    assert len(look(tmp_path, note=said.append)) == 4
    assert len(said) == 1


def test_looks_into_no_more_folders_than_its_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(30):
        linux_venv(home(tmp_path, f"group/{number}/.venv"))
    monkeypatch.setattr("cudnn_assistant.probe.pythons.usual_folders.MOST_FOLDERS", 1)
    said: list[str] = []
    assert look(tmp_path, note=said.append) == {}
    assert len(said) == 1
    monkeypatch.setattr("cudnn_assistant.probe.pythons.usual_folders.MOST_FOLDERS", 40)
    assert len(look(tmp_path, note=said.append)) == 30
    assert len(said) == 1


def test_a_thousand_path_entries_and_nonsense_in_them(tmp_path: Path) -> None:
    linux_installation(tmp_path / "usr", "3.11", names=["python3"])
    odd = ["", ".", "relative/bin", '"/quoted"', "/nul\0byte", "/\udcff", "~/bin", "/a" * 3000]
    path = ":".join([*odd, *(f"/gone/{n}" for n in range(1000)), "/usr/bin"])
    assert look(tmp_path, {"PATH": path})["/usr"].active


# --- Windows -------------------------------------------------------------------------------------


def test_windows_installations_and_virtual_environments(tmp_path: Path) -> None:
    drive = tmp_path / "C"
    local = drive / "Users/me/AppData/Local"
    windows_installation(local / "Programs/Python/Python311", (3, 11, 9))
    windows_installation(drive / "old", (3, 8, 10), machine=0x14C)
    windows_venv(drive / "ai/sd/venv")
    windows_venv(drive / "Users/me/source/repos/app/.venv")
    registered = [
        r"C:\Users\me\AppData\Local\Programs\Python\Python311" + "\\",
        r"C:\old",
        r"C:\gone",
        r"C:\Program Files\WindowsApps\PythonSoftwareFoundation.Python.3.12_x",
    ]
    path = {"Path": r"C:\Windows;C:\Users\me\AppData\Local\Programs\Python\Python311" + "\\"}
    found = look_windows(tmp_path, environment=path, registered=registered)
    active = next(one for one in found.values() if one.active)
    assert (active.version, active.bits, active.architecture) == ("3.11.9", 64, "x86_64")
    assert (active.kind, set(active.found_via)) == (
        "registered",
        {"PATH", "registry", "common-folder"},
    )
    assert (found[r"C:\old"].bits, found[r"C:\old"].version) == (32, "3.8.10")
    assert found[r"C:\ai\sd\venv"].version == "3.10.11"
    assert found[r"C:\Users\me\source\repos\app\.venv"].kind == "venv"
    assert len(found) == 4


def test_windows_pyenv_stands_for_what_it_chooses(tmp_path: Path) -> None:
    """As pyenv-win lays its shims: none of them is a python.exe."""
    pyenv = tmp_path / "C/Users/me/.pyenv/pyenv-win"
    for version in ((3, 11, 9), (3, 12, 1)):
        windows_installation(pyenv / "versions" / ".".join(map(str, version)), version)
    for shim in ("python", "python.bat"):
        write(pyenv / "shims" / shim, "pyenv exec")
    write(pyenv / "version", "3.11.9\n")
    path = {"Path": r"C:\Users\me\.pyenv\pyenv-win\shims;C:\Windows"}
    found = look_windows(tmp_path, environment=path)
    assert {one.version: one.active for one in found.values()} == {"3.11.9": True, "3.12.1": False}


def test_windows_portable_and_store_python(tmp_path: Path) -> None:
    drive = tmp_path / "C"
    windows_installation(drive / "ComfyUI_windows_portable/python_embeded", (3, 12, 7))
    name = "PythonSoftwareFoundation.Python.3.12_qbz5n2kfra8p0"
    local = drive / "Users/me/AppData/Local"
    packages = Site(local / f"Packages/{name}/LocalCache/local-packages/Python312/site-packages")
    packages.put("torch", "2.9.1")
    write(local / "Microsoft/WindowsApps/python.exe", b"")
    write(local / f"Microsoft/WindowsApps/{name}/python.exe", b"")
    path = {"Path": r"C:\Users\me\AppData\Local\Microsoft\WindowsApps;C:\Windows"}
    found = look_windows(tmp_path, environment=path)
    store = found[rf"C:\Users\me\AppData\Local\Packages\{name}"]
    assert (store.kind, store.version, store.active) == ("store", "3.12", True)
    assert store.python.endswith(rf"WindowsApps\{name}\python.exe")
    assert [one.name for one in store.frameworks] == ["torch"]
    portable = found[r"C:\ComfyUI_windows_portable\python_embeded"]
    assert portable.version == "3.12.7"


@pytest.mark.parametrize("folder", ["Python\\bin", "Microsoft\\WindowsApps"])
def test_windows_commands_of_pythons_install_manager(tmp_path: Path, folder: str) -> None:
    """A program of the manager's own stands for the Python that a file beside it names."""
    local, here = tmp_path / "C/Users/me/AppData/Local", r"C:\Users\me\AppData\Local"
    root = rf"{here}\Python\pythoncore-3.14-64"
    windows_installation(local / "Python/pythoncore-3.14-64", (3, 14, 2))
    write(local / "Python/bin/python.exe", pe(version=(25, 2, 150, 0)))
    write(local / "Python/bin/python.exe.__target__", rf"{root}\python.exe")
    write(local / "Microsoft/WindowsApps/python.exe", b"")
    (one,) = look_windows(tmp_path, environment={"Path": rf"{here}\{folder}"}).values()
    assert (one.id, one.python, one.version) == (root, rf"{root}\python.exe", "3.14.2")
    assert one.active


@pytest.mark.parametrize(
    ("place", "kind"),
    [
        ("OneDrive - Contoso/Documents/ComfyUI/.venv", "venv"),
        ("Downloads/portable_nvidia/portable/python_embeded", ""),
        ("AppData/Local/hatch/env/virtual/a/b/c", "venv"),
        ("AppData/Local/pdm/pdm/venvs/p-Xy", "venv"),
        ("AppData/Roaming/uv/data/tools/x", "uv"),
        (".local/pipx/venvs/x", "pipx"),
        ("Documents/.virtualenvs/r-tensorflow", "venv"),
    ],
)
def test_windows_places_of_people_and_tools(tmp_path: Path, place: str, kind: str) -> None:
    root = tmp_path / "C/Users/me" / place
    if kind:
        windows_venv(root)
    else:
        windows_installation(root, (3, 12, 7))
    (one,) = look_windows(tmp_path).values()
    assert (one.id, one.kind) == ("C:\\Users\\me\\" + place.replace("/", "\\"), kind)


@pytest.mark.parametrize(
    "place",
    [
        "C/tools/miniconda3/envs/ml",
        "C/Users/me/AppData/Local/r-miniconda/envs/r-reticulate",
        "C/Users/me/pinokio/api/applio.git/app/env",
        "D/pinokio/api/applio.git/env",
        "D/StabilityMatrix/Data/Packages/ComfyUI/venv",
        "D/AI/webui_forge/system/python",
        "D/AI/SwarmUI/dlbackend/comfy/python_embeded",
        "D/AI/alltalk_tts/alltalk_environment/env",
        "C/Users/me/AppData/Roaming/krita/ai_diffusion/server/venv",
        "D/AI/RVC1006Nvidia/runtime",
        "D/AI/text-generation-webui/installer_files/env",
        "D/AI/portable_nvidia/ComfyUI_windows_portable/python_embeded",
    ],
)
def test_windows_programs_that_keep_pythons_of_their_own(tmp_path: Path, place: str) -> None:
    write(tmp_path / place / "python.exe", pe())
    write(tmp_path / place / "conda-meta/history")
    if "/envs/" in place:
        write((tmp_path / place).parents[1] / "conda-meta/history")
    assert f"{place[0]}:{place[1:]}".replace("/", "\\") in look_windows(tmp_path)


def test_windows_python_without_a_version_resource(tmp_path: Path) -> None:
    root = tmp_path / "C/tools/python"
    windows_installation(root, (3, 12, 7))
    write(root / "python.exe", pe())
    assert look_windows(tmp_path)[r"C:\tools\python"].version == "3.12"


def test_windows_alias_without_a_store_python_is_no_python(tmp_path: Path) -> None:
    write(tmp_path / "C/Users/me/AppData/Local/Microsoft/WindowsApps/python.exe", b"")
    path = {"Path": r"C:\Users\me\AppData\Local\Microsoft\WindowsApps"}
    assert look_windows(tmp_path, environment=path) == {}


def test_windows_packages_of_the_persons_own(tmp_path: Path) -> None:
    windows_installation(tmp_path / "C/Program Files/Python311", (3, 11, 4))
    own = tmp_path / "C/Users/me/AppData/Roaming/Python/Python311/site-packages"
    Site(own).put("onnxruntime-gpu", "1.23.2")
    found = look_windows(tmp_path)
    mine = found[r"C:\Users\me\AppData\Roaming\Python\Python311"]
    assert (mine.kind, mine.version) == ("user-site", "3.11.4")
    assert mine.python == r"C:\Program Files\Python311\python.exe"


# --- folders of libraries ----------------------------------------------------------------------


def test_library_folders_in_the_order_of_use(tmp_path: Path) -> None:
    site = linux_venv(home(tmp_path, "venv"))
    for folder in ("cublas/lib", "cudnn/lib", "cu13/lib", "cuda_nvrtc/lib", "cudnn/include"):
        (site.folder / "nvidia" / folder).mkdir(parents=True)
    (site.folder / "torch/lib").mkdir(parents=True)
    one = look(tmp_path)["/home/me/venv"]
    base = "/home/me/venv/lib/python3.11/site-packages/"
    assert [f.removeprefix(base) for f in library_folders(one, root=str(tmp_path))] == [
        "nvidia/cudnn/lib", "nvidia/cu13/lib", "nvidia/cublas/lib", "nvidia/cuda_nvrtc/lib",
        "torch/lib",
    ]  # fmt: skip


def test_library_folders_put_a_whole_copy_of_the_framework_first(tmp_path: Path) -> None:
    site = windows_venv(tmp_path / "C/ai/venv")
    version = "__version__ = '2.9.1+cu128'\ncuda = '12.8'\n"
    dll = pe(version=(9, 10, 2, 21))
    site.put("torch", "2.9.1+cu128", {"torch/version.py": version, "torch/lib/cudnn64_9.dll": dll})
    site.put("ctranslate2", "4.8.5", {"ctranslate2/cudnn64_9.dll": dll})
    for folder in ("cudnn/bin", "cu13/bin/x86_64"):
        (site.folder / "nvidia" / folder).mkdir(parents=True)
    one = look_windows(tmp_path)[r"C:\ai\venv"]
    base = "C:\\ai\\venv\\Lib\\site-packages\\"
    assert [f.removeprefix(base) for f in library_folders(one, root=str(tmp_path))] == [
        r"torch\lib", r"nvidia\cudnn\bin", r"nvidia\cu13\bin", r"nvidia\cu13\bin\x86_64",
        "ctranslate2",
    ]  # fmt: skip


def test_library_folders_of_conda_come_first_where_they_are_used(tmp_path: Path) -> None:
    root = home(tmp_path, "miniconda3/envs/tf")
    site = linux_installation(root, "3.11", names=["python3"])
    write(root / "conda-meta/cudnn-8.9.7.29-h0_0.json", "{}")
    (site.folder / "nvidia/cublas/lib").mkdir(parents=True)
    facts = "is_cuda_build = True\n"
    site.put("tensorflow", "2.13.0", {"tensorflow/python/platform/build_info.py": facts})
    one = look(tmp_path)["/home/me/miniconda3/envs/tf"]
    assert library_folders(one, root=str(tmp_path))[0] == "/home/me/miniconda3/envs/tf/lib"


# --- hostile --------------------------------------------------------------------------------------


@given(st.text())
def test_any_text_is_a_pyvenv_cfg(text: str) -> None:
    config = pyvenv_config(text)
    assert all(isinstance(value, str) for value in config.values())


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None
)
@given(data=st.binary(max_size=300))
def test_any_bytes_in_an_environments_files(tmp_path: Path, data: bytes) -> None:
    root = home(tmp_path, "venv")
    site = root / "lib/python3.11/site-packages"
    for file in (
        root / "pyvenv.cfg", root / "bin/python3", home(tmp_path, ".conda/environments.txt"),
        home(tmp_path, ".pyenv/version"), tmp_path / "proc/mounts",
        site / "torch-2.9.1.dist-info/METADATA", site / "torch-2.9.1.dist-info/RECORD",
        site / "torch/version.py", site / "torch/lib/libtorch_python.so",
        site / "tensorflow-2.20.0.dist-info/METADATA", site / "ctranslate2-4.5.0.dist-info/RECORD",
        site / "tensorflow/python/platform/build_info.py", site / "ctranslate2/ctranslate2.dll",
        site / "cupy-13.0.0.dist-info/METADATA", site / "cupy/.data/_wheel.json",
        home(tmp_path, ".pyenv/shims/python"),
    ):  # fmt: skip
        write(file, data)
    look(tmp_path, {"PATH": "/home/me/.pyenv/shims"})


@given(st.text())
def test_any_name_is_a_record_of_conda(name: str) -> None:
    one = CondaPackage("cudnn", "9.3", name)
    assert all(part.isdigit() or not part for part in (*one.cuda.split("."), *one.cudnn.split(".")))


def test_files_that_are_no_files(tmp_path: Path) -> None:
    site = linux_venv(home(tmp_path, "venv"))
    info = site.folder / "torch-2.9.1.dist-info"
    info.mkdir()
    os.mkfifo(info / "METADATA")
    (info / "RECORD").mkdir()
    (site.folder / "torch").mkdir()
    os.symlink("version.py", site.folder / "torch/version.py")
    write(site.folder / "~orch-2.9.1.dist-info/METADATA", "left by an interrupted upgrade")
    one = look(tmp_path)["/home/me/venv"]
    assert [(f.name, f.version, f.gpu) for f in one.frameworks] == [("torch", "2.9.1", None)]


def test_names_that_are_no_text(tmp_path: Path) -> None:
    linux_venv(Path(os.fsdecode(os.fsencode(home(tmp_path, "venv")) + b"\xff")))
    (one,) = look(tmp_path).values()
    assert one.id == r"/home/me/venv\xff"
