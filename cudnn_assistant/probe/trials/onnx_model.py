"""A model of one convolution for ONNX Runtime, written byte by byte, so that onnx isn't needed."""

from __future__ import annotations

from cudnn_assistant.child.framework import C, H, K, N, W


def onnx_model() -> bytes:
    """A model of one Conv node (ONNX IR 7, operator set 11), in protobuf's wire format."""

    def number(field: int, value: int) -> bytes:
        return varint(field << 3) + varint(value)

    def part(field: int, data: bytes) -> bytes:
        return varint(field << 3 | 2) + varint(len(data)) + data

    def value(name: str, sizes: list[int]) -> bytes:
        shape = b"".join(part(1, number(1, size)) for size in sizes)
        return part(1, name.encode()) + part(2, part(1, number(1, 1) + part(2, shape)))

    pads = part(1, b"pads") + number(20, 7) + b"".join(number(8, 1) for _ in range(4))
    node = part(1, b"x") + part(1, b"w") + part(2, b"y") + part(4, b"Conv") + part(5, pads)
    graph = part(1, node) + part(2, b"g")
    graph += part(11, value("x", [N, C, H, W])) + part(11, value("w", [K, C, 3, 3]))
    graph += part(12, value("y", [N, K, H, W]))
    return number(1, 7) + part(7, graph) + part(8, part(1, b"") + number(2, 11))


def varint(value: int) -> bytes:
    """Protobuf's variable-length number."""
    data = b""
    while value > 127:
        data += bytes([value & 127 | 128])
        value >>= 7
    return data + bytes([value])
