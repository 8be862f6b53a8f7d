#!/usr/bin/python3 -IBS
# ruff: noqa: D100, E402, UP031  (a Python older than ours reads this, too)
# Starts cuDNN Assistant with the first Python that it brings libraries for. -I: no file of the
# current folder and no PYTHON* variable can reach it; who needs it has trouble with both.
import os
import sys

HERE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
ENTRY = "main"
SERIES = (14, 13, 12, 11)

if sys.version_info[0] != 3 or sys.version_info[1] not in SERIES:
    for number in SERIES:
        python = "/usr/bin/python3.%d" % number
        if os.access(python, os.X_OK):
            os.execv(python, [python, "-IBS", *sys.argv])
    sys.exit(
        "cuDNN Assistant needs Python 3.11, 3.12, 3.13 or 3.14. On Ubuntu 22.04: apt install "
        "python3.11, on openSUSE Leap: zypper install python311"
    )

sys.path.insert(0, os.path.join(HERE, "lib", "cudnn-assistant"))
import cudnn_assistant.__main__ as program

sys.exit(getattr(program, ENTRY)())
