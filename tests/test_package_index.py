"""Builds that lie on a framework's own index: which one, from where, and the way back."""

from __future__ import annotations

import pytest
from machines.computers import golden

from cudnn_assistant.apply.environment import Environment, commands, rehearsal
from cudnn_assistant.compat.packages import index_of, is_index
from cudnn_assistant.feed import load_builtin
from cudnn_assistant.plan import InstallPackage, PackageChange
from cudnn_assistant.plan.kinds.packages import undo
from cudnn_assistant.session.checkup import think
from cudnn_assistant.trouble import Refused

HERE = Environment("/env/bin/python", managed=False, pip=True, uv=False, packages={})


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("windows-torch-cpu-only", "torch==2.9.0+cu128"),
        ("linux-cpu-torch-without-cudnn", "torch==2.9.0+cu128"),
        ("linux-torch-for-older-cuda-than-gpu", "torch==2.9.0+cu128"),
        ("windows-torch-newer-than-gpu", "torch==2.9.0+cu126"),
    ],
)
def test_a_build_that_fits_is_installed_from_its_makers(name: str, wanted: str) -> None:
    seen = think(golden(name), load_builtin())
    (step,) = [one for one in seen.plan.steps if isinstance(one, InstallPackage)]
    # pip takes 2.9.0+cpu for 2.9.0, and would do nothing: the variant has to be named.
    assert step.requirements == (wanted,)
    assert step.index == index_of("torch", wanted.rpartition("+")[2])
    run = commands(step, HERE)[0]
    assert run[-3:] == ["--extra-index-url", step.index, wanted]
    assert "--dry-run" in rehearsal(step, HERE)
    assert step.index in rehearsal(step, HERE)


def test_no_build_is_promised_where_none_is_known() -> None:
    seen = think(golden("windows-on-arm"), load_builtin())
    assert not [one for one in seen.plan.steps if isinstance(one, InstallPackage)]


def test_the_way_back_asks_the_index_that_the_old_build_came_from() -> None:
    new = PackageChange(name="torch", before="2.9.0+cpu", after="2.9.0+cu128")
    step = InstallPackage(
        python="/env/bin/python",
        requirements=("torch==2.9.0+cu128",),
        index=index_of("torch", "cu128"),
        changes=(new, PackageChange(name="nvidia-cudnn-cu12", after="9.10.2.21")),
    )
    back = undo(step)
    assert back is not None
    assert back.requirements == ("torch==2.9.0+cpu",)
    assert back.remove == ("nvidia-cudnn-cu12",)
    assert back.index == index_of("torch", "cpu")


@pytest.mark.parametrize(
    "address",
    [
        "https://example.org/whl/cu128",
        "https://download.pytorch.org.example.org/whl/cu128",
        "https://download.pytorch.org/whl/cu128/../x",
        "http://download.pytorch.org/whl/cu128",
    ],
)
def test_no_other_address_is_ever_asked(address: str) -> None:
    assert not is_index(address)
    step = InstallPackage(python="/env/bin/python", requirements=("torch==1",), index=address)
    with pytest.raises(Refused):
        commands(step, HERE)
    with pytest.raises(Refused):
        rehearsal(step, HERE)
