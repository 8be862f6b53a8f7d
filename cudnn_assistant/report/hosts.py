"""Where logs, launchers and job schedulers write the name of a computer, as a table.

Each pattern keeps what stands in ``kept`` and marks every name in ``names``, which may be one
name, one with its port, or a whole list: ``["a:2222", "b:2222"]``.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_ONE = r"[A-Za-z0-9_][\w.-]{0,252}"
_LIST = rf"{_ONE}(?:\[[\d,-]{{1,200}}\])?(?:[:,@+]{_ONE}(?:\[[\d,-]{{1,200}}\])?){{0,500}}"
_OPEN = r"(?:\\?[\"'])?\(?\[?"
_TOLD = (
    r"master[-_]addr|rdzv[-_]endpoint|local[-_]addr|main_process_ip|(?:jax_)?coordinator[-_]address"
    r"|ray_address|node[-_]ip[-_]address|ps_hosts|worker_hosts|nfsroot|trusted[-_]host"
    r"|(?-i:(?:\w+_)?NODE_?NAME|nodeName)"
)
_OPTION = (
    r"master[-_]addr|rdzv[-_]endpoint|local[-_]addr|main_process_ip|coordinator[-_]address"
    r"|node[-_]ip[-_]address|ps_hosts|worker_hosts|trusted-host|hosts?|hostname|nodelist|address"
    r"|server[-_]addr(?:ess)?|bind[-_]addr(?:ess)?|proxy"
)
_TIME = r"\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?"
_LEVEL = r"(?i:[IWEDF]|info|debug|warn(?:ing)?|error|critical|fatal|trace|notice)"
_LOST = (
    r"Temporary failure in name resolution|Name or service not known|Unknown host"
    r"|No address associated|nodename nor servname"
)

HOSTS = tuple(
    re.compile(pattern)
    for pattern in (
        # Shares of other computers, as the kernel and mount name them.
        rf"(?i)(?P<kept>\b(?:nfs\d?|lockd|rpc): (?:lost )?server )(?P<names>{_ONE})(?=\s)",
        rf"(?P<kept>\bVFS: (?:Server |\\\\))(?P<names>{_ONE})(?=\s)",
        rf"(?P<kept>\bmount\.\w+: [^:\n]{{0,120}} )(?P<names>{_ONE})(?=:/)",
        rf"(?P<kept>^\s*)(?P<names>{_ONE})(?=:/\S* +(?:on )?/\S* +(?:type )?(?:nfs|ceph|gluster))",
        # The line of a system log begins with whose it is.
        (
            rf"(?P<kept>(?<!\S)(?:<\d{{1,3}}>)?(?:[A-Z][a-z]{{2}} [ \d]\d |\d{{4}}-\d\d-\d\dT)"
            rf"{_TIME} )(?!{_LEVEL}\b)(?P<names>{_ONE})(?= [\w./@-]{{1,80}}(?:\[\d+\])?: )"
        ),
        (
            rf"(?P<kept>(?<!\S)\d{{4}}-\d\d-\d\d {_TIME} )(?!{_LEVEL}\b)(?P<names>{_ONE})"
            r"(?= (?:kernel|[\w./@-]{1,80}\[\d+\]): )"
        ),
        rf"(?P<kept>\bLinux )(?P<names>{_ONE})(?= \d+\.\d+\S* #\d)",
        rf"(?P<kept>\buname_result\(system='\w*', node=')(?P<names>{_ONE})",
        rf"(?P<kept>^Last login: .{{0,60}} from )(?P<names>{_ONE})\s*$",
        rf"(?i)(?P<kept>^\s*host(?:name)?\s+)(?P<names>(?=\S*\d){_ONE})\s*$",
        r"(?P<kept>^\s*Computer:\s+)(?P<names>[A-Z0-9][A-Z0-9-]{2,14})\s*$",
        rf"(?i)(?P<kept>\bproxy\s*[=:]\s*)(?P<names>{_ONE})(?=:\d{{2,5}}\b)",
        # What runs on several computers at once: TensorFlow, torchrun, NCCL, Gloo, Ray, JAX.
        (
            r"(?i)(?P<kept>\b(?:worker|ps|chief|evaluator|master)\\?[\"']\s*:\s*\[)"
            r"(?P<names>[^\]{}\n]+)"
        ),
        r"(?P<kept>\bfor job \w+ -> \{)(?P<names>[^}\n]+)",
        (
            rf"(?i)(?P<kept>(?<![\w-])(?:{_TOLD})(?:\\?[\"'])?\]?\s*[:=]\s*{_OPEN})"
            rf"(?!\w+://)(?P<names>{_LIST})"
        ),
        rf"(?i)(?P<kept>(?<!\S)--(?:{_OPTION})[=\s]\s*{_OPEN})(?!\w+://)(?P<names>{_LIST})",
        rf"(?P<kept>\bnetwork address(?:es)? of \()(?P<names>{_ONE})(?=, \d)",
        rf"(?i)(?P<kept>\b(?:to|from|on|connect) \[)(?P<names>{_ONE})(?=\]:\d)",
        (
            rf"(?i)(?P<kept>\b(?:to|from|with|by|at|host|peer|remote|addr|address) )"
            rf"(?P<names>{_ONE})(?=<(?:0|\d{{4,5}})>)"
        ),
        (
            r"(?i)(?P<kept>\b(?:host|worker|peer|server|node|endpoint|tracker|proxy"
            r"|connect(?:ed|ion|ing)? to) )(?P<names>[A-Za-z][\w-]{0,62})(?=:\d{4,5}\b)"
        ),
        rf"(?P<kept>(?<![^\s\]:]))(?P<names>{_ONE})(?=:\d+:\d+ \[\d+\] )",
        rf"(?P<kept>^)(?P<names>{_ONE})(?=: {_ONE}:\d+:\d+ \[\d+\] )",
        # A name that nobody knew.
        rf"(?i)(?P<kept>\bresolve (?:the )?host(?:[ _-]?name)?:? [\"'(]?)(?P<names>{_ONE})",
        rf"(?P<kept>\b(?:{_LOST}): ')(?P<names>{_ONE})",
        rf"(?P<kept>^(?:\w+: )?)(?P<names>{_ONE})(?=: (?:{_LOST}))",
        rf"(?P<kept>\bgetaddrinfo (?:ENOTFOUND|EAI_AGAIN|failed for) )(?P<names>{_ONE})",
        rf"(?P<kept>\bConnecting to )(?P<names>{_ONE})(?= \()",
        rf"(?P<kept>\(|\))(?P<names>{_ONE})(?=\)\|[\d.:]+\|)",
        rf"(?P<kept>\bconnect to host )(?P<names>{_ONE})(?= port )",
        # Job schedulers and clusters.
        rf"(?P<kept>\bsrun: error: )(?P<names>{_LIST})(?=: task)",
        rf"(?P<kept>\b(?:JOB|STEP) [\d._]+ ON )(?P<names>{_LIST})",
        rf"(?i)(?P<kept>\bon (?:host|node)s? [\"']?)(?P<names>(?=[\w.-]*\d)[a-z]{_ONE})",
        rf"(?P<kept>^Node:\s+)(?P<names>{_ONE})(?=/\d+\.\d+\.)",
        r"(?P<kept>\b[Pp]ods? [\"'])(?P<names>[a-z0-9][\w.-]{0,252})(?=[\"'])",
        (
            r"(?P<kept>(?<![\w/])(?:pod|node|svc|service|deployment(?:\.apps)?|job(?:\.batch)?)/)"
            r"(?P<names>(?=[a-z]*[\d-])[a-z0-9][a-z0-9-]{0,252})(?=[\s:\"']|$)"
        ),
        (
            r"(?P<kept>(?<![\w/.-]))(?P<names>[a-z][a-z0-9-]{0,200}-[0-9a-f]{6,10}"
            r"-[bcdfghjklmnpqrstvwxz2456789]{4,5}|(?:gke|aks|eks)-[a-z0-9-]{4,200}|ip(?:-\d{1,3}){4})"
            r"(?![\w.-])"
        ),
        # Who is logged in where; only as a command, since "ssh works" is a sentence.
        (
            r"(?P<kept>(?:^|[$#>;|&(]\s?|\b(?:sudo|exec|time|sshpass -p \*{3}) )"
            r"(?:ssh|mosh|ssh-copy-id) "
            r"(?:-[bcDEeFIiJLlmOopQRSWw] ?\S+ |-\S+ ){0,8})"
            rf"(?!(?:into|to|in|is|and|or|from|with|works|key|keys)\b)(?P<names>{_ONE})(?=\s|$)"
        ),
        rf"(?P<kept>\b(?:scp|rsync|sftp) (?:\S+ ){{0,12}}?)(?P<names>[A-Za-z]{_ONE})(?=::?[\w/~.])",
    )
)
"""Names of computers, by what stands around them."""

_NAME = re.compile(r"[^\W_][\w.-]*")
_EVERYBODYS = re.compile(
    r"(?i)(?:localhost|ip6-\w+)(?:\.localdomain\d?)?|127(?:\.\d+){3}|0\.0\.0\.0|[\d.-]*\d|auto|none"
    r"|null|unknown|root|true|false|env|static|c10d|tcp|file|inet|::1?|(?:host|user|share|folder|id)-ü?\d+"
    r"|nvidia-(?:driver|device-plugin|container|dcgm|operator|cuda|mig)[\w.-]*|(?:physical_)?device|[cg]pu|xpu|cuda|job"
)
"""What a computer calls itself, numbers, and what this program has put there before."""
_IPV4 = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}")


def without_hosts(text: str, mark: Callable[[str], str]) -> str:
    """``text`` with the name of every computer of HOSTS replaced by what ``mark`` gives for it."""
    for pattern in HOSTS:
        text = pattern.sub(lambda match: match["kept"] + _marked(match["names"], mark), text)
    return text


def _marked(names: str, mark: Callable[[str], str]) -> str:
    return _NAME.sub(lambda match: mark(match[0]) if somebodys(match[0]) else match[0], names)


def somebodys(host: str) -> bool:
    """Whether a host's name or address is one computer's, not what each calls itself."""
    if _IPV4.fullmatch(host):
        return not host.startswith("127.") and host.strip("0.") != ""
    return _EVERYBODYS.fullmatch(host) is None
