"""Variables that name folders or change what CUDA does: stale, disagreeing, malformed."""

from __future__ import annotations

import re
import tomllib

from cudnn_assistant.diagnose.remedies import set_to
from cudnn_assistant.diagnose.rule import Context, Findings, Layer, family, rule
from cudnn_assistant.finding import Manual
from cudnn_assistant.machine import Scope, Toolkit, Variable
from cudnn_assistant.places import resource
from cudnn_assistant.regex import regex
from cudnn_assistant.versions import major, numbers, short

_DEBUGGING = tomllib.loads(resource("variables.toml").read_text("utf-8"))["debugging"]
"""Variables for finding faults in programs, and the values that switch them on."""
STORED: tuple[Scope, ...] = ("user", "machine")
"""Windows gives a program the first of these where both set a variable (PATH excepted)."""


def place(variable: Variable) -> str:
    """Where a variable is set: file and line, or the scope's name."""
    return variable.source or variable.scope


def toolkit_of(ctx: Context, text: str) -> Toolkit | None:
    """The toolkit that a variable's text names, by its folder or a link to it."""
    key = ctx.key(text)
    kits = ctx.machine.toolkits if key else ()
    return next((kit for kit in kits if key in map(ctx.key, (kit.root, *kit.links))), None)


def newest(ctx: Context) -> Toolkit | None:
    """The newest toolkit whose CUDA the driver speaks, else the newest of all."""
    top = major(ctx.driver.cuda) if ctx.driver.cuda else 10**6
    return max(
        ctx.machine.toolkits,
        key=lambda t: (major(t.version) <= top, numbers(t.version)),
        default=None,
    )


def lasting(ctx: Context, name: str) -> Variable | None:
    """The stored layer of a variable; the process's own only where no other is known."""
    return ctx.machine.variable(name, "user", "machine", "process")


@family(
    {
        "cuda-path-stale": ("CUDA_PATH", False),
        "cuda-path-malformed": ("CUDA_PATH", True),
        "cuda-home-stale": ("CUDA_HOME", False),
        "cuda-home-malformed": ("CUDA_HOME", True),
    },
    layer=Layer.SETTINGS,
)
def not_cuda(ctx: Context, key: tuple[str, bool]) -> Findings:
    """A variable names a folder without CUDA, or a toolkit with a slip of the pen."""
    name, slip = key
    variable = None if ctx.machine.unknown("toolkits") else lasting(ctx, name)
    if variable is None or not _readable(ctx, variable):
        return
    text = variable.value.text
    meant = _meant(ctx, text)
    # Programs take quotes for a part of the folder's name.
    # A folder inside a toolkit holds CUDA's files too, and is not what the name stands for.
    # CUDA's libraries lie below a folder that is no toolkit where conda installs them.
    held = any(ctx.inside(one.path, text) for one in ctx.libraries("cudart", "cublas", "nvrtc"))
    there = toolkit_of(ctx, text) or (held and not meant)
    if slip != (meant is not None) or (there and '"' not in text):
        return
    target = meant or newest(ctx)
    version = re.search(r"(?:v|cuda-|cuda/v?)(\d+\.\d+)", text, re.IGNORECASE)
    yield ctx.warning(
        set_to(ctx, variable, target.root if target else None),
        f"{variable.name}={text} ({place(variable)})",
        variable=variable.name,
        value=text,
        place=variable.source,
        older=version[1] if version else "",
        newer=short(target.version) if target else "",
        folder=target.root if target else "",
        folder_gone=variable.exists is False,
    )


_INSIDE = regex(r"[\\/](?:(?:bin|lib)(?:[\\/]x64)?|lib64|include)[\\/]*$", re.IGNORECASE)
"""The end of a path to a folder of a toolkit's own."""


def _meant(ctx: Context, text: str) -> Toolkit | None:
    """The toolkit behind a slip of the pen: quotes, a list, a colon before it, \\bin behind it."""
    pieces = re.split(r"[;:](?![\\/])" if ctx.windows else "[;:]", text)
    plain = (p.strip().strip('"') for p in pieces)
    found = (toolkit_of(ctx, p) or toolkit_of(ctx, _INSIDE.sub("", p)) for p in plain)
    return next(filter(None, found), None)


@rule("cuda-paths-disagree", layer=Layer.SETTINGS)
def disagree(ctx: Context) -> Findings:
    """CUDA_PATH and CUDA_HOME name two different CUDA versions."""
    one, other = lasting(ctx, "CUDA_PATH"), lasting(ctx, "CUDA_HOME")
    if one is None or other is None:
        return
    left, right = toolkit_of(ctx, one.value.text), toolkit_of(ctx, other.value.text)
    if left is None or right is None or ctx.key(left.root) == ctx.key(right.root):
        return
    # The installer keeps CUDA_PATH up to date on Windows; on Linux people set CUDA_HOME.
    change, keep = (other, left) if ctx.windows else (one, right)
    yield ctx.warning(
        set_to(ctx, change, keep.root),
        f"CUDA_PATH={one.value.text} ({place(one)})",
        f"CUDA_HOME={other.value.text} ({place(other)})",
        path_cuda=short(left.version),
        home_cuda=short(right.version),
        variable=change.name,
        newer=short(keep.version),
        place=change.source,
    )


@rule("cuda-path-of-account", layer=Layer.SETTINGS)
def accounts_differ(ctx: Context) -> Findings:
    """The account's CUDA_PATH names another toolkit than the computer's, and both are there.

    Programs of this person get the account's; services and other people the computer's.
    """
    mine, whole = (ctx.machine.variable("CUDA_PATH", scope) for scope in STORED)
    if not (ctx.windows and ctx.stopped_tests()) or mine is None or whole is None:
        return
    one, other = toolkit_of(ctx, mine.value.text), toolkit_of(ctx, whole.value.text)
    if one is None or other is None or ctx.key(one.root) == ctx.key(other.root):
        return
    yield ctx.warning(
        Manual(),
        *(f"{v.name}={v.value.text} ({place(v)})" for v in (mine, whole)),
        account_cuda=short(one.version),
        other=short(other.version),
    )


@rule("cudnn-path-stale", layer=Layer.SETTINGS)
def cudnn_path(ctx: Context) -> Findings:
    """CUDNN_PATH names a folder in which there is no cuDNN."""
    if ctx.machine.unknown("cudnn"):
        return
    for name in ("CUDNN_PATH", "CUDNN_HOME"):
        variable = lasting(ctx, name)
        text = variable.value.text if variable else ""
        if variable is None or not _plain(text) or _has_cudnn(ctx, name, text):
            continue
        remedy = set_to(ctx, variable, None)
        evidence = f"{name}={text} ({place(variable)})"
        yield ctx.warning(remedy, evidence, variable=name, value=text, place=variable.source)


def _readable(ctx: Context, variable: Variable) -> bool:
    """Whether the text can be compared. In a running program nothing replaces a $NAME any more."""
    text = variable.value.text
    left = not ctx.windows and variable.scope == "process" and "***" not in text
    return _plain(text) or (left and text.startswith(("$", "~")))


def _plain(text: str) -> bool:
    """Whether a text is a folder that can be compared: no reference, not left out of a report."""
    return bool(text) and not any(sign in text for sign in ("%", "$", "***"))


def _has_cudnn(ctx: Context, name: str, text: str) -> bool:
    toolkit = toolkit_of(ctx, text)
    folders = (text, toolkit.root) if toolkit else (text,)
    # A link leads elsewhere, but the look that followed it noted its variable.
    return any(
        name in copy.found_via or any(ctx.inside(copy.folder, folder) for folder in folders)
        for copy in ctx.machine.cudnns
    )


@rule("debug-variable-set", layer=Layer.SETTINGS)
def debugging(ctx: Context) -> Findings:
    """Variables for hunting faults are switched on."""
    on = [v for n, texts in _DEBUGGING.items() if (v := lasting(ctx, n)) and v.value.text in texts]
    for variable in on:
        evidence = f"{variable.name}={variable.value.text} ({place(variable)})"
        remedy = set_to(ctx, variable, None)
        yield ctx.note(remedy, evidence, variable=variable.name)


@rule("gpu-order-differs", layer=Layer.SETTINGS)
def order(ctx: Context) -> Findings:
    """CUDA and nvidia-smi number the GPUs differently."""
    if ctx.machine.variable("CUDA_DEVICE_ORDER"):
        return
    seen = [g for g in ctx.machine.gpus if g.cuda_index is not None]
    differ = any(g.nvml_index not in (None, g.cuda_index) for g in seen)
    if differ and len(seen) == len(ctx.machine.gpus):
        rows = [f"{g.name}: CUDA {g.cuda_index}, NVML {g.nvml_index}" for g in ctx.machine.gpus]
        yield ctx.note(Manual(), *rows)
