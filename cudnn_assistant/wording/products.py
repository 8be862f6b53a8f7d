"""Names as people know them."""

from __future__ import annotations

from cudnn_assistant.machine import Framework

PRODUCTS = {
    "tensorflow": "TensorFlow",
    "torch": "PyTorch",
    "jax": "JAX",
    "onnxruntime": "ONNX Runtime",
    "cupy": "CuPy",
    "ctranslate2": "CTranslate2",
    "paddle": "PaddlePaddle",
    "mxnet": "MXNet",
    "tensorrt": "TensorRT",
}
"""Framework's module name → product name; never translated."""


def called(framework: Framework) -> str:
    """The framework as people call it: "PyTorch 2.9.0"; the build's mark (+cu128) is left out."""
    return titled(f"{framework.name} {framework.version}")


def titled(text: str) -> str:
    """The same for "torch 2.9.0+cu128", as tests name the framework that ran."""
    name, _, version = text.partition(" ")
    return f"{PRODUCTS.get(name, name)} {version.split('+')[0]}".strip()
