"""Where each cause of the catalogue is handled: by rules, by ``explain``, or why nowhere.

``catalogue.md`` beside this file is made from ``catalogue.toml`` and these tables:

    PYTHONPATH=tests python -m diagnose.catalogue
"""

from __future__ import annotations

import tomllib
from pathlib import Path

from cudnn_assistant.diagnose import RULES

PAGE = Path(__file__).with_name("catalogue.md")

COVERED: dict[str, list[str]] = tomllib.loads(
    PAGE.with_suffix(".toml").read_text(encoding="utf-8")
)["codes"]
"""Ids of the causes that each code of a finding covers."""

CAUSES = {
    "D01": "No NVIDIA GPU in the machine",
    "D02": "No NVIDIA driver on Windows",
    "D03": "No NVIDIA driver on Linux",
    "D04": "Driver too old for the CUDA runtime",
    "D05": "PTX or JIT code newer than the driver",
    "D06": "Driver too old for this cuDNN release",
    "D07": "Corrupt or half-installed Windows driver",
    "D08": "GPU disabled in Device Manager",
    "D09": "Restart pending after driver install or update",
    "D10": "Kernel module and user library differ",
    "D11": "Module not built for the running kernel",
    "D12": "Secure Boot rejects the module",
    "D13": "Another kernel driver owns the GPU",
    "D14": "GPU needs the open kernel modules",
    "D15": "Open kernel modules on a GPU that cannot use them",
    "D16": "GPU dropped from current driver branches",
    "D17": "No permission on the device files",
    "D18": "nvidia-uvm missing",
    "D19": "CUDA broken after suspend/resume",
    "D20": "GPU fell off the bus",
    "D21": "GPU present but initialisation fails",
    "D22": "Fabric Manager not running",
    "D23": "Compute mode PROHIBITED",
    "D24": "Exclusive-process mode, another context exists",
    "D25": "MIG enabled, no usable instance or wrong one",
    "D26": "Persistence off: slow first use",
    "D27": "vGPU guest without licence",
    "D28": "Hybrid laptop: NVIDIA GPU off, hidden or asleep",
    "D29": "Watchdog reset (TDR / launch timeout)",
    "D30": "Virtual machine without a passed-through GPU",
    "D31": "CUDA cache folder not writable",
    "D32": "GSP firmware / driver-branch fault",
    "C01": "WSL version 1",
    "C02": "Linux driver installed inside WSL",
    "C03": '"GPU access blocked by the operating system"',
    "C04": "TCC-mode GPU invisible in WSL",
    "C05": "Unversioned libcuda.so not found (WSL, cuDNN 8)",
    "C06": "Windows or WSL too old / driver update half done",
    "C07": "NVIDIA container toolkit missing or not configured",
    "C08": "Container started without GPU or capability",
    "C09": "GPU lost in a running container",
    "C10": "cuda-compat library in use where not allowed",
    "C11": "Image demands a newer CUDA driver",
    "C12": "Snap confinement",
    "C13": "Flatpak sandbox",
    "C14": "Rootless or SELinux denial",
    "L01": "cuDNN not installed for this program",
    "L02": "Wrong cuDNN major",
    "L03": "Runtime cuDNN older than the build",
    "L04": "Sub-library of cuDNN 8 missing",
    "L05": "Sub-library of cuDNN 9 missing",
    "L06": "Sub-DLLs lie beside the shim but are not found",
    "L07": "Mixed sub-library versions",
    "L08": "cuDNN 9.20 picks up a foreign engines_tensor_ir",
    "L09": "Corrupt or truncated file",
    "L11": "Wrong architecture",
    "L12": "Stray copy in System32, the EXE folder or the app folder wins",
    "L13": "Another copy earlier in PATH wins",
    "L14": "LD_LIBRARY_PATH copy wins over the framework's",
    "L15": "System package (ld.so.cache) copy wins",
    "L16": "A package's bundled shim is loaded first",
    "L17": "Renamed library",
    "L18": "cuDNN built for another CUDA major",
    "L19": "zlibwapi.dll missing or 32-bit",
    "L20": "libz.so.1 missing",
    "L21": "cuBLAS / cuBLASLt missing",
    "L22": "cuBLAS and cuBLASLt of different versions",
    "L23": "NVRTC or its builtins missing or mismatched",
    "L24": "CUDA runtime DLL of the framework missing",
    "L25": "Stub libcuda.so / libnvidia-ml.so loaded",
    "L26": "VC++ runtime missing or too old",
    "L27": "OpenMP DLL missing (fbgemm.dll)",
    "L28": "C library too old or not glibc",
    "L29": "Antivirus removed, locked or delays a file",
    "L30": "Application control blocks a DLL",
    "L31": "cudnn-jit installed instead of full cuDNN",
    "L32": "Placeholder package",
    "L33": "Header version ≠ library version",
    "L34": "Library exists but the loader cache does not know it",
    "L35": "Broken or copied symbolic links",
    "L36": "Library not readable by the user",
    "L37": "Package record says installed, files differ",
    "E01": "Folder with the DLLs is not on PATH",
    "E02": "cuDNN installer's PATH entry is one level too high",
    "E03": "CUDA 13 DLLs are in bin\x64",
    "E04": "CUDA_PATH wrong, dangling or malformed",
    "E05": "CUDA_HOME / CUDNN_PATH set in the belief that the loader reads it",
    "E06": "Unexpanded %VAR% in PATH",
    "E07": "PATH truncated",
    "E08": "PATH too long for some programs",
    "E09": "Malformed entries",
    "E10": "User PATH cannot precede machine PATH",
    "E11": "Stale environment in running programs",
    "E12": "Python ≥ 3.8 does not search PATH",
    "E13": "Microsoft Store Python",
    "E14": "LD_LIBRARY_PATH set inside the running process",
    "E15": "Shell start-up file not read",
    "E16": "sudo / setuid / file capabilities drop the variable",
    "E17": "Empty or relative element in a search path",
    "E18": "Frozen application leaks its library path",
    "E19": "Non-ASCII or very long path",
    "E20": "CUDA_VISIBLE_DEVICES hides the GPU",
    "E21": "Device order or timing of the variable",
    "E22": "Debug variables left on",
    "E23": "conda activation scripts override paths",
    "F01": "CPU-only PyTorch",
    "F02": "TensorFlow ≥ 2.11 on native Windows",
    "F03": "CPU TensorFlow installed or shadowing",
    "F04": "TensorFlow 2.16 pip libraries not found",
    "F05": "onnxruntime and onnxruntime-gpu both installed",
    "F06": "ONNX Runtime provider cannot load",
    "F07": "CTranslate2 and PyTorch want different cuDNN majors",
    "F08": "JAX without or with mismatched CUDA plugin",
    "F09": "CuPy 14 has no cuDNN",
    "F10": "32-bit Python",
    "F11": "ARM64 system without matching builds",
    "F12": "Two generations of nvidia-* packages",
    "F13": "conda and pip mixed",
    "F14": "Several frameworks in one process",
    "F15": "No GPU wheel for this Python version",
    "F16": "User-site package shadows the environment",
    "F17": "The wrong interpreter was tested",
    "H01": "GPU newer than the build",
    "H02": "GPU too old for cuDNN ≥ 9.11",
    "H03": "GPU too old for the CUDA major",
    "H04": "cuDNN 7 / CUDA 10 era software on Ampere or newer",
    "H05": "Data type not supported by the GPU",
    "H06": "First run is slow because of JIT",
    "H07": "Not enough VRAM",
    "H08": "CPU lacks required instructions",
    "H09": "Memory errors (ECC, row remap)",
    "H10": "Unstable or defective GPU",
    "H11": "Heat or power limit",
    "H12": "Degraded PCIe link",
    "H13": "Unified-memory platform reports no memory",
    "H14": "Windows spills VRAM to system memory",
    "H15": "TF32 mistaken for a fault",
    "H16": "Host memory or commit limit too low",
    "A01": "Framework takes all memory first (allow growth)",
    "A02": "Other processes use the GPU memory",
    "A03": "Memory held by a dead or hidden process",
    "A04": "Program runs on the wrong device",
    "A05": "Wrong shapes, types or layouts",
    "A06": "Sticky CUDA error",
    "A07": "CUDA used after fork",
    "A08": "Handle or context misuse",
    "A09": "Version numbers confused",
    "A10": "Toolkit installed though not needed",
}
"""Ids and names of the catalogue of causes."""

ELSEWHERE = {
    "D31": (
        "explain",
        (
            "The owner of the cache folder isn't in the snapshot; a start that stays"
            " slow is told by first-run-slow."
        ),
    ),
    "C07": (
        "explain",
        "Seen on the host when a container is started; inside there is only container-no-gpu.",
    ),
    "C11": ("explain", "The image refuses to start, so we never run inside it."),
    "E12": (
        "explain",
        (
            "Needs the import table of a foreign module; the framework's own test shows"
            " it as library-missing."
        ),
    ),
    "E14": ("explain", "Happens inside a running program; the test starts afresh."),
    "E15": (
        "explain",
        (
            "The test runs in the environment of a fresh program, so what a start-up"
            " file misses is measured."
        ),
    ),
    "E16": ("explain", "Happens only under sudo; we run as the person."),
    "E23": (
        "explain",
        (
            "Activation scripts run in the person's shell; what they lead to is found"
            " as library-path-overrides."
        ),
    ),
    "F14": (
        "explain",
        (
            "Shows only with two frameworks in one process; frameworks-disagree warns"
            " of different majors."
        ),
    ),
    "F17": ("explain", "Every finding and line names the environment it is about."),
    "H05": ("no fault", "The test reports types that the GPU doesn't have as skipped."),
    "H12": ("explain", "The link's width tells only under load, and slow is not broken."),
    "H13": ("no fault", "Unknown memory is unknown: no rule reads it as missing."),
    "H14": ("explain", "Shows only in a running program, as slowness."),
    "H15": ("no fault", "The test compares within the tolerance of TF32."),
    "A05": ("explain", "In the person's own program; our test passes."),
    "A06": ("explain", "In one running process; a new one is fine."),
    "A07": ("explain", "In the person's own program."),
    "A08": ("explain", "In the person's own program."),
    "A09": (
        "no fault",
        "The lines of the summary name the driver's highest CUDA and the toolkit apart.",
    ),
    "A10": (
        "no fault",
        "The summary says that nothing here needs a toolkit or cuDNN of the system.",
    ),
}
"""Causes that no rule about a snapshot covers: where they are handled, and why not by a rule."""


def handled() -> dict[str, list[str]]:
    """The codes that cover each cause."""
    found: dict[str, list[str]] = {}
    for code, causes in COVERED.items():
        for cause in causes:
            found.setdefault(cause, []).append(code)
    return found


def page() -> str:
    """The table for contributors."""
    rows = [
        "# Causes and where they are handled",
        "",
        "| id | cause | handled by |",
        "|---|---|---|",
    ]
    codes = handled()
    for cause, name in CAUSES.items():
        how, why = ELSEWHERE.get(cause, ("", ""))
        told = ", ".join(f"`{code}`" for code in codes.get(cause, [])) or f"{how}: {why}"
        rows.append(f"| {cause} | {name} | {told} |")
    counted = sum(cause in codes for cause in CAUSES)
    rows += ["", f"{counted} of {len(CAUSES)} causes have a rule; {len(RULES)} rules in all."]
    return "\n".join(rows) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
