"""The package that a file belongs to, in any package manager's terms."""

from __future__ import annotations

import msgspec

from cudnn_assistant.regex import regex

_CUDA = regex(r"cuda-?(\d+)|cu(\d{2})(?!\d)")
_FULL = regex(r"\d+(?:\.\d+)*")


class Owner(msgspec.Struct, frozen=True):
    """A package and what its name and version tell."""

    package: str
    version: str

    def __str__(self) -> str:
        return f"{self.package} {self.version}".strip()

    @property
    def cudnn(self) -> str:
        """Version of cuDNN: "8.9.7.29-1+cuda12.2" is 8.9.7.29."""
        bare = self.version.split(":", 1)[-1]
        match = _FULL.match(bare)
        return match[0] if match else ""

    @property
    def cuda_major(self) -> int | None:
        """CUDA major by name or version: "libcudnn9-cuda-12", "+cuda12.2", "-cu12"."""
        match = _CUDA.search(f"{self.package} {self.version}")
        return int(match[1] or match[2]) if match else None
