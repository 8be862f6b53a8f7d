"""Which variables matter here. Others are never read into a snapshot: they may hold secrets."""

from __future__ import annotations

import fnmatch
import re

from cudnn_assistant.regex import regex

PATTERNS = (
    "PATH", "LIBRARY_PATH", "CPATH", "LD_LIBRARY_PATH", "LD_LIBRARY_PATH_ORIG", "LD_PRELOAD",
    "LD_AUDIT", "LD_DEBUG*", "GLIBC_TUNABLES",
    "CUDA_*", "CUDAHOSTCXX", "CUDATOOLKIT_HOME", "CUDNN*", "CUPY_*", "NCCL_*", "NUMBA_CUDA_*",
    "NVIDIA_*", "NVCC_*", "NVTOOLSEXT_PATH", "NVCUDASAMPLES*_ROOT",
    "TF_CPP_*", "TF_CUDA_*", "TF_CUDNN_*", "TF_DETERMINISTIC_OPS", "TF_DISABLE_*", "TF_ENABLE_*",
    "TF_FORCE_*", "TF_GPU_*", "TF_USE_*", "TF_XLA_*", "XLA_*", "JAX_*",
    "PYTORCH_*", "TORCH_CUDA_*", "TORCH_CUDNN_*", "ORT_*", "CT2_*", "KMP_DUPLICATE_LIB_OK",
    "VIRTUAL_ENV", "CONDA_PREFIX", "CONDA_DEFAULT_ENV",
    "PYTHONPATH", "PYTHONHOME", "PYTHONNOUSERSITE", "APPDIR", "_MEIPASS2",
    "SLURM_JOB_ID", "SLURM_JOB_GPUS", "SLURM_STEP_GPUS", "LSB_JOBID", "PBS_JOBID", "_CONDOR_SLOT",
    "KUBERNETES_SERVICE_PORT", "GPU_DEVICE_ORDINAL", "HIP_VISIBLE_DEVICES",
)  # fmt: skip
"""Shell patterns, in the spelling of the documentation.

TensorFlow's are named one by one: Terraform's TF_VAR_… and TF_CLI_… hold other people's secrets.
"""

_SECRET = regex(r"TOKEN|SECRET|PASSWORD|API_?KEY", re.IGNORECASE)
_KNOWN = regex("|".join(fnmatch.translate(pattern) for pattern in PATTERNS))


def matters(name: str) -> bool:
    """Whether a variable belongs to the snapshot. Case doesn't count: Windows ignores it, and
    nobody on Linux means another variable by ``path``-like spellings of these names."""
    return bool(_KNOWN.match(name.upper())) and not _SECRET.search(name)
