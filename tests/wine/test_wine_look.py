"""The whole look by Windows' Python on Wine's registry, drives and loader.

What Wine does alike: registry kinds, drives, file names without case, PE files, processes and
their pipes. It has no SetupAPI devices of a GPU and no NVIDIA driver.
"""

from __future__ import annotations

from pathlib import Path

import pefile
import pytest
from windows_python import Wine

from cudnn_assistant.machine import load

pytestmark = pytest.mark.wine

REPOSITORY = Path(__file__).parents[2]


def test_looks_at_a_planted_windows(wine: Wine) -> None:
    libraries = str(Path(pefile.__file__).parent)
    done = wine.run("look_inside.py", libraries)
    assert done.code == 0, done.output
    machine = load(done.output.strip().splitlines()[-1])
    assert (machine.os.family, machine.os.architecture) == ("windows", "x86_64")
    assert "Windows" in machine.os.name
    assert [gap for gap in machine.gaps if gap.what != "variables"] == []

    found = {copy.folder.lower(): copy for copy in machine.cudnns}
    new = found[r"c:\program files\nvidia\cudnn\v9.8\bin\12.8"]
    assert (new.version, new.header_version, new.cuda_major) == ("9.8.0.87", "9.8.0", 12)
    assert (new.found_via, new.damaged) == (("default", "installer"), ())
    old = found[r"c:\tools\cuda\bin"]
    assert (old.version, old.found_via) == ("8.9.7.29", ("PATH", "default"))
    assert [(part.name, part.state) for part in old.damaged] == [("cnn_infer", "missing")]

    entries = [entry for entry in machine.search if entry.variable == "PATH"]
    parent = next(e for e in entries if e.text.lower().endswith(r"cudnn\v9.8\bin"))
    assert (parent.scope, parent.exists) == ("user", True)
    assert parent.folder.lower() == r"c:\program files\nvidia\cudnn\v9.8\bin"
    assert machine.search[0].folder.lower() == r"c:\windows\system32"

    (toolkit,) = machine.toolkits
    assert (toolkit.version, "CUDA_PATH" in toolkit.found_via) == ("13.0.2", True)
    libraries_found = {(one.name, one.version) for one in machine.libraries}
    assert ("cudart", "13.0") in libraries_found
    assert any(one.name == "zlibwapi" for one in machine.libraries)
    assert machine.driver is not None
    assert machine.driver.kernel_version == "572.61"
