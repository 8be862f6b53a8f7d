"""Child program: load cuDNN, start it on a GPU and hold a convolution against the CPU's numbers.

Every stage is told before it begins, so that a crash or a hang has a place. The driver is started
before cuDNN is loaded, because checking cuDNN's parts would start it as well, and a driver that
hangs must not be put down to cuDNN. Without a driver the stages of the library still run: they
find missing and mixed files on any computer.
"""

from __future__ import annotations

from cudnn_assistant.child import loading
from cudnn_assistant.child.bench import Bench
from cudnn_assistant.child.channel import Channel, Stopped, Wish, lift, serve
from cudnn_assistant.child.cudnn import Cudnn, CudnnStatus, NotCudnn
from cudnn_assistant.child.device import Device, find_gpu, of_cuda
from cudnn_assistant.child.driver_api import CudaStatus

_SCARCE = 600 << 20
"""Bytes: with less free than this, trouble that memory can cause is put down to it."""
_MEMORY_CODES = {
    8: {1, 2, 4, 8},  # NOT_INITIALIZED, ALLOC_FAILED, INTERNAL_ERROR, EXECUTION_FAILED
    9: {1001, 4000, 4003, 4004, 5000, 5001, 5002, 5003},
}
"""What cuDNN has been seen to answer when the GPU's memory is full."""


def main(arguments: list[str]) -> int:
    """Run with one JSON argument (see probe.trial). Answers on the pipe, always exits with 0."""
    return serve(arguments, _test)


def _test(channel: Channel, wish: Wish) -> None:
    lift(wish["lifted"])
    try:
        _stages(channel, wish)
    finally:
        loading.tell_mapped(channel)


def _stages(channel: Channel, wish: Wish) -> None:
    """All stages. Without a driver those of the library still run, and what they find counts."""
    folder = wish["library"]
    gpu: Device | None = None
    no_driver: Stopped | None = None
    try:
        gpu = find_gpu(channel, wish["gpu"])
    except Stopped as stopped:
        stopped.facts["stage"] = "driver"
        no_driver = stopped
    library = loading.load(channel, wish)
    loading.versions(channel, library)
    unasked = wish["unasked"]
    jit, lesser = loading.sublibraries(channel, library, wish["parts"], unasked=unasked)
    if folder:
        loading.stay_home(folder)
    try:
        if gpu is None:
            raise no_driver or Stopped("not-run")
        gpu.enter_context(channel)
        _on_device(channel, library, gpu, full=wish["full"], jit=jit)
    except Stopped as stopped:
        raise lesser or stopped from stopped
    if folder:
        loading.stay_home(folder)


def _on_device(channel: Channel, library: Cudnn, device: Device, *, full: bool, jit: bool) -> None:
    try:
        channel.stage("handle")
        handle = library.create("")
        channel.stage("convolution")
        bench = Bench(channel, library, device, handle)
        bench.run(full=full, jit=jit)
        channel.about("cudnnDestroy")
        library.call("cudnnDestroy", handle)
    except CudnnStatus as refusal:
        raise _cause(device, library.major, loading.of_cudnn(refusal)) from refusal
    except NotCudnn as lack:
        raise loading.no_such_function(lack) from lack
    except CudaStatus as refusal:
        raise of_cuda(refusal) from refusal


def _cause(device: Device, major: int, stopped: Stopped) -> Stopped:
    """Tell memory that ran out from a cuDNN that can't work."""
    if stopped.facts["code"] not in _MEMORY_CODES[9 if major >= 9 else 8]:
        return stopped
    free = device.free_memory()
    if free is None:
        return stopped
    stopped.facts["memory_after"] = free
    if free < _SCARCE:
        stopped.facts["status"] = "out-of-memory"
    return stopped
