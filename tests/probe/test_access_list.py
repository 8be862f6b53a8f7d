"""Who may write what on Windows: access lists as Windows, Setup programs and people make them."""

from __future__ import annotations

import pytest

from cudnn_assistant.probe.files.access_list import doubt

ME = "S-1-5-21-1-2-3-1001"
OTHER = "S-1-5-21-1-2-3-1002"
INSTALLER = "S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464"
DRIVE = (
    f"O:{INSTALLER}G:{INSTALLER}D:PAI(A;OICIIO;SDGXGWGR;;;AU)(A;;LC;;;AU)(A;OICIIO;GA;;;SY)"
    "(A;;FA;;;SY)(A;OICIIO;GA;;;BA)(A;;FA;;;BA)(A;OICI;0x1200a9;;;BU)"
)
"""C: as Windows sets it up."""
PROGRAMS = (
    f"O:{INSTALLER}G:{INSTALLER}D:PAI(A;;FA;;;{INSTALLER})(A;CIIO;GA;;;{INSTALLER})"
    "(A;;0x1301bf;;;SY)(A;OICIIO;GA;;;SY)(A;;0x1301bf;;;BA)(A;OICIIO;GA;;;BA)"
    "(A;;0x1200a9;;;BU)(A;OICIIO;GXGR;;;BU)(A;OICIIO;GA;;;CO)(A;;0x1200a9;;;AC)"
)
r"""C:\Program Files."""
HOME = f"O:{ME}G:{ME}D:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;FA;;;{ME})"
ON_THE_DRIVE = (
    f"O:{ME}G:{ME}D:AI(A;OICIID;0x1301bf;;;AU)(A;OICIID;FA;;;SY)(A;OICIID;FA;;;BA)"
    "(A;OICIID;0x1200a9;;;BU)"
)
r"""C:\cudnn, made by somebody: the drive gives all accounts the right to change it."""
PROGRAM_DATA = (
    "O:BAG:SYD:AI(A;OICIID;FA;;;SY)(A;OICIID;FA;;;BA)(A;OICIIOID;GA;;;CO)(A;OICIID;0x1200a9;;;BU)"
    "(A;CIID;DCLCRPCR;;;BU)"
)
r"""C:\ProgramData\miniconda3: all accounts may add files."""
FOLDERS = [
    ("the drive on the way", DRIVE, False, ""),
    ("programs", PROGRAMS, True, ""),
    ("home", HOME, True, ""),
    ("set up by the domain", f"O:DAG:DUD:P(A;OICI;FA;;;DA)(A;;FA;;;LA)(A;;FA;;;{ME})", True, ""),
    ("on the drive", ON_THE_DRIVE, True, "writable"),
    ("on the drive, on the way", ON_THE_DRIVE, False, "writable"),
    ("program data", PROGRAM_DATA, True, "writable"),
    ("program data, on the way", PROGRAM_DATA, False, ""),
    ("somebody's", HOME.replace(f"O:{ME}", f"O:{OTHER}"), False, "owner"),
    ("may be written by one more", f"{HOME}(A;;0x100002;;;{OTHER})", True, "writable"),
    ("may delete within", f"{HOME}(A;;DT;;;{OTHER})", False, "writable"),
    ("may change the list", f"{HOME}(A;;WD;;;{OTHER})", False, "writable"),
    ("may take it", f"{HOME}(A;;WO;;;WD)", False, "writable"),
    ("a condition", f'{HOME}(XA;;FA;;;WD;(Title=="PM"))', False, "writable"),
    ("taken away", f"{HOME}(D;;FA;;;{OTHER})", True, ""),
    ("only what will be made", f"{HOME}(A;OICIIO;FA;;;{OTHER})", True, ""),
    ("reads alone", f"{HOME}(A;;FR;;;WD)(A;;FX;;;AN)", True, ""),
    ("no list", f"O:{ME}G:{ME}", True, "writable"),
    ("an empty one", f"O:{ME}D:", True, ""),
    ("no control", f"O:{ME}D:NO_ACCESS_CONTROL", True, "writable"),
    ("unknown letters", f"{HOME}(A;;ZZ;;;WD)", True, "writable"),
    ("what is watched is not given", f"{HOME}S:(AU;SAFA;FA;;;WD)", True, ""),
    ("nothing told", "", True, "owner"),
    ("a stick without lists", "O:WDG:WDD:NO_ACCESS_CONTROL", True, "owner"),
]


@pytest.mark.parametrize(("name", "text", "last", "wanted"), FOLDERS)
def test_a_folder(name: str, text: str, last: bool, wanted: str) -> None:
    assert doubt(text, ME, folder=True, last=last, alone=False) == wanted


@pytest.mark.parametrize(
    ("given", "wanted"),
    [("FR", ""), ("0x1200a9", ""), ("FW", "writable"), ("LC", "writable"), ("SD", "writable"),
     ("GA", "writable"), ("0x1301bf", "writable"), ("SDGXGWGR", "writable")],
)  # fmt: skip
@pytest.mark.parametrize("whom", ["WD", "AU", OTHER, "S-1-15-2-1"])
def test_a_library(given: str, wanted: str, whom: str) -> None:
    text = f"{HOME}(A;;{given};;;{whom})"
    assert doubt(text, ME, folder=False, last=True, alone=False) == wanted


def test_who_is_alone_has_no_others_among_all() -> None:
    """Most computers have one account, where a right of "all" is a right of one's own."""
    for text in (ON_THE_DRIVE, PROGRAM_DATA, "O:WDG:WDD:NO_ACCESS_CONTROL"):
        assert doubt(text, ME, folder=True, last=True, alone=True) == ""
    text = f"{HOME}(A;;FA;;;{OTHER})"
    assert doubt(text, ME, folder=True, last=True, alone=True) == "writable"
    assert doubt("", ME, folder=True, last=True, alone=True) == "owner"
