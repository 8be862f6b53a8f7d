"""The kind of step that sets a variable: old and new entries, where it is stored, the way back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from cudnn_assistant import envpath, places
from cudnn_assistant.machine import Family, Machine, Scope, Value
from cudnn_assistant.plan.kinds.row import Change, ChangeLine, Needs, Read
from cudnn_assistant.plan.steps import SetVariable
from cudnn_assistant.shell import Syntax, command, quote
from cudnn_assistant.wording import listed, number, say

_LOADER = "/etc/ld.so.conf.d/cudnn-assistant.conf"
_KEYS = {
    "user": r"HKCU\Environment",
    "machine": r"HKLM\SYSTEM\CurrentControlSet\Control\Session Manager\Environment",
}

_OLD_DIALOG = 2047
_OLD_PROGRAMS = 4095


def show(step: SetVariable, machine: Machine, touched: Sequence[str]) -> Change:
    """The change of one variable; ``touched`` are the start-up files that get a line."""
    is_list = envpath.is_list(step.name, machine.os.family)
    said = _says(step, machine) if is_list else _says_single(step)
    everybody = step.scope == "machine" and step.name != "ld.so.conf"
    return Change(
        title=_title(step.name, step.scope),
        says=say("plan.for-all-users", change=said) if everybody else said,
        place=_place(step, machine),
        lines=_list_lines(step, machine) if is_list else _single_lines(step, machine),
        notes=tuple(_notes(step, machine, touched)),
        administrator=step.scope == "machine",
    )


def _title(name: str, scope: Scope) -> str:
    if name == "ld.so.conf":
        return say("plan.loader-folders")
    if scope == "machine":
        return say("plan.variable-of-all-users", name=name)
    return say("plan.variable-of-account", name=name)


def _says(step: SetVariable, machine: Machine) -> str:
    """What a new list of folders brings about."""
    old, new = _entries(step, machine)
    come = [text for text in new if text not in old]
    gone = [text for text in old if text not in new]
    if not come and not gone and old[:1] != new[:1]:
        come = list(new[:1])  # it stood further back before
    windows = machine.os.family == "windows" and step.name.upper() == "PATH"
    who = "windows" if windows else "programs"
    if "." in (*come, *gone):
        return say("plan.put-folders-in-order", name=step.name)
    if len(come) == 1 and not gone:
        where = "first" if new[:1] == (come[0],) else "too"
        return say(f"plan.let-{who}-look-{where}", folder=come[0])
    if len(gone) == 1 and not come:
        return say(f"plan.let-{who}-not-look", folder=gone[0])
    return say("plan.put-folders-in-order", name=step.name)


def _says_single(step: SetVariable) -> str:
    if step.after is None and step.before is not None and step.before.gone:
        return say("plan.leave-variable-alone", name=step.name)
    if step.after is None or step.after.gone:
        return say("plan.take-variable-away", name=step.name)
    return say("plan.set-variable", name=step.name, value=step.after.text)


def _place(step: SetVariable, machine: Machine) -> str:
    windows = machine.os.family == "windows"
    for variable in machine.variables:
        if variable.scope == step.scope and variable.source and (windows or variable.ours):
            return variable.source
    if windows:
        return _KEYS[step.scope]
    return _LOADER if step.scope == "machine" else str(places.config() / "environment.sh")


def _texts(step: SetVariable) -> tuple[str, str]:
    return (step.before.text if step.before else "", step.after.text if step.after else "")


def _entries(step: SetVariable, machine: Machine) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The folders before and after; what is taken out of others' settings was there before."""
    old, new = _texts(step)
    if machine.os.family == "windows":
        return envpath.split(old, "windows"), envpath.split(new, "windows")
    (before, out_before), (after, out_after) = map(envpath.parts, (old, new))
    # The empty entry means the folder that one is in.
    before += [one or "." for one in out_after if one not in out_before]
    after += [one or "." for one in out_before if one not in out_after]
    return tuple(before), tuple(after)


def _list_lines(step: SetVariable, machine: Machine) -> tuple[ChangeLine, ...]:
    from difflib import SequenceMatcher

    old, new = _entries(step, machine)
    lines: list[ChangeLine] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            lines += [ChangeLine(sign=" ", text=text) for text in new[j1:j2]]
            continue
        for text in old[i1:i2]:
            note = say("plan.stood-here-before" if text in new else "plan.taken-out")
            lines.append(ChangeLine(sign="-", text=text, note=note))
        for j in range(j1, j2):
            note = say("plan.added" if j else "plan.added-first")
            lines.append(ChangeLine(sign="+", text=new[j], note=note))
    return tuple(lines)


def _single_lines(step: SetVariable, machine: Machine) -> tuple[ChangeLine, ...]:
    lines = []
    before = step.before
    if step.after is not None and step.after.gone:
        # Another line sets it; what that says is gone.
        set_now = machine.variable(step.name, "user", "machine", "process")
        before = set_now.value if set_now else before
    if before is not None and not before.gone:
        lines.append(ChangeLine(sign="-", text=before.text, note=say("plan.value-before")))
    if step.after is not None and not step.after.gone:
        lines.append(ChangeLine(sign="+", text=step.after.text, note=say("plan.value-after")))
    elif before is None or not before.gone:
        lines.append(ChangeLine(sign=" ", text="", note=say("plan.variable-removed")))
    return tuple(lines)


def _notes(step: SetVariable, machine: Machine, touched: Sequence[str]) -> Iterator[str]:
    is_list = envpath.is_list(step.name, machine.os.family)
    if is_list:
        before, after = map(len, _entries(step, machine))
        yield say("plan.folders-before-after", before=before, after=after)
    if machine.os.family == "windows":
        yield from _length_notes(step)
    elif step.scope == "machine":
        yield say("plan.ldconfig")
    elif step.after:
        if is_list and step.after.text[:1] not in ("", "-"):
            yield say("plan.own-entries-follow", name=step.name)
        if touched:
            yield say("plan.profile-line", files=listed(touched))


def _length_notes(step: SetVariable) -> Iterator[str]:
    length = len(_texts(step)[1])
    yield say("plan.length-of-value", length=number(length), limit=number(envpath.LIMIT))
    if length > _OLD_PROGRAMS:
        yield say("plan.value-may-be-cut")
    elif length > _OLD_DIALOG:
        yield say("plan.value-too-long-to-show")
    if step.before and step.after and step.before.expand != step.after.expand:
        yield say("plan.value-becomes-expandable")


def commands(step: SetVariable, family: Family) -> list[str]:
    """What stores the value; on Linux what a line of a start-up file says."""
    if family == "windows":
        return [_registry(step)]
    if step.scope == "machine":
        return loader_commands(_LOADER, step.after.text.split(":") if step.after else [])
    return list(_sh(step))


def _registry(step: SetVariable) -> str:
    # Not "reg add": Windows PowerShell hands no program a value that holds or ends in some signs.
    key, name = map(Syntax, ("-LiteralPath", "-Name"))
    where = (key, _KEYS[step.scope].replace("\\", ":\\", 1), name, step.name)
    if step.after is None:
        return command("powershell", "Remove-ItemProperty", *where)
    kind = Syntax("-Type ExpandString" if step.after.expand else "-Type String")
    value = (kind, Syntax("-Value"), step.after.text)
    return command("powershell", "Set-ItemProperty", *where, *value)


def loader_commands(path: str, folders: Sequence[str]) -> list[str]:
    """What makes these the folders of the loader for all users, listed in the file ``path``."""
    if not folders:
        return [command("sh", "sudo", "rm", "-f", path), "sudo ldconfig"]
    pipe = Syntax("|")
    written = command("sh", "printf", r"%s\n", *folders, pipe, "sudo", "tee", path)
    return [written, "sudo ldconfig"]


def _sh(step: SetVariable) -> Iterator[str]:
    name, after = step.name, step.after
    if after is None or after.gone:
        if step.before is None or not step.before.gone:
            yield f"unset {name}"
        return
    if not envpath.is_list(name, "linux"):
        yield f"export {name}={quote(after.text, 'sh')}"
        return
    first, taken_out = envpath.parts(after.text)
    for out in taken_out:
        others = f"tr : '\\n' | grep -vxF -e {quote(out, 'sh')} | paste -sd :"
        yield f'export {name}="$(printf %s "${name}" | {others})"'
    if first:
        yield f'export {name}={quote(":".join(first), "sh")}"${{{name}:+:${name}}}"'


def needs(step: SetVariable) -> Needs:
    """A setting for all users needs an administrator, one's own a new session of the desktop."""
    return Needs(administrator=step.scope == "machine", sign_out=step.scope == "user")


def idle(step: SetVariable) -> bool:
    """The value stays."""
    return step.before == step.after


def joined(step: SetVariable, later: SetVariable) -> SetVariable:
    """From the first value to the last."""
    why = tuple(dict.fromkeys((*step.why, *later.why)))
    return msgspec.structs.replace(step, after=later.after, why=why)


def undo(step: SetVariable, read: Read, family: Family) -> SetVariable | None:
    """Back from what the variable holds now. Raises what ``read`` raises."""
    return back_to(step, read(step.scope, step.name), family)


def back_to(step: SetVariable, now: Value | None, family: Family) -> SetVariable | None:
    """The step that undoes ``step`` while the variable holds ``now``; ``None``: nothing to do."""
    if now == step.before:
        return None
    if now == step.after:
        target = step.before
    elif not envpath.is_list(step.name, family) or now is None:
        return None
    else:
        before = step.before.text if step.before else ""
        after = step.after.text if step.after else ""
        text = envpath.take_back(before, after, now.text, family)
        gone = not text and (step.before is None or family != "windows")
        target = None if gone else Value(text=text, expand=now.expand)
    if target == now:
        return None
    return SetVariable(scope=step.scope, name=step.name, before=now, after=target, why=step.why)
