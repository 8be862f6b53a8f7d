"""Rules and their healthy twins: one fact changed, and the finding is gone (or changes)."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from machines.computers import COMPUTERS, redacted, thought
from machines.each import each_computer
from machines.parts import (
    LIB,
    but,
    copy,
    cublas,
    entry,
    gpu,
    linux_driver,
    linux_toolkit,
    passed,
    shell,
    torch,
    torch_copy,
    variable,
    windows_driver,
)

import cudnn_assistant.diagnose as house
from cudnn_assistant.compat import runs_kernels
from cudnn_assistant.diagnose import RULES, diagnose, verdict
from cudnn_assistant.diagnose.remedies import reinstall
from cudnn_assistant.feed import load_builtin
from cudnn_assistant.finding import (
    Automatic,
    Finding,
    InstallCudnn,
    InstallPackages,
    Manual,
    PutFirst,
    SetTo,
    TakeOut,
)
from cudnn_assistant.machine import SYSTEM, Gap, GpuProcess, Machine, Package, Trial, Value
from cudnn_assistant.plan import make_plan
from cudnn_assistant.summary import lines
from cudnn_assistant.wording import words


def of(name: str) -> Machine:
    return COMPUTERS[name].machine


def found(machine: Machine, code: str = "") -> list[Finding]:
    return [f for f in diagnose(machine, load_builtin()) if code in ("", f.code)]


def loud(machine: Machine) -> list[str]:
    return [f.code for f in found(machine) if f.severity != "info"]


def edits(machine: Machine, code: str) -> tuple[Any, ...]:
    remedy = found(machine, code)[0].remedy
    assert isinstance(remedy, Automatic)
    return remedy.edits


# --- what is unknown is not absent ------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("windows-no-nvidia-gpu", "gpu"),
        ("windows-driver-missing", "driver"),
        ("windows-cudnn-missing", "cudnn"),
        ("windows-cudnn-not-on-path", "variables"),
        ("windows-cuda-missing", "toolkits"),
        ("windows-cuda-home-stale", "toolkits"),
        ("windows-cudnn-path-stale", "cudnn"),
    ],
)
def test_a_rule_is_silent_about_what_could_not_be_read(name: str, what: str) -> None:
    machine = of(name)
    code = COMPUTERS[name].expected[0].split()[1]
    assert found(machine, code)
    blind = but(machine, gaps=(Gap(what=what, why="stopped"),))
    assert not found(blind, code)


def test_without_a_test_nothing_works_and_nothing_is_wrong() -> None:
    machine = but(of("linux-healthy"), trials=())
    assert loud(machine) == []
    assert verdict(machine, found(machine)) == "unknown"


@pytest.mark.parametrize(
    ("what", "part"), [("pythons", ""), ("variables", "settings"), ("toolkits", "cuda")]
)
def test_what_could_not_be_read_is_neither_well_nor_absent(what: str, part: str) -> None:
    machine = but(of("linux-healthy"), gaps=(Gap(what=what, why="stopped"),))
    machine = but(machine, toolkits=()) if what == "toolkits" else machine
    rows = {line.part: line.mark for line in lines(machine, found(machine))}
    assert {name for name, mark in rows.items() if mark == "unknown"} == ({part} if part else set())
    assert verdict(machine, found(machine)) == ("works" if part else "unknown")


# --- remedies ---------------------------------------------------------------------------------


def test_the_users_own_path_suffices_when_nothing_has_to_be_beaten() -> None:
    (edit,) = edits(of("windows-cudnn-parent-on-path"), "cudnn-parent-on-path")
    assert isinstance(edit, PutFirst)
    assert (edit.variable, edit.scope) == ("PATH", "user")
    assert edit.folder.endswith(r"v9.8\bin\12.8")


def test_a_machine_entry_is_beaten_only_by_a_machine_entry() -> None:
    (machine_wide,) = edits(of("windows-older-cudnn-first-machine"), "older-cudnn-first")
    (personal,) = edits(of("windows-older-cudnn-first-user"), "older-cudnn-first")
    assert (machine_wide.scope, personal.scope) == ("machine", "user")


def test_linux_gets_ld_library_path_unless_it_would_break_a_python_environment() -> None:
    (edit,) = edits(of("linux-cudnn-not-on-path"), "cudnn-not-on-path")
    assert (edit.variable, edit.scope) == ("LD_LIBRARY_PATH", "user")
    beside = found(of("linux-cudnn-not-on-path-beside-torch"), "cudnn-not-on-path")[0].remedy
    assert isinstance(beside, Manual)
    assert beside.administrator
    assert any("ld.so.conf.d" in c for c in beside.commands)
    assert "sudo ldconfig" in beside.commands


def test_a_same_version_in_an_environment_is_no_reason_against_ld_library_path() -> None:
    machine = of("linux-cudnn-not-on-path-beside-torch")
    system, _own = machine.cudnns
    same = torch_copy("/home/kim/ai/venv", "9.8.0")
    assert isinstance(
        found(but(machine, cudnns=(system, same)), "cudnn-not-on-path")[0].remedy, Automatic
    )


@pytest.mark.parametrize("file", [".bashrc", ".profile", ".zshenv", "/etc/profile.d/cuda.sh"])
def test_a_folder_in_a_file_that_is_read_before_ours_is_taken_out_after_it(file: str) -> None:
    machine = of("linux-stub-library-loaded")
    source = file if file.startswith("/") else f"/home/kim/{file}:118"
    entry = but(machine.search[0], source=source)
    (edit,) = edits(but(machine, search=(entry, *machine.search[1:])), "stub-library-loaded")
    assert edit == TakeOut(variable="LD_LIBRARY_PATH", folder=entry.text, others=True)


def test_a_folder_of_our_own_list_is_taken_out_as_it_is_spelled() -> None:
    """There it may stand by a link; on Windows by a short name or the letter of a drive."""
    machine = of("linux-tried-search-entry")
    (tried,) = (one for one in machine.experiments if one.proven)
    there = but(tried, difference=but(tried.difference, without=("/linked/lib",)))
    stood = but(machine.search[0], text="/linked/lib", source="")
    ours = variable("LD_LIBRARY_PATH", "/linked/lib:/other", "user", ours=True)
    linked = but(
        machine,
        search=(stood, *machine.search[1:]),
        variables=(*machine.variables, ours),
        experiments=(there,),
    )
    plan = make_plan(found(linked, "search-entry-stops-cudnn"), linked, load_builtin())
    assert [step.after for step in plan.steps] == [Value(text="/other")]


@pytest.mark.parametrize("source", ["", "/home/kim/.config/fish/config.fish:3", "/opt/start.sh:1"])
def test_a_folder_from_elsewhere_is_named_and_not_edited(source: str) -> None:
    machine = of("linux-stub-library-loaded")
    entry = but(machine.search[0], source=source)
    finding = found(but(machine, search=(entry, *machine.search[1:])), "stub-library-loaded")[0]
    assert isinstance(finding.remedy, Manual)
    assert finding.facts.get("place", "") == source


@pytest.mark.parametrize("folder", ["/opt/cuda/stubs", "/opt/a+b [1]|.$*\\^'/stubs"])
def test_the_command_for_the_loader_s_list_takes_out_one(tmp_path: Path, folder: str) -> None:
    machine, file = of("linux-stub-library-loaded"), tmp_path / "cuda.conf"
    file.write_text(f"{folder}64\n{folder}/\n/opt/cuda/lib64\n")
    listed = entry(folder, variable="ld.so.conf", source=str(file))
    finding = found(but(machine, search=(listed, *machine.search[1:])), "stub-library-loaded")[0]
    assert isinstance(finding.remedy, Manual)
    edit, again = finding.remedy.commands
    subprocess.run(edit.removeprefix("sudo "), shell=True, check=True)
    assert file.read_text() == f"{folder}64\n#{folder}/\n/opt/cuda/lib64\n"
    assert again == "sudo ldconfig"


def test_a_folder_in_our_own_file_is_taken_out_by_us() -> None:
    machine = of("linux-stub-library-loaded")
    ours = but(shell("LD_LIBRARY_PATH", machine.search[0].text), ours=True)
    (edit,) = edits(but(machine, variables=(ours,)), "stub-library-loaded")
    assert isinstance(edit, TakeOut)
    assert edit.folder == machine.search[0].folder


def test_a_stale_variable_is_set_to_the_toolkit_that_the_driver_speaks() -> None:
    (edit,) = edits(of("windows-cuda-path-stale"), "cuda-path-stale")
    assert edit == SetTo(
        variable="CUDA_PATH", text=of("windows-healthy").toolkits[0].root, scope="machine"
    )


@pytest.mark.parametrize(
    ("driver", "cuda", "card", "expected"),
    [
        ("581.42", "13.0", "RTX 3060", (9, 12, "")),  # cuBLAS 12 is there
        ("572.61", "12.8", "RTX 3060", (9, 12, "")),
        ("572.61", "12.8", "GTX 1070", (9, 12, "9.10.2")),
        ("522.06", "11.8", "RTX 3060", (9, 11, "")),
    ],
)
def test_the_cudnn_to_install_fits_driver_gpu_and_cublas(
    driver: str, cuda: str, card: str, expected: tuple[int, int, str]
) -> None:
    base = of("windows-cudnn-missing")
    kits = () if cuda == "11.8" else base.toolkits
    machine = but(
        base, driver=windows_driver(driver, cuda), gpus=(gpu(card),), toolkits=kits, variables=()
    )
    (edit,) = edits(machine, "cudnn-missing")
    assert isinstance(edit, InstallCudnn)
    assert (edit.major, edit.cuda_major, edit.version) == expected


def test_cuda_13_is_chosen_where_its_cublas_is_the_one_there() -> None:
    thirteen = cublas(linux_toolkit("13.0"), "ld-cache")
    machine = but(
        of("linux-cudnn-missing"), driver=linux_driver("580.65.06", "13.0"), libraries=thirteen
    )
    (edit,) = edits(machine, "cudnn-missing")
    assert edit.cuda_major == 13


def test_packages_of_one_cause_are_one_finding() -> None:
    machine = of("linux-package-incomplete")
    (one,) = (e for e in machine.pythons if any(p.files_missing for p in e.packages))
    others = [Package(name=f"nvidia-{n}-cu12", version="12.1", files_missing=1) for n in "ab"]
    more = but(one, packages=(*one.packages, *others))
    gone = found(but(machine, pythons=(more,)), "package-incomplete")
    assert [finding.facts["count"] for finding in gone] == [4]
    assert gone[0].facts["package"] == ("nvidia-cublas-cu12", "nvidia-a-cu12", "nvidia-b-cu12")


def test_a_build_comes_from_the_index_that_its_version_names() -> None:
    machine = of("linux-package-incomplete")
    (one,) = (e for e in machine.pythons if any(p.files_missing for p in e.packages))
    lost = Package(name="torch", version="2.8.0+cu128", files_missing=1)
    machine = but(machine, pythons=(but(one, packages=(*one.packages, lost)),))
    (edit,) = edits(machine, "package-incomplete")
    assert edit.index.endswith("/cu128")


def test_commands_for_a_new_environment_name_the_index_and_each_package_once() -> None:
    machine = of("linux-no-home-for-cudnn-externally-managed")
    (one,) = (e for e in machine.pythons if e.frameworks)
    build = but(one.frameworks[0], version="2.8.0+cu128")
    machine = but(machine, pythons=(but(one, frameworks=(build, build)),))
    remedy = found(machine, "cudnn-package-missing")[0].remedy
    assert isinstance(remedy, Manual)
    assert remedy.commands[1].count("torch==2.8.0+cu128") == 1
    assert remedy.commands[1].endswith("--extra-index-url https://download.pytorch.org/whl/cu128")


def test_in_a_new_environment_a_framework_gets_a_numpy_that_it_runs_with() -> None:
    machine = of("linux-no-home-for-cudnn-externally-managed")
    (one,) = (e for e in machine.pythons if e.frameworks)
    old = but(one.frameworks[0], name="onnxruntime", package="onnxruntime-gpu", version="1.17.1")
    machine = but(machine, pythons=(but(one, frameworks=(*one.frameworks, old)),))
    remedy = found(machine, "cudnn-package-missing")[0].remedy
    assert isinstance(remedy, Manual)
    assert "onnxruntime-gpu==1.17.1" in remedy.commands[1]
    assert "'numpy==1.*'" in remedy.commands[1]


def test_what_a_release_was_seen_to_run_with_goes_before_what_a_message_says_of_all() -> None:
    machine = of("linux-torch-made-for-an-older-numpy")
    (one,) = (e for e in machine.pythons if e.frameworks)
    old = but(one.frameworks[0], name="tensorflow", package="tensorflow", version="2.10.1")
    tests = (but(t, framework=t.framework.replace("torch", "tensorflow")) for t in machine.trials)
    machine = but(machine, pythons=(but(one, frameworks=(old,)),), trials=tuple(tests))
    (finding,) = found(machine, "python-packages-conflict")
    assert isinstance(finding.remedy, Automatic)
    (edit,) = finding.remedy.edits
    assert isinstance(edit, InstallPackages)
    assert edit.requirements == ("tensorflow==2.10.1", "numpy==1.*")
    assert (finding.facts["package"], finding.facts["requirement"]) == ("numpy", "numpy==1.*")


def test_of_two_pins_of_one_package_the_newer_is_installed() -> None:
    """Both at once pip refuses, and each framework takes a newer minor than its own."""
    machine = of("linux-torch-wrong-major-package")
    (one,) = (e for e in machine.pythons if e.frameworks)
    (pytorch,) = one.frameworks
    (pin,) = pytorch.pins
    older = but(pin, wants="==9.3.0.75")
    tensorflow = but(pytorch, name="tensorflow", version="2.18.0", cudnn="9.3.0", pins=(older,))
    for frameworks in ((tensorflow, pytorch), (pytorch, tensorflow)):
        both = but(machine, pythons=(but(one, frameworks=frameworks),))
        (only,) = found(both, "cudnn-package-wrong-major")
        assert only.facts["requirement"] == pin.wants
        assert only.facts["program"].startswith("PyTorch")


def test_packages_are_installed_by_the_environments_own_pip_unless_it_is_managed() -> None:
    (edit,) = edits(of("linux-torch-cudnn-package-missing"), "cudnn-package-missing")
    assert edit == InstallPackages(
        python="/home/kim/ai/venv/bin/python", requirements=("nvidia-cudnn-cu12==9.10.2.21",)
    )
    managed = found(of("linux-no-home-for-cudnn-externally-managed"), "cudnn-package-missing")[0]
    assert isinstance(managed.remedy, Manual)


@pytest.mark.parametrize(
    ("name", "tool"),
    [
        ("linux-driver-missing", "ubuntu-drivers"),
        ("debian-driver-missing", "apt"),
        ("fedora-driver-missing", "akmod-nvidia"),
        ("rocky-driver-missing", "dnf"),
        ("manjaro-driver-missing", "pacman"),
        ("opensuse-driver-missing", "zypper"),
    ],
)
def test_the_driver_is_installed_the_distributions_way(name: str, tool: str) -> None:
    remedy = found(of(name), "driver-missing")[0].remedy
    assert isinstance(remedy, Manual)
    assert any(tool in command for command in remedy.commands)
    assert remedy.restart


def test_an_unknown_distribution_gets_the_page_and_no_guessed_command() -> None:
    remedy = found(of("gentoo-driver-missing"), "driver-missing")[0].remedy
    assert isinstance(remedy, Manual)
    assert remedy.link
    assert remedy.commands == ()


def test_nobody_is_told_to_update_a_driver_that_the_gpu_can_not_have() -> None:
    for name in COMPUTERS:
        for finding in found(of(name)):
            if finding.code == "driver-too-old":
                assert all(float(g.compute or 99) >= 5 for g in of(name).gpus)
    assert [f.code for f in found(of("windows-gpu-too-old-for-cuda"))] == ["gpu-too-old-for-cuda"]


# --- twins ------------------------------------------------------------------------------------


def test_a_driver_may_speak_a_lower_minor_of_the_same_major() -> None:
    machine = but(of("windows-torch-healthy"), driver=windows_driver("528.33", "12.0"))
    assert loud(machine) == []


def test_a_test_that_passed_disproves_an_error() -> None:
    machine = of("windows-cudnn-not-on-path")
    copied = machine.cudnns[0]
    proven = but(machine, trials=(passed(copied, machine.gpus[0]),))
    assert loud(proven) == []


def test_a_system_copy_that_nobody_needs_is_at_most_a_note() -> None:
    for name in ("windows-torch-beside-unused-cudnn-healthy", "linux-torch-healthy"):
        assert loud(of(name)) == []


def test_a_program_that_needs_the_system_copy_makes_it_matter() -> None:
    """The same unreachable copy is an error as soon as something takes cuDNN from the system."""
    machine, other = of("windows-torch-beside-unused-cudnn-healthy"), of("windows-cudnn-missing")
    with_cuda = but(machine, libraries=other.libraries, search=other.search)
    assert loud(with_cuda) == []
    asking = of("windows-onnxruntime-gpu-healthy").pythons
    assert loud(but(with_cuda, pythons=(*machine.pythons, *asking))) == ["cudnn-not-on-path"]


def test_other_majors_do_not_shadow_each_other() -> None:
    """cudnn64_8.dll before cudnn64_9.dll is no trouble: the names differ."""
    assert loud(of("windows-older-major-first-healthy")) == []


def test_hidden_is_only_who_hides_all() -> None:
    base = of("windows-gpu-hidden")
    uuid = base.gpus[0].uuid
    for value, hides in (
        ("-1", True), ("", True), ("NoDevFiles", True), ("5", True), ("GPU-ffff", True),
        ("0", False), ("0,7", False), (uuid, False), (uuid[:12], False),
    ):  # fmt: skip
        setting = variable("CUDA_VISIBLE_DEVICES", value, "user")
        assert bool(found(but(base, variables=(setting,)), "gpu-hidden")) is hides, value


def test_code_of_the_same_family_runs_on_later_gpus_and_ptx_on_all_later() -> None:
    assert runs_kernels(("8.0",), "8.9")
    assert runs_kernels(("8.6",), "8.6")
    assert runs_kernels(("9.0+PTX",), "12.0")
    assert not runs_kernels(("8.0", "9.0"), "12.0")
    assert not runs_kernels(("7.0", "7.0+PTX"), "6.1")
    assert not runs_kernels(("8.6",), "8.0")


@pytest.mark.parametrize(("compute", "runs"), [("7.0", True), ("5.2", False)])
def test_in_wsl_a_framework_is_a_build_for_linux(compute: str, runs: bool) -> None:
    """That for Windows has code for other GPUs, and ONNX Runtime's files tell nothing of it."""
    inside, one = of("wsl-healthy"), of("linux-no-test").pythons[0]
    runtime = but(one.frameworks[0], name="onnxruntime", version="1.26.0", cuda="12")
    pythons = (but(one, frameworks=(but(runtime, architectures=()),)),)
    gpus = (but(inside.gpus[0], compute=compute),)
    there = but(of("linux-no-test"), os=inside.os, driver=inside.driver, gpus=gpus, pythons=pythons)
    assert loud(there) == ([] if runs else ["gpu-too-old-for-framework"])


def test_memory_is_no_finding_while_the_test_passes() -> None:
    machine = of("windows-gpu-memory-nearly-full-healthy")
    assert loud(machine) == []
    untested = but(machine, trials=())
    assert "gpu-memory-taken" in loud(untested)


def test_processes_that_hold_memory_are_named() -> None:
    finding = found(of("linux-gpu-memory-taken"), "gpu-memory-taken")[0]
    assert finding.facts.get("programs", ())[0] == "python3 (9001)"


def test_an_exclusive_gpu_is_fine_until_somebody_else_is_on_it() -> None:
    machine = of("linux-compute-mode-exclusive-healthy")
    busy = but(machine.gpus[0], processes=(GpuProcess(pid=1, name="other"),))
    assert loud(machine) == []
    assert loud(but(machine, gpus=(busy,), trials=())) == ["compute-mode-exclusive"]


def test_a_link_and_a_trailing_slash_name_the_same_toolkit() -> None:
    machine = of("linux-cuda-link-healthy")
    assert loud(machine) == []
    other = but(machine, variables=(shell("CUDA_PATH", "/usr/local/cuda-12.6"),))
    assert loud(other) == ["cuda-path-stale"]


def test_a_reference_to_another_variable_is_not_judged() -> None:
    value = Value(text="%CUDA_PATH_V12_8%", expand=True)
    referring = but(variable("CUDA_PATH", ""), value=value)
    assert loud(but(of("windows-healthy"), variables=(referring,))) == []


def test_a_cpu_build_matters_most_where_it_is_the_only_one() -> None:
    assert found(of("windows-torch-cpu-only"))[0].severity == "error"
    assert found(of("windows-torch-cpu-only-beside-gpu"))[0].severity == "warning"
    assert loud(of("windows-plain-onnxruntime-healthy")) == []


def test_a_cpu_build_without_any_nvidia_gpu_is_not_the_problem() -> None:
    machine = but(of("windows-torch-cpu-only"), gpus=(), driver=None)
    assert loud(machine) == ["no-nvidia-gpu"]


def test_lower_layers_silence_what_they_explain() -> None:
    """No driver: nobody needs to hear that cuDNN is missing as well."""
    machine = but(of("linux-cudnn-missing"), driver=None)
    assert loud(machine) == ["driver-missing"]


def test_settings_are_told_beside_the_error_that_matters() -> None:
    assert loud(of("windows-cuda-path-stale")) == ["cudnn-not-on-path", "cuda-path-stale"]


def test_an_environment_that_leans_on_the_system_shares_its_verdict() -> None:
    machine = of("windows-cudnn-wrong-major")
    findings = found(machine)
    assert verdict(machine, findings, SYSTEM) == "broken"
    assert verdict(machine, findings, machine.pythons[0].id) == "broken"
    well = of("windows-onnxruntime-gpu-healthy")
    assert verdict(well, found(well), well.pythons[0].id) == "works"


def test_one_broken_environment_does_not_hide_a_working_one() -> None:
    machine = of("linux-torch-cudnn-truncated")
    root = "/home/kim/other/venv"
    second, its_copy = torch(root), torch_copy(root)
    both = but(
        machine,
        pythons=(*machine.pythons, second),
        cudnns=(*machine.cudnns, its_copy),
        trials=(*machine.trials, passed(its_copy, machine.gpus[0], root)),
    )
    findings = found(both)
    assert verdict(both, findings, root) == "works"
    assert verdict(both, findings, machine.pythons[0].id) == "broken"
    assert verdict(both, findings) == "broken"


def test_an_impossible_environment_beside_a_working_one_is_not_the_end() -> None:
    working, dead = of("windows-torch-healthy"), of("windows-tensorflow-without-gpu").pythons
    both = but(working, pythons=(*working.pythons, *dead))
    findings = found(both)
    assert [f.severity for f in findings] == ["warning"]
    assert verdict(both, findings) == "works"


def test_a_status_is_read_by_the_major_that_was_loaded() -> None:
    """3005 of cuDNN 9 names the driver; only a driver below the floor confirms it."""
    machine = of("windows-healthy")
    trial = but(machine.trials[0], stage="handle", status="status-code", code=3005)
    fine = but(machine, trials=(trial,))
    assert [(f.code, f.sure) for f in found(fine)] == [("driver-too-old", False)]
    old = but(fine, driver=windows_driver("511.09", "11.6"))
    assert loud(old) == ["driver-too-old"]


def test_ld_library_path_in_front_of_a_healthy_environment_is_no_finding() -> None:
    machine = of("linux-torch-overridden-by-library-path")
    own = torch_copy("/home/kim/ai/venv")
    working = but(machine, trials=(passed(own, machine.gpus[0], "/home/kim/ai/venv"),))
    assert loud(working) == []


def test_a_folder_found_through_a_link_counts_as_searched() -> None:
    reached = copy(LIB, "9.8.0", found_via=("ld-cache",))
    machine = but(of("linux-cudnn-not-on-path"), cudnns=(reached,))
    assert "cudnn-not-on-path" not in loud(machine)


def test_a_quote_is_a_part_of_a_folders_name_on_linux() -> None:
    machine = but(of("linux-cudnn-not-on-path"), trials=())
    quoted = entry(f'"{machine.cudnns[0].folder}"', variable="LD_LIBRARY_PATH")
    assert "cudnn-not-on-path" in loud(but(machine, search=(quoted, *machine.search)))


def test_two_spellings_of_a_folder_are_one_on_windows() -> None:
    machine = of("windows-cudnn-not-on-path")
    other = entry(machine.cudnns[0].folder.upper() + "\\", "user")
    assert "cudnn-not-on-path" not in loud(but(machine, search=(*machine.search, other)))


def test_every_rule_of_every_file_is_asked_once_and_in_the_order_of_the_layers() -> None:
    written = "".join(path.read_text("utf-8") for path in Path(house.__file__).parent.rglob("*.py"))
    looks = len(re.findall(r"^@(?:rule|family|_proof)\(", written, re.MULTILINE))
    assert len({rule.check for rule in RULES}) == looks
    assert len(RULES) == len(set(RULES)) == len({(rule.check, rule.code) for rule in RULES})
    assert [rule.layer for rule in RULES] == sorted(rule.layer for rule in RULES)
    assert all((rule.check.__doc__ or "").strip() for rule in RULES)


@each_computer
def test_a_remedy_says_whose_page_its_link_opens(name: str) -> None:
    theirs = {"nvidia", "cudnn-archive", "cudnn-file"}
    for finding in thought(name).findings:
        if isinstance(finding.remedy, Manual) and finding.remedy.link:
            host, page = urlsplit(finding.remedy.link).hostname or "", finding.remedy.page
            assert (page in theirs) == host.endswith("nvidia.com")
            assert (page == "microsoft") == host.endswith("microsoft.com")


@each_computer
def test_what_we_say_we_will_do_is_something_that_the_plan_can_do(name: str) -> None:
    """An automatic remedy without a step would leave a person before an empty page."""
    machine, compat = of(name), load_builtin()
    for finding in thought(name).findings:
        if isinstance(finding.remedy, Automatic):
            assert make_plan((finding,), machine, compat).steps, finding.code


def test_what_nobody_asks_for_is_not_told_first() -> None:
    """An environment's fault comes before that of a system's cuDNN which no program needs."""
    torch_machine, spare = (
        of("linux-torch-cublas-gone"),
        of("linux-nobody-uses-broken-spare-copy-healthy"),
    )
    broken = next(c for c in spare.cudnns if c.damaged)
    machine = but(torch_machine, cudnns=(broken, *torch_machine.cudnns))
    codes = [f.code for f in found(machine)]
    assert codes[0] == "cublas-missing-in-environment"
    assert "cudnn-damaged" in codes


@pytest.mark.parametrize(
    "spelled", [str.lower, str.upper, lambda text: text.replace("\\", "/").lower()]
)
def test_no_spelling_of_a_windows_folder_is_a_finding(spelled: Callable[[str], str]) -> None:
    """Windows takes both slashes and any case; so must we, and so must a report."""
    machine = of("windows-healthy")
    machine = but(
        machine,
        variables=tuple(but(v, value=Value(text=spelled(v.value.text))) for v in machine.variables),
        search=tuple(
            but(e, text=spelled(e.text), folder=spelled(e.folder)) for e in machine.search
        ),
    )
    assert found(machine) == found(redacted(machine)) == []


@pytest.mark.parametrize("entry", ["/tmp/_MEIab12cd", "/tmp/.mount_CursorAb12/usr/lib"])
def test_a_packaged_program_s_own_folder_is_told_of(entry: str) -> None:
    leaked = variable("LD_LIBRARY_PATH", f"{entry}:/opt/x/lib", "process")
    assert loud(but(of("linux-healthy"), variables=(leaked,))) == ["leaked-library-folder"]


def asked(machine: Machine, framework: str, **ended: Any) -> Machine:
    """The same where a framework of its first environment stopped like that."""
    trial = Trial(subject=machine.pythons[0].id, framework=framework, **ended)
    return but(machine, trials=(*machine.trials, trial))


@pytest.mark.parametrize(
    "words",
    [
        "PyTorch was compiled  against (9, 27, 2) but found runtime version (9, 8, 0).",
        "Loaded runtime CuDNN library: 9.8.0 but source was compiled with: 9.27.2.",
    ],
)
def test_a_framework_says_itself_which_cudnn_it_was_made_with(words: str) -> None:
    """Its files tell the major alone where the system's packages brought it."""
    mine = torch("/home/kim/ai/venv")
    brought = but(mine.frameworks[0], cudnn="9", cudnn_from="system", pins=())
    system = but(of("linux-healthy"), pythons=(but(mine, frameworks=(brought,)),))
    stops = asked(system, "torch", stage="driver", status="status-code", detail=words)
    (one,) = (f for f in found(stops) if f.severity == "error")
    assert one.code == "cudnn-too-old"
    assert "9.27.2" in str(one.facts)


def test_code_that_a_framework_says_it_has_not_is_none() -> None:
    mine = torch("/home/kim/ai/venv")
    ptx = but(mine.frameworks[0], architectures=("8.0", "9.0+PTX"))
    fresh = but(of("linux-torch-healthy"), gpus=(gpu("RTX 5090"),))
    fresh = but(fresh, pythons=(but(mine, frameworks=(ptx,)),))
    assert found(fresh, "gpu-too-new-for-framework") == []
    words = "RuntimeError: CUDA error: no kernel image is available for execution on the device"
    stops = asked(fresh, "torch", stage="convolution", status="status-code", detail=words)
    assert [f.severity for f in found(stops, "gpu-too-new-for-framework")] == ["error"]


def test_a_python_that_can_not_start_has_said_why() -> None:
    words = "NixOS cannot run dynamically linked executables intended for generic linux"
    stops = asked(
        of("linux-torch-healthy"), "torch", stage="start", status="crashed", code=127, output=words
    )
    assert [f.facts["said"] for f in found(stops, "framework-stopped")] == [words]


@pytest.mark.parametrize(
    ("root", "line"),
    [
        ("/opt/conda", "conda install -p /opt/conda --force-reinstall libcudnn"),
        ("/src/.pixi/envs/cuda", "pixi reinstall -e cuda --manifest-path /src libcudnn"),
    ],
)
def test_who_installed_a_conda_package_brings_it_again(root: str, line: str) -> None:
    held = Package(name="libcudnn", version="9.10.2.21", manager="conda")
    one = but(torch(root), kind="conda", packages=(held,))
    one = but(one, frameworks=(but(one.frameworks[0], cudnn_from="conda", pins=()),))
    context = house.Context(but(of("linux-torch-healthy"), pythons=(one,)), load_builtin(), root)
    assert reinstall(context) == Manual(commands=(line,))


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("venv", "onnxruntime-without-packages"),
        ("conda", "onnxruntime-without-packages"),
        # No person calls what loads the packages in a tool's program.
        ("pipx", "program-needs-other-cuda"),
        ("uv", "program-needs-other-cuda"),
    ],
)
def test_onnxruntime_s_packages_are_for_environments_of_one_s_own(kind: Any, code: str) -> None:
    machine = of("linux-onnxruntime-without-packages")
    machine = but(machine, pythons=tuple(but(one, kind=kind) for one in machine.pythons))
    assert [f.code for f in found(machine) if f.severity == "error"] == [code]


@pytest.mark.parametrize(("present", "told"), [("2.9.0+cpu", True), ("2.9.0+cu128", False)])
def test_uv_brings_back_what_its_lock_names(present: str, told: bool) -> None:
    machine = of("linux-cpu-torch-without-cudnn")
    held = (Package(name="torch", version=present),)
    one = but(machine.pythons[0], lock="/src/uv.lock", packages=held)
    machine = but(machine, pythons=(one,))
    (finding,) = found(machine, "cpu-only-framework")
    wish = InstallPackages(python=one.python, requirements=("torch==2.9.0+cu128",))
    finding = but(finding, remedy=Automatic(edits=(wish,)))
    assert ("/src/uv.lock" in words(finding, machine).fix) is told


@pytest.mark.parametrize(
    ("name", "root", "line"),
    [
        ("torch", "/opt/conda", "conda install -p /opt/conda pytorch-gpu"),
        ("jax", "/opt/conda", "conda install -p /opt/conda 'jaxlib=*=*cuda*'"),
        ("torch", "/src/.pixi/envs/default", "pixi add --manifest-path /src pytorch-gpu"),
    ],
)
def test_conda_brings_its_own_build_for_the_gpu(name: str, root: str, line: str) -> None:
    mine = torch(root)
    built = but(mine.frameworks[0], name=name, package=name, gpu=False, cudnn_from="none", pins=())
    held = (Package(name=name, version="2.9.0", manager="conda"),)
    one = but(mine, kind="conda", frameworks=(built,), packages=held)
    machine = but(of("linux-cpu-torch-without-cudnn"), pythons=(one,))
    (told,) = found(machine, "cpu-only-framework")
    assert isinstance(told.remedy, Manual)
    assert told.remedy.commands == (line,)
