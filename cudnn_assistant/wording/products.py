"""Names as people know them."""

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
