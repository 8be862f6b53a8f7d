"""What a framework's own test proves: its convolution, run by its own Python, stopped."""

from __future__ import annotations

from collections.abc import Iterator

from cudnn_assistant.diagnose.context import Context, Rule
from cudnn_assistant.diagnose.trial import told
from cudnn_assistant.diagnose.visible import unset
from cudnn_assistant.finding import Finding, Manual, Remedy, Unknown
from cudnn_assistant.machine import Trial
from cudnn_assistant.versions import numbers, short
from cudnn_assistant.wording import PRODUCTS


def inside_framework(ctx: Context) -> Iterator[Finding]:
    """A01, A04, L14: a framework's own convolution stopped; a second run shows which setting."""
    for trial in ctx.machine.trials:
        if trial.subject != ctx.subject or not trial.framework or trial.status in ("ok", "not-run"):
            continue
        if _for_processor(ctx, trial):
            continue
        name, _, value = trial.helped_by.partition("=")
        facts = {"program": framework_title(trial.framework), "where": ctx.subject}
        if name.endswith("()"):
            code = "framework-must-preload"
            yield ctx.finding(code, "error", Manual(), *told(trial), call=name[:-2], also=facts)
        elif value:
            line = f"set {name}={value}" if ctx.windows else f"export {name}={value}"
            remedy: Remedy = Manual(commands=(line,))
            yield ctx.finding(
                "framework-takes-all-memory", "error", remedy, *told(trial), also=facts
            )
        elif name:
            yield _setting(ctx, trial, name, facts)
        elif other := _other_main_file(ctx, trial):
            yield other
        else:
            yield ctx.finding(
                "framework-stopped", "error", Unknown(), *told(trial), sure=False, also=facts
            )


def _for_processor(ctx: Context, trial: Trial) -> bool:
    """Whether the framework can't use a GPU at all: that is told for itself."""
    builds = [f.gpu for f in ctx.frameworks if trial.framework.startswith(f"{f.name} ")]
    return bool(builds) and all(gpu is False for gpu in builds)


def _other_main_file(ctx: Context, trial: Trial) -> Finding | None:
    """L16: a package's lone main library is older or newer than the parts it meets."""
    lone = next((c for c in ctx.copies if c.flavour == "shim"), None)
    whole = next(
        (c for c in ctx.copies if c.flavour == "full" and lone and c.major == lone.major), None
    )
    if lone is None or whole is None or numbers(lone.version)[:2] == numbers(whole.version)[:2]:
        return None
    if lone.folder not in {ctx.parent(p) for p in trial.mapped} and "cudnn" not in trial.missing:
        return None
    return ctx.finding(
        "cudnn-main-file-differs", "error", Manual(), *told(trial),
        f"{lone.file}: {lone.version}, {lone.folder}", f"{whole.version}: {whole.folder}",
        program=framework_title(trial.framework), old=short(lone.version), new=short(whole.version),
        folder=whole.folder, where=ctx.subject, sure=False,
    )  # fmt: skip


def _setting(ctx: Context, trial: Trial, name: str, facts: dict[str, str]) -> Finding:
    variable = ctx.machine.variable(name, "user", "machine", "process")
    remedy = unset(ctx, variable) if variable is not None else Unknown()
    return ctx.finding(
        "setting-stops-framework",
        "error",
        remedy,
        *told(trial),
        f"{name}={variable.value.text} ({variable.source or variable.scope})" if variable else name,
        variable=name,
        folders=name if name.endswith("PATH") else "",
        gpus=name if name.endswith("DEVICES") else "",
        place=variable.source if variable else "",
        also=facts,
    )


def framework_title(text: str) -> str:
    """ "torch 2.9.0" as people call it."""
    name, _, version = text.partition(" ")
    return f"{PRODUCTS.get(name, name)} {version}".strip()


RULES = (
    Rule(
        inside_framework,
        (
            "framework-takes-all-memory", "setting-stops-framework", "framework-must-preload",
            "framework-stopped", "cudnn-main-file-differs",
        ),
        ("A01", "L14", "L16"),
        provable=False,
    ),
)  # fmt: skip
