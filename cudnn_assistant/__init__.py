"""cuDNN Assistant: finds out why cuDNN doesn't start, mends it, and proves it on the GPU."""

__version__ = "0.1.0"
