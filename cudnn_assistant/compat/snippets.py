"""A set of framework builds as lines for pip, uv and conda."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from cudnn_assistant.compat.advice import FrameworkAdvice
from cudnn_assistant.compat.packages import INDEXES
from cudnn_assistant.machine import Struct


class Snippets(Struct, kw_only=True):
    """The same set for each tool; every text ends without a line break."""

    pip: str
    """Lines for requirements.txt, which uv's pip interface reads as well."""
    uv: str
    """Tables for pyproject.toml. Each package keeps to its own index, so that nothing else is

    taken from there."""
    conda: str
    """An environment.yml: conda's own channels have other builds, so pip installs these."""


def snippets(chosen: Sequence[FrameworkAdvice], python: str) -> Snippets:
    """The texts for ``chosen``; ``python`` is the version of the environment, "" for any."""
    lines = list(_for_pip(chosen))
    conda = ["dependencies:", f"  - python={python}" if python else "  - python", "  - pip"]
    return Snippets(
        pip="\n".join(lines),
        uv="\n".join(_for_uv(chosen)),
        conda="\n".join([*conda, "  - pip:", *(f'      - "{line}"' for line in lines)]),
    )


def _for_pip(chosen: Sequence[FrameworkAdvice]) -> Iterator[str]:
    for address in sorted({_address(one) for one in chosen if one.index}):
        yield f"--extra-index-url {address}"
    for one in chosen:
        local = f"+{one.index}" if one.index and one.name == "torch" else ""
        yield one.requirement + local


def _for_uv(chosen: Sequence[FrameworkAdvice]) -> Iterator[str]:
    yield from ("dependencies = [", *(f'    "{one.requirement}",' for one in chosen), "]")
    indexed = [one for one in chosen if one.index]
    named = {_index(one): _address(one) for one in indexed}
    yield from chain.from_iterable(
        ("", "[[tool.uv.index]]", f'name = "{name}"', f'url = "{address}"', "explicit = true")
        for name, address in sorted(named.items())
    )
    if indexed:
        yield from ("", "[tool.uv.sources]")
    for one in indexed:
        package = one.requirement.partition("==")[0].partition("[")[0]
        yield f'{package} = {{ index = "{_index(one)}" }}'


def _index(one: FrameworkAdvice) -> str:
    return f"{one.name}-{one.index}"


def _address(one: FrameworkAdvice) -> str:
    return INDEXES[one.name].format(index=one.index)
