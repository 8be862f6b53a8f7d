"""cuDNN Assistant: finds out why cuDNN doesn't start, mends it, and proves it on the GPU.

``check``, ``explain_text``, ``recommend`` and ``support_report`` are for other programs; they are
loaded when they are first asked for.
"""

from __future__ import annotations

# Loading typing takes a moment in which Ctrl+C isn't heard yet.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from cudnn_assistant.interface import check, explain_text, recommend, support_report

__version__ = "0.1.0"
__all__ = ["__version__", "check", "explain_text", "recommend", "support_report"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from cudnn_assistant import interface

    return getattr(interface, name)
