"""Stub driver and stub cuDNN, compiled, and the environment of a person who has them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

HERE = Path(__file__).parent
LAB = HERE.parent / "lab"


def compiled(source: Path, target: Path, *options: str) -> Path:
    options = (f"-Wl,-soname,{target.name}", *options)
    target.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        ["gcc", "-O2", "-shared", "-fPIC", "-w", *options, "-o", target, source, "-ldl"],
        check=True,
        env={"PATH": os.environ["PATH"]},
    )
    return target


class World:
    """Folders with stubs, and the environment of a person who has them on the search path."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.driver = compiled(HERE / "cuda_stub.c", root / "driver" / "libcuda.so.1").parent
        self.cudnn = {
            major: compiled(
                LAB / "cudnn_stub.c",
                root / f"cudnn{major}" / f"libcudnn.so.{major}",
                f"-DMAJOR={major}",
            ).parent
            for major in (7, 8, 9)
        }
        self.jit = compiled(
            LAB / "cudnn_stub.c", root / "jit" / "libcudnn.so.9", "-DMAJOR=9", "-DJIT"
        ).parent
        (self.jit / "libcudnn_graph.so.9").touch()
        (self.jit / "libcudnn_engines_runtime_compiled.so.9").touch()

    def environment(self, *folders: Path | str, **variables: str) -> dict[str, str]:
        path = ":".join(map(str, folders))
        return {"PATH": os.environ["PATH"], "LD_LIBRARY_PATH": path, **variables}

    def healthy(self, major: int = 9, **variables: str) -> dict[str, str]:
        return self.environment(self.cudnn[major], self.driver, **variables)
