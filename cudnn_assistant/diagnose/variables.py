"""Variables that name folders or change what CUDA does: stale, disagreeing, malformed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudnn_assistant.diagnose.context import Context, Rule, major, numbers, short, stopped
from cudnn_assistant.envpath import split
from cudnn_assistant.finding import Automatic, Finding, Manual, Remedy, SetTo, TakeOut
from cudnn_assistant.machine import PathEntry, Scope, Toolkit, Variable

_DEBUG = {
    "CUDA_LAUNCH_BLOCKING": "1",
    "CUDA_FORCE_PTX_JIT": "1",
    "CUDA_DISABLE_PTX_JIT": "1",
    "CUDA_CACHE_DISABLE": "1",
    "CUDNN_LOGINFO_DBG": "1",
}
"""Variables for finding faults in programs, and the value that switches them on."""


_ABOUT_CUDA = re.compile("cuda|cudnn", re.IGNORECASE)


def place(variable: Variable) -> str:
    """Where a variable is set: file and line, or the scope's name."""
    return variable.source or variable.scope


def toolkit_of(ctx: Context, text: str) -> Toolkit | None:
    """The toolkit that a variable's text names, by its folder or a link to it."""
    key = ctx.key(text)
    for toolkit in ctx.machine.toolkits:
        if key and key in {ctx.key(folder) for folder in (toolkit.root, *toolkit.links)}:
            return toolkit
    return None


def newest(ctx: Context) -> Toolkit | None:
    """The newest toolkit whose CUDA the driver speaks, else the newest of all."""
    driver = ctx.machine.driver
    top = major(driver.cuda) if driver and driver.cuda else 10**6
    return max(
        ctx.machine.toolkits,
        key=lambda t: (major(t.version) <= top, numbers(t.version)),
        default=None,
    )


def set_to(ctx: Context, variable: Variable, text: str | None) -> Remedy:
    """Set a variable where it is set now; by hand where the line is not ours to edit."""
    if variable.scope != "process" and (ctx.windows or variable.ours):
        edit = SetTo(variable=variable.name, text=text, scope=variable.scope)
        return Automatic(edits=(edit,))
    if ctx.windows:
        return Manual()
    line = f"unset {variable.name}" if text is None else f"export {variable.name}={text}"
    return Manual(commands=(line,))


def _lasting(ctx: Context, name: str) -> Variable | None:
    """The stored layer of a variable; the process's own only where no other is known."""
    return ctx.machine.variable(name, "user", "machine", "process")


def stale(ctx: Context) -> Iterator[Finding]:
    """E04: CUDA_PATH or CUDA_HOME names a folder without CUDA."""
    if ctx.machine.unknown("toolkits"):
        return
    for name in ("CUDA_PATH", "CUDA_HOME"):
        variable = _lasting(ctx, name)
        text = variable.value.text if variable else ""
        if variable is not None and _plain(text) and toolkit_of(ctx, text) is None:
            yield from _stale(ctx, variable)


def _stale(ctx: Context, variable: Variable) -> Iterator[Finding]:
    text = variable.value.text
    target = _meant(ctx, text) or newest(ctx)
    malformed = _meant(ctx, text) is not None
    kind = "malformed" if malformed else "stale"
    code = f"{variable.name.lower().replace('_', '-')}-{kind}"
    yield ctx.finding(
        code,
        "warning",
        set_to(ctx, variable, target.root if target else None),
        f"{variable.name}={text} ({place(variable)})",
        variable=variable.name,
        value=text,
        place=variable.source,
        old=_version_in(text),
        new=short(target.version) if target else "",
        folder=target.root if target else "",
        gone=variable.name if variable.exists is False else "",
    )


def _meant(ctx: Context, text: str) -> Toolkit | None:
    """The toolkit behind a slip of the pen: quotes, a list, a colon before it, \\bin behind it."""
    pieces = re.split(r"[;:](?![\\/])" if ctx.windows else "[;:]", text)
    for piece in (p.strip().strip('"') for p in pieces):
        found = toolkit_of(ctx, piece) or toolkit_of(
            ctx, re.sub(r"[\\/](bin|lib64)[\\/]?$", "", piece)
        )
        if found:
            return found
    return None


def _version_in(text: str) -> str:
    match = re.search(r"(?:v|cuda-|cuda/v?)(\d+\.\d+)", text, re.IGNORECASE)
    return match[1] if match else ""


def disagree(ctx: Context) -> Iterator[Finding]:
    """E04: CUDA_PATH and CUDA_HOME name two different CUDA versions."""
    one, other = _lasting(ctx, "CUDA_PATH"), _lasting(ctx, "CUDA_HOME")
    if one is None or other is None:
        return
    left, right = toolkit_of(ctx, one.value.text), toolkit_of(ctx, other.value.text)
    if left is None or right is None or ctx.key(left.root) == ctx.key(right.root):
        return
    # The installer keeps CUDA_PATH up to date on Windows; on Linux people set CUDA_HOME.
    change, keep = (other, left) if ctx.windows else (one, right)
    yield ctx.finding(
        "cuda-paths-disagree",
        "warning",
        set_to(ctx, change, keep.root),
        f"CUDA_PATH={one.value.text} ({place(one)})",
        f"CUDA_HOME={other.value.text} ({place(other)})",
        path=short(left.version),
        home=short(right.version),
        variable=change.name,
        new=short(keep.version),
        place=change.source,
    )


def cudnn_path(ctx: Context) -> Iterator[Finding]:
    """E05: CUDNN_PATH names a folder in which there is no cuDNN."""
    if ctx.machine.unknown("cudnn"):
        return
    for name in ("CUDNN_PATH", "CUDNN_HOME"):
        variable = _lasting(ctx, name)
        text = variable.value.text if variable else ""
        if variable is None or not _plain(text) or _has_cudnn(ctx, name, text):
            continue
        remedy = set_to(ctx, variable, None)
        evidence = f"{name}={text} ({place(variable)})"
        yield ctx.finding(
            "cudnn-path-stale", "warning", remedy, evidence,
            variable=name, value=text, place=variable.source,
        )  # fmt: skip


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


def unexpanded(ctx: Context) -> Iterator[Finding]:
    """E06: an entry of PATH about CUDA still has a %NAME% in it that nothing replaces."""
    if not ctx.windows:
        return
    for entry in ctx.machine.search:
        if "%" in (entry.folder or entry.text) and re.search(
            "cuda|cudnn", entry.text, re.IGNORECASE
        ):
            yield ctx.finding(
                "path-entry-unexpanded",
                "warning",
                _drop(ctx, entry),
                _entry(entry),
                entry=entry.text,
            )


def malformed(ctx: Context) -> Iterator[Finding]:
    """E09: an entry about CUDA that is quoted, or names a file instead of its folder."""
    for entry in ctx.machine.search:
        text = entry.text.strip()
        if not re.search("cuda|cudnn", text, re.IGNORECASE) or entry.variable not in (
            "PATH",
            ctx.variable,
        ):
            continue
        file = re.search(r"(\.dll|\.so(\.\d+)*)\"?$", text, re.IGNORECASE)
        if file or '"' in text:
            yield ctx.finding(
                "path-entry-malformed", "warning", _drop(ctx, entry), _entry(entry),
                entry=text, variable=entry.variable, place=entry.source,
            )  # fmt: skip


def _drop(ctx: Context, entry: PathEntry) -> Remedy:
    if ctx.windows and entry.scope != "process":
        edit = TakeOut(variable=entry.variable, folder=entry.text, scope=entry.scope)
        return Automatic(edits=(edit,))
    return Manual()


def _entry(entry: PathEntry) -> str:
    return f"{entry.variable}: {entry.text} ({entry.source or entry.scope})"


def cut_off(ctx: Context) -> Iterator[Finding]:
    """E07: a stored PATH that ends exactly where setx and old dialogs cut it."""
    if not ctx.windows:
        return
    scopes: tuple[Scope, ...] = ("user", "machine")
    for scope in scopes:
        variable = ctx.machine.variable("PATH", scope)
        if variable is None or variable.value.characters not in (1024, 2047, 2048):
            continue
        entries = [
            e for e in ctx.machine.search if e.scope == scope and e.variable.upper() == "PATH"
        ]
        if entries and entries[-1].exists is False:
            yield ctx.finding(
                "path-cut-off", "warning", Manual(), _entry(entries[-1]),
                length=str(variable.value.characters), entry=entries[-1].text,
            )  # fmt: skip


def too_long(ctx: Context) -> Iterator[Finding]:
    """E08: a PATH so long that the command prompt and some programs can't read it."""
    texts = [
        v.value.text
        for v in ctx.machine.variables
        if v.name.upper() == "PATH" and v.scope != "process"
    ]
    length = sum(map(len, texts)) + max(0, len(texts) - 1)
    if ctx.windows and length > 8191:
        yield ctx.finding(
            "path-too-long", "info", Manual(), f"PATH: {length}", length=f"{length:,}"
        )


def empty_entry(ctx: Context) -> Iterator[Finding]:
    """E17: an empty element of LD_LIBRARY_PATH means the current folder."""
    variable = None if ctx.windows else _lasting(ctx, "LD_LIBRARY_PATH")
    text = variable.value.text if variable else ""
    if variable and text and "" in text.split(":"):
        evidence = f"LD_LIBRARY_PATH={text} ({place(variable)})"
        yield ctx.finding("empty-search-entry", "info", Manual(), evidence, place=variable.source)


def leaked(ctx: Context) -> Iterator[Finding]:
    """E18: a packaged program passed its private library folder on to others."""
    variable = None if ctx.windows else ctx.machine.variable("LD_LIBRARY_PATH", "process")
    if variable and re.search(r"(^|/)_MEI\w+", variable.value.text.split(":")[0]):
        remedy = Manual(commands=("unset LD_LIBRARY_PATH",))
        evidence = f"LD_LIBRARY_PATH={variable.value.text}"
        yield ctx.finding("leaked-library-folder", "warning", remedy, evidence)


def debugging(ctx: Context) -> Iterator[Finding]:
    """E22: variables for hunting faults are switched on."""
    on = [v for n, text in _DEBUG.items() if (v := _lasting(ctx, n)) and v.value.text == text]
    for variable in on:
        evidence = f"{variable.name}={variable.value.text} ({place(variable)})"
        remedy = set_to(ctx, variable, None)
        yield ctx.finding("debug-variable-set", "info", remedy, evidence, variable=variable.name)


def order(ctx: Context) -> Iterator[Finding]:
    """E21: CUDA and nvidia-smi number the GPUs differently."""
    if ctx.machine.variable("CUDA_DEVICE_ORDER"):
        return
    differ = [
        g
        for g in ctx.machine.gpus
        if None not in (g.nvml_index, g.cuda_index) and g.nvml_index != g.cuda_index
    ]
    seen = [g for g in ctx.machine.gpus if g.cuda_index is not None]
    if differ and len(seen) == len(ctx.machine.gpus):
        rows = [f"{g.name}: CUDA {g.cuda_index}, NVML {g.nvml_index}" for g in ctx.machine.gpus]
        yield ctx.finding("gpu-order-differs", "info", Manual(), *rows)


def old_settings(ctx: Context) -> Iterator[Finding]:
    """E11: programs started afresh find cuDNN's folder; those that run still have old settings."""
    here = ctx.machine.variable(ctx.variable, "process")
    entry = ctx.searched.get(ctx.key(ctx.winner.folder)) if ctx.winner else None
    if here is None or entry is None or entry.variable.upper() != ctx.variable or not ctx.works:
        return
    present = {ctx.key(e) for e in split(here.value.text, ctx.machine.os.family)}
    if present and not {ctx.key(entry.folder), ctx.key(entry.text)} & present:
        yield ctx.finding(
            "open-programs-have-old-settings", "info", Manual(), _entry(entry), folder=entry.folder
        )


def strange_folder(ctx: Context) -> Iterator[Finding]:
    """E19: a folder whose name some Windows programs can't handle."""
    copy = ctx.winner
    if not ctx.windows or copy is None or not stopped(ctx.trial):
        return
    if not copy.folder.isascii() or len(copy.folder) > 240:
        yield ctx.finding(
            "folder-name-unusual", "warning", Manual(), copy.folder, sure=False, folder=copy.folder
        )


RULES = (
    Rule(
        stale,
        ("cuda-path-stale", "cuda-home-stale", "cuda-path-malformed", "cuda-home-malformed"),
        ("E04",),
    ),
    Rule(disagree, ("cuda-paths-disagree",), ("E04",)),
    Rule(cudnn_path, ("cudnn-path-stale",), ("E05",)),
    Rule(unexpanded, ("path-entry-unexpanded",), ("E06",)),
    Rule(malformed, ("path-entry-malformed",), ("E09",)),
    Rule(cut_off, ("path-cut-off",), ("E07",)),
    Rule(too_long, ("path-too-long",), ("E08",)),
    Rule(empty_entry, ("empty-search-entry",), ("E17",)),
    Rule(leaked, ("leaked-library-folder",), ("E18",)),
    Rule(debugging, ("debug-variable-set",), ("E22",)),
    Rule(order, ("gpu-order-differs",), ("E21", "A04")),
    Rule(old_settings, ("open-programs-have-old-settings",), ("E11",)),
    Rule(strange_folder, ("folder-name-unusual",), ("E19",)),
)
"""Rules about the whole computer's settings; they never keep cuDNN from being judged."""
