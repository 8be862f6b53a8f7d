"""Which variables a snapshot may hold."""

from __future__ import annotations

import pytest

from cudnn_assistant.system.known_variables import matters


@pytest.mark.parametrize(
    "name",
    [
        "PATH", "Path", "LD_LIBRARY_PATH", "CUDA_PATH_V12_9", "CUDA_VISIBLE_DEVICES", "CUDNN_HOME",
        "TF_FORCE_GPU_ALLOW_GROWTH", "TF_FORCE_UNIFIED_MEMORY", "TF_CUDNN_DETERMINISTIC",
        "TF_CUDNN_USE_AUTOTUNE", "TF_GPU_ALLOCATOR", "TF_ENABLE_ONEDNN_OPTS",
        "TF_CPP_MIN_LOG_LEVEL",
        "TF_XLA_FLAGS", "TF_USE_LEGACY_KERAS", "TF_DETERMINISTIC_OPS",
        "XLA_PYTHON_CLIENT_PREALLOCATE",
    ],
)  # fmt: skip
def test_what_matters(name):
    assert matters(name)


@pytest.mark.parametrize(
    "name",
    [
        "TF_CLI_CONFIG_FILE", "TF_CLI_ARGS", "TF_VAR_db_login", "TF_DATA_DIR", "TF_TOKEN_x",
        "TF_WORKSPACE", "NVIDIA_API_KEY", "NVIDIA_SECRET", "HOME", "AWS_PROFILE", "JAX_TOKEN",
    ],
)  # fmt: skip
def test_what_is_nobodys_business(name):
    assert not matters(name)
