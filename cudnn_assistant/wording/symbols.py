"""What the symbols of cuDNN, CUDA, NVML and the system mean for a person."""

from __future__ import annotations

from cudnn_assistant.wording.sentences import rows, say


def symbol_means(symbol: str) -> str:
    """What "SIGSEGV" means, for example; "" for symbols that no ordinary person meets."""
    return say(f"symbols.{symbol}") if symbol in rows("symbols") else ""
