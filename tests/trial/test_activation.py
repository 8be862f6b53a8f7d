"""What activating an environment sets is read, not run."""

from __future__ import annotations

import json
import random
import re
import subprocess
import tracemalloc

import needs
import pytest

from cudnn_assistant.machine import Kernel, PythonEnvironment, Value, Variable
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


def kernel(path="/data/jupyter/kernels/nb/kernel.json", **said):
    """One of Jupyter's, with what it sets."""
    variables = tuple(Variable(scope="user", name=n, value=Value(text=t)) for n, t in said.items())
    return Kernel(path=str(path), variables=variables)


LISTED = {"LD_LIBRARY_PATH": "/opt/nb:${LD_LIBRARY_PATH}", "CUDA_VISIBLE_DEVICES": ""}


@pytest.mark.parametrize(
    ("kernels", "facts", "expected"),
    [
        ([kernel(**LISTED)], {}, {"LD_LIBRARY_PATH": "/opt/nb:/old"}),
        ([kernel(**LISTED), kernel()], {}, {"LD_LIBRARY_PATH": "/opt/nb:/old"}),
        # Which of two that differ runs a notebook nobody knows.
        ([kernel(**LISTED), kernel(CUDA_HOME="/x")], {}, {"CUDA_PATH": "/y"}),
        ([kernel(**LISTED)], {"active": True}, {}),
        ([kernel(CUDA_HOME="/a\0b")], {}, {"CUDA_PATH": "/y"}),
    ],
)
def test_notebooks_are_started_with_what_their_kernel_says(conda, kernels, facts, expected):
    (conda / "etc/conda/activate.d/cuda.sh").write_text("export CUDA_PATH=/y\n")
    assert set_by(conda, notebooks=tuple(kernels), **facts) == expected


def test_a_kernel_that_somebody_else_may_change_starts_nothing(conda):
    file = conda.parent / "kernel.json"
    file.write_text("{}")
    one = PythonEnvironment(
        id=str(conda), kind="conda", notebooks=(kernel(file, **LISTED),), found_via=("jupyter",)
    )
    assert Trust("linux").environment(one)[0] != "writable"
    file.chmod(0o666)
    assert Trust("linux").environment(one) == ("writable", str(file))


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


READ = {
    "in two steps": ("B=/x/cuda\nCUDA_HOME=$B\nexport CUDA_HOME CUDA_PATH", "/x/cuda"),
    "behind a function": ("f() {\n  return 1\n}\nexport CUDA_HOME=/x", "/x"),
    "behind a function, spelled out": ("function f {\n:\n}\nexport CUDA_HOME=/x", "/x"),
    "behind a condition": ("if true; then :; fi\nexport CUDA_HOME=/x", "/x"),
    "behind cases": ("case a in\n(a) :;;\nb) : ;;\nesac\nexport CUDA_HOME=/x", "/x"),
    "behind a text": ("cat <<-'END'\nif\n\tEND\nexport CUDA_HOME=/x", "/x"),
    "behind a loop": ("for i in 1 2; do :; done\nexport CUDA_HOME=/x", "/x"),
    "behind a list": ("true &&\n  :\nexport CUDA_HOME=/x", "/x"),
    "behind quotes": ("echo \"it's {\" 'if (' \\'\nexport CUDA_HOME=/x", "/x"),
    "behind a remark": ("true # if it's (\nexport CUDA_HOME=/x", "/x"),
    "behind arithmetic": ("A=$((1 + (2)))\n[[ a = (a) ]]\nexport CUDA_HOME=/x", "/x"),
    "for a program that ends": (
        'if [ "${BASH_SOURCE-}" = "$0" ]; then\n exit 33\nfi\nexport CUDA_HOME=/x', "/x",
    ),
    "twice": ("if true; then\nexport CUDA_HOME=/y\nfi\nexport CUDA_HOME=/x", "/x"),
}  # fmt: skip


@pytest.mark.parametrize("name", READ)
def test_a_line_of_its_own_counts(conda, name):
    script, value = READ[name]
    (conda / "etc/conda/activate.d/cuda.sh").write_text(script)
    assert set_by(conda) == {"CUDA_HOME": value}


def test_what_a_line_takes_out_is_gone(conda):
    (conda / "etc/conda/activate.d/cuda.sh").write_text("unset LD_LIBRARY_PATH CUDA_HOME\n")
    one = PythonEnvironment(id=str(conda), kind="conda")
    assert activated({"LD_LIBRARY_PATH": "/old", "A": "b"}, one) == {"A": "b"}


def test_a_folder_that_a_program_would_name_is_not_read_as_none(conda):
    script = """
CUDNN_PATH=$(dirname $(python -c "import nvidia.cudnn;print(nvidia.cudnn.__file__)"))
export LD_LIBRARY_PATH=$LD_LIBRARY_PATH:$CUDNN_PATH/lib
"""
    (conda / "etc/conda/activate.d/env_vars.sh").write_text(script)
    assert set_by(conda) == {}


LINES = (
    "export CUDA_A=/one",
    "export CUDA_A=/two:$CUDA_A",
    "CUDA_A=/three",
    'CUDA_B="$CUDA_A:x"',
    "export CUDA_B",
    "unset CUDA_A",
    "{yes} && return",
    "# if it's",
    "echo a#b \\\n",
    "A=1 export CUDA_A=/four",
    "eval CUDA_B=/five",
    "{yes} && export CUDA_A=/six",
    ": ${{CUDA_C:=/seven}}",
    "read CUDA_A </dev/null",
    "export CUDA_A=/eight;",
    "export CUDA_C='$CUDA_A'  # as it is",
    "! {yes}",
    "{yes} ||\n",
    "CUDA_A+=/nine",
    "echo if {{",
    "echo ${{A:-}} }}",
    "export CUDA_A=/ten | cat",
    "return",
    "export CUDA_B=$(echo /eleven)",
    "f; g",
    "unset -v CUDA_B",
)
WHOLE = (
    "f() {{\n{0}\n}}\n",
    "if {yes}; then\n{0}\nfi\n",
    "cat <<E\n{0}\nE\n",
    "{{\n{0}\n}}\n",
    "{0}\n",
    "{0}\n",
    "case {yes} in\ntrue)\n{0}\n;;\nesac\n",
    "(\n{0}\n)\n",
    "function g {{\n{0}\n}}\ng\n",
    'echo "\n{0}\n"\n',
    "for i in 1; do\n{0}\ndone\n",
    "{yes} &&\n{0}\n",
    "A=$(\n{0}\n)\n",
    "cat <<-'E' <<F\n{0}\n\tE\n{0}\nF\n",
    "while false; do\n{0}\ndone\n",
    "if false; then :; elif {yes}; then\n{0}\nelse\n{0}\nfi\n",
    "time {{\n{0}\n}}\n",
    "{yes} ||\n{0}\n",
    "f() (\n{0}\n)\n",
    "if {{ {yes}; }}\nthen\n{0}\nfi\n",
)
SHELLS = 1000


@needs.programs("bash")
def test_what_is_read_is_what_a_shell_does(conda, tmp_path):
    """Forged scripts, right and broken: each variable is as bash leaves it, or as it was before."""
    chance = random.Random(16)
    hook, before = conda / "etc/conda/activate.d/a.sh", {"CUDA_A": "/old", "CUDA_B": "/older"}
    one = PythonEnvironment(id=str(conda), kind="conda")
    said = []
    for number in range(SHELLS):
        forged = "".join(_forged(chance) for _ in range(6))
        script = forged.replace("{yes}", chance.choice(("true", "false")))
        hook.write_text(script)
        (tmp_path / f"{number}.sh").write_text(script)
        said.append((script, activated(before, one)))
    every = f"""for n in {{0..{SHELLS - 1}}}; do
        bash -n ./$n.sh && (trap 'echo; export -p' EXIT; . ./$n.sh) </dev/null; echo END
    done 2>/dev/null"""
    done = subprocess.run(
        ["bash", "-c", every],
        env=before | {"PATH": "/usr/bin:/bin", "FUNCNEST": "9"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=120,
    )
    right = known = 0
    for (script, ours), whole in zip(said, done.stdout.split("END\n"), strict=False):
        if "declare" not in whole:
            continue
        real = dict(re.findall(r'(?m)^declare -x (CUDA_\w)="(.*)"$', whole.replace("\\", "")))
        for name in ("CUDA_A", "CUDA_B", "CUDA_C"):
            assert ours.get(name) in (before.get(name), real.get(name)), script
            known += ours.get(name) != before.get(name)
        right += 1
    assert right > SHELLS // 2
    assert known > right // 20


def _forged(chance):
    piece = chance.choice(LINES)
    for _ in range(chance.choice((0, 1, 1, 2))):
        piece = chance.choice(WHOLE).replace("{0}", piece)
    return piece.replace("{{", "{").replace("}}", "}") + "\n"


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
    assert len(set_by(conda).get("CUDA_A", "")) <= 1 << 17


def test_many_variables_take_no_memory(conda):
    lines = [f"A{number}=$CUDA_A" for number in range(5000)]
    script = "\n".join(["CUDA_A=" + "x" * 60_000, *lines, "export CUDA_B=$A4999"])
    (conda / "etc/conda/activate.d/a.sh").write_text(script)
    tracemalloc.start()
    assert set_by(conda) == {}
    assert tracemalloc.get_traced_memory()[1] < 40 << 20
    tracemalloc.stop()


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
