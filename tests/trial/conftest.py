"""A world for the test child: stub driver and stub cuDNN, compiled once, found by LD_LIBRARY_PATH.

The stubs are programs of their own with behaviour; the child, its watcher and everything between
them are the real ones.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
LAB = HERE.parent / "lab"

if sys.platform != "linux" or not shutil.which("gcc"):
    collect_ignore_glob = ["test_*.py"]


def compiled(source: Path, target: Path, *options: str) -> Path:
    options = (f"-Wl,-soname,{target.name}", *options)
    target.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        ["gcc", "-shared", "-fPIC", "-O2", "-w", *options, "-o", target, source, "-ldl"],
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


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(tmp_path_factory.mktemp("world"))
