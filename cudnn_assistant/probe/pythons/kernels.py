"""What Jupyter's kernels run and set, by their kernel.json (jupyter_client.kernelspec)."""

from __future__ import annotations

from collections.abc import Iterator

from cudnn_assistant.machine import Kernel, Value, Variable, readable
from cudnn_assistant.probe.files.disk import Disk, json_object
from cudnn_assistant.system.known_variables import matters


def kernels(disk: Disk, base: str, *, network: bool = False) -> Iterator[tuple[str, Kernel]]:
    """The kernels in one folder of Jupyter's data, each with the program that it starts."""
    for folder in disk.matching(base, ("kernels/*",), network=network):
        file = disk.join(folder, "kernel.json")
        spec = json_object(disk.text(file))
        command, said = spec.get("argv"), spec.get("env")
        path = readable(file)
        variables = tuple(
            Variable(scope="user", name=name, value=Value(text=readable(text)), source=path)
            for name, text in (said.items() if isinstance(said, dict) else ())
            if isinstance(text, str) and matters(name)
        )
        if isinstance(command, list) and command:
            yield str(command[0]), Kernel(path=path, variables=variables)
