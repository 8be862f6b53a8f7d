"""What activating an environment sets is read, not run."""

from __future__ import annotations

import json

import pytest

from cudnn_assistant.machine import PythonEnvironment
from cudnn_assistant.probe.trials.activation import activated
from cudnn_assistant.probe.trust import Trust


@pytest.fixture
def conda(tmp_path):
    root = tmp_path / "env"
    (root / "etc/conda/activate.d").mkdir(parents=True)
    (root / "conda-meta").mkdir()
    return root


def set_by(root, kind="conda", environment=None, **facts):
    one = PythonEnvironment(id=str(root), kind=kind, **facts)
    before = {"LD_LIBRARY_PATH": "/old", **(environment or {})}
    after = activated(before, one)
    return {name: text for name, text in after.items() if before.get(name) != text}


def test_what_a_script_of_conda_s_exports(conda):
    script = """
export LD_LIBRARY_PATH=$CONDA_PREFIX/lib:$LD_LIBRARY_PATH   # ours first
export CUDA_HOME="${CONDA_PREFIX}/targets"
export CUDNN_PATH='$literal'
export OTHER=1
"""
    (conda / "etc/conda/activate.d/cuda.sh").write_text(script)
    assert set_by(conda) == {
        "LD_LIBRARY_PATH": f"{conda}/lib:/old",
        "CUDA_HOME": f"{conda}/targets",
        "CUDNN_PATH": "$literal",
    }


def test_what_only_a_shell_can_work_out_stays_unknown(conda):
    script = """
if true; then
  export CUDA_HOME=/x
fi
export CUDA_PATH=$(which nvcc)
export CUDNN_PATH=`pwd`
export CUDA_ROOT=${CUDA_HOME:-/usr}
export CUDA_BIN=/x; rm -rf /
"""
    (conda / "etc/conda/activate.d/cuda.sh").write_text(script)
    assert set_by(conda) == {}


def test_variables_that_conda_keeps_itself(conda):
    kept = {"version": 1, "env_vars": {"CUDA_VISIBLE_DEVICES": "-1", "NUMBER": 4}}
    (conda / "conda-meta/state").write_text(json.dumps(kept))
    assert set_by(conda) == {"CUDA_VISIBLE_DEVICES": "-1"}


def test_a_line_that_somebody_added_to_a_venv_s_script(tmp_path):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/activate").write_text("export LD_PRELOAD=$VIRTUAL_ENV/x.so\nexport PATH=/x\n")
    assert set_by(tmp_path, "venv") == {"LD_PRELOAD": f"{tmp_path}/x.so"}


def test_an_active_environment_has_set_its_own_already(conda):
    (conda / "etc/conda/activate.d/cuda.sh").write_text("export CUDA_HOME=/x\n")
    assert set_by(conda, active=True) == {}


@pytest.mark.parametrize("text", ["[1, 2]", "not json", '{"env_vars": 3}'])
def test_files_of_another_form_set_nothing(conda, text):
    (conda / "conda-meta/state").write_text(text)
    assert set_by(conda) == {}


HOOKS = {
    "nested": ("state", "[" * 60_000),
    "nested objects": ("state", '{"env_vars":' * 5000),
    "nul": ("state", '{"env_vars": {"CUDA_A": "a\\u0000b"}}'),
    "no letter": ("state", '{"env_vars": {"CUDA_A": "\\ud800"}}'),
    "no program can have it": (
        "state",
        json.dumps({"env_vars": {"CUDA_A": "x" * 60_000}}) + "x" * 9000,
    ),
    "nul of a script": ("a.sh", "export CUDA_A=a\0b"),
    "positional": ("a.sh", 'export CUDA_A="$1x"'),
    "home": ("a.sh", "export CUDA_A=~/x"),
    "braces": ("a.sh", "export CUDA_A=a{b,c}"),
}


@pytest.mark.parametrize("name", HOOKS)
def test_what_no_program_can_get_stays_unknown(conda, name):
    file, text = HOOKS[name]
    path = conda / ("conda-meta" if file == "state" else "etc/conda/activate.d") / file
    path.write_text(text)
    assert set_by(conda) == {}


@pytest.mark.parametrize("line", ["$CUDA_A$CUDA_A", "$CUDA_A" * 9000])
def test_a_list_that_grows_by_itself_takes_no_memory(conda, line):
    script = "export CUDA_A=" + "x" * 16 + f"\nexport CUDA_A={line}" * (40 if len(line) < 99 else 1)
    (conda / "etc/conda/activate.d/a.sh").write_text(script)
    assert len(set_by(conda)["CUDA_A"]) <= 1 << 17


def test_hooks_of_others_are_no_ones_to_run(conda):
    hook = conda / "etc/conda/activate.d/a.sh"
    hook.write_text("export CUDA_A=1")
    one = PythonEnvironment(id=str(conda), kind="conda", found_via=("conda",))
    assert Trust("linux").environment(one) == ("", "")
    hook.chmod(0o666)
    assert Trust("linux").environment(one) == ("writable", str(hook))


def test_a_library_that_cuda_takes_into_every_program_is_looked_at(tmp_path):
    library = tmp_path / "libinjected.so"
    library.touch()
    named = {"CUDA_INJECTION64_PATH": str(library)}
    assert Trust("linux").surroundings(named) == ("", "")
    library.chmod(0o666)
    assert Trust("linux").surroundings(named) == ("writable", str(library))
