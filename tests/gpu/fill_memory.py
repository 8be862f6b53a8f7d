"""Fills the first GPU's memory up to a rest of N MiB, says "filled", and holds it until killed."""

import ctypes
import sys
import time

rest = int(sys.argv[1]) * 2**20
cuda = ctypes.CDLL("libcuda.so.1")
context, free, total = ctypes.c_void_p(), ctypes.c_size_t(), ctypes.c_size_t()
assert cuda.cuInit(0) == 0
assert cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
assert cuda.cuCtxSetCurrent(context) == 0
while True:
    assert cuda.cuMemGetInfo_v2(ctypes.byref(free), ctypes.byref(total)) == 0
    piece = min(free.value - rest, 2**30) // 2**21 * 2**21
    if piece <= 0:
        break
    where = ctypes.c_uint64()
    assert cuda.cuMemAlloc_v2(ctypes.byref(where), ctypes.c_size_t(piece)) == 0
print("filled", free.value, flush=True)
time.sleep(600)
