#!/usr/bin/python3 -IBS
# ruff: noqa: D100, E402, UP031, UP036  (a Python older than ours reads this, too)
# Starts cuDNN Assistant with the first Python that is new enough. -I: no file of the current
# folder and no PYTHON* variable can reach it; the people who need it have trouble with both.
import os
import sys

HERE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
ENTRY = "main"

if sys.version_info < (3, 11):
    for number in (14, 13, 12, 11):
        python = "/usr/bin/python3.%d" % number
        if os.access(python, os.X_OK):
            os.execv(python, [python, "-IBS", *sys.argv])
    sys.exit(
        "cuDNN Assistant needs Python 3.11 or newer. On Ubuntu 22.04: apt install python3.11, "
        "on openSUSE Leap: zypper install python311"
    )

sys.path.insert(0, os.path.join(HERE, "lib", "cudnn-assistant"))
import cudnn_assistant.__main__ as program

sys.exit(getattr(program, ENTRY)())
