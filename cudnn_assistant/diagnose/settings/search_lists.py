"""Entries of PATH and LD_LIBRARY_PATH: cut off, malformed, leading nowhere."""

from __future__ import annotations

import re

from cudnn_assistant.diagnose.rule import Context, Findings, Layer, rule
from cudnn_assistant.diagnose.settings.variables import STORED, lasting, place
from cudnn_assistant.envpath import searched
from cudnn_assistant.finding import Automatic, Facts, Manual, Remedy, TakeOut
from cudnn_assistant.machine import PathEntry
from cudnn_assistant.regex import regex

_OF_CUDA = regex("cuda|cudnn", re.IGNORECASE)


@rule("path-entry-unexpanded", layer=Layer.SETTINGS)
def unexpanded(ctx: Context) -> Findings:
    """An entry of PATH about CUDA still has a %NAME% in it that nothing replaces."""
    for entry in ctx.machine.search if ctx.windows else ():
        if not entry.exists and "%" in (entry.folder or entry.text) and _OF_CUDA.search(entry.text):
            yield ctx.warning(_drop(ctx, entry), _entry(entry), entry=entry.text)


@rule("path-entry-malformed", layer=Layer.SETTINGS)
def malformed(ctx: Context) -> Findings:
    """An entry about CUDA that is quoted, or names a file instead of its folder."""
    for entry in ctx.machine.search:
        text = entry.text.strip()
        if not _OF_CUDA.search(text) or entry.variable not in ("PATH", ctx.variable):
            continue
        file = re.search(r"(\.dll|\.so(\.\d+)*)\"?$", text, re.IGNORECASE)
        # On Linux signs that only a shell replaces, and what means another folder wherever one is.
        odd = '"' in text or entry.text != text or not (ctx.windows or text.startswith("/"))
        # Which programs can't cope with them isn't known; where the test ran, they are no fault.
        if file or (odd and ctx.stopped_tests()):
            shown = re.sub(r"^\s+|\s+$", " ", entry.text)
            facts = Facts(entry=shown, variable=entry.variable, place=entry.source)
            yield ctx.warning(_drop(ctx, entry), _entry(entry), **facts)


def _drop(ctx: Context, entry: PathEntry) -> Remedy:
    if ctx.windows and entry.scope != "process":
        edit = TakeOut(variable=entry.variable, folder=entry.text, scope=entry.scope)
        return Automatic(edits=(edit,))
    return Manual()


def _entry(entry: PathEntry) -> str:
    return f"{entry.variable}: {entry.text} ({entry.source or entry.scope})"


@rule("path-cut-off", layer=Layer.SETTINGS)
def cut_off(ctx: Context) -> Findings:
    """A stored PATH that ends exactly where setx and old dialogs cut it."""
    for scope in STORED if ctx.windows else ():
        variable = ctx.machine.variable("PATH", scope)
        if variable is None or variable.value.characters not in (1024, 2047, 2048):
            continue
        entries = [
            e for e in ctx.machine.search if e.scope == scope and e.variable.upper() == "PATH"
        ]
        if entries and entries[-1].exists is False:
            facts = Facts(cut_at=variable.value.characters, entry=entries[-1].text)
            yield ctx.warning(Manual(), _entry(entries[-1]), **facts)


@rule("path-too-long", layer=Layer.SETTINGS)
def too_long(ctx: Context) -> Findings:
    """A PATH so long that the command prompt and some programs can't read it."""
    stored = (v for v in ctx.machine.variables if v.scope != "process")
    texts = [v.value.text for v in stored if v.name.upper() == "PATH"]
    length = sum(map(len, texts)) + max(0, len(texts) - 1)
    if ctx.windows and length > 8191:
        yield ctx.note(Manual(), f"PATH: {length}", length=length)


@rule("empty-search-entry", layer=Layer.SETTINGS)
def empty_entry(ctx: Context) -> Findings:
    """An empty element of LD_LIBRARY_PATH, or a dot, means the current folder."""
    variable = None if ctx.windows else lasting(ctx, "LD_LIBRARY_PATH")
    text = variable.value.text if variable else ""
    odd = {"", ".", "./"} & set(text.split(":"))
    if variable and text and odd:
        evidence = f"LD_LIBRARY_PATH={text} ({place(variable)})"
        dot = "" if "" in odd else min(odd)
        yield ctx.note(Manual(), evidence, place=variable.source, relative_entry=dot)


@rule("leaked-library-folder", layer=Layer.SETTINGS)
def leaked(ctx: Context) -> Findings:
    """A packaged program passed its private library folder on to others."""
    variable = None if ctx.windows else ctx.machine.variable("LD_LIBRARY_PATH", "process")
    if variable and re.search(r"/(_MEI|\.mount_)\w+", variable.value.text.split(":")[0]):
        remedy = Manual(commands=("unset LD_LIBRARY_PATH",))
        evidence = f"LD_LIBRARY_PATH={variable.value.text}"
        yield ctx.warning(remedy, evidence)


@rule("open-programs-have-old-settings", layer=Layer.SETTINGS)
def old_settings(ctx: Context) -> Findings:
    """Programs started afresh find cuDNN's folder; those that run still have old settings."""
    here = ctx.machine.variable(ctx.variable, "process")
    entry = ctx.searched.get(ctx.key(ctx.winner.folder)) if ctx.winner else None
    if here is None or entry is None or entry.variable.upper() != ctx.variable or not ctx.works:
        return
    present = {ctx.key(e) for e in searched(here.value.text, ctx.machine.os.family)}
    if present and not {ctx.key(entry.folder), ctx.key(entry.text)} & present:
        yield ctx.note(Manual(), _entry(entry), folder=entry.folder)
