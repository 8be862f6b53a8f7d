"""Fills the GPU's memory until so many MiB are free, says so, and waits to be ended."""

from __future__ import annotations

import sys

from cudnn_assistant.child.driver_api import CudaStatus, Driver

driver = Driver()
driver.call("cuInit", 0)
driver.enter(0)
leave = int(sys.argv[1]) << 20
piece = 1 << 30
while piece >= 1 << 20:
    try:
        if driver.memory()[0] - piece < leave:
            piece //= 2
            continue
        driver.call("cuMemAlloc", piece)
    except CudaStatus:
        piece //= 2
print(driver.memory()[0] >> 20, flush=True)  # noqa: T201
sys.stdin.read()
