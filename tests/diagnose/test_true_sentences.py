"""Every sentence follows from what was mapped and measured, on every golden computer."""

from __future__ import annotations

from machines.computers import golden, thought
from machines.each import each_computer
from machines.parts import but
from true_sentences import last_line, of_line, untrue

from cudnn_assistant.summary import Line, lines


@each_computer
def test_every_sentence_is_true(name: str) -> None:
    assert untrue(golden(name), thought(name).findings) == []


def test_a_sentence_that_nothing_bears_out_is_seen() -> None:
    machine = golden("linux-torch-asked-healthy")
    here = machine.pythons[0].id
    own = Line("python", "ok", "PyTorch", f"its own cuDNN 9.10.2 works, in {here}")
    itself = Line(
        "python", "ok", "PyTorch", f"works: it ran a convolution with cuDNN 9.9, in {here}"
    )
    elsewhere = tuple(but(t, loaded="/opt/other/libcudnn.so.9") for t in machine.trials)
    assert not list(of_line(machine, own, ()))
    assert list(of_line(but(machine, trials=elsewhere), own, ()))
    assert list(of_line(machine, itself, ()))
    assert list(last_line(machine, "cuDNN 9.9 works", "It ran in 0.1 s."))


def test_a_copy_from_elsewhere_is_not_called_the_environment_s_own() -> None:
    machine = golden("linux-torch-healthy")
    elsewhere = tuple(but(t, loaded="/opt/other/libcudnn.so.9") for t in machine.trials)
    (row,) = [r for r in lines(but(machine, trials=elsewhere), ()) if r.part == "python"]
    assert row.text.startswith("cuDNN 9.10.2 from /opt/other works")
