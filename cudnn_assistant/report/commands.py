"""Names and passwords in command lines: which program takes them after which option, as a table.

An option means a secret to one program alone: ``-p`` is mysql's password, docker's port and part
of ``-pthread``. So each row names its programs, and reaches to the end of their command.
"""

from __future__ import annotations

import re
from functools import partial

_TYPED = r"(?:(?<=sudo )|(?<=[$#>] )|(?<=&& )|^\s*)"
"""At the beginning of a command: these words stand in sentences too."""
_DOCKER = r"(?:docker|podman|nerdctl)"
_CONDA = r"(?:conda|mamba|micromamba)(?:\.bat)?(?= (?:\w+ )?(?:-|activate|create|install|run|env))"
_PUBLIC_IMAGES = (
    r"(?:(?:docker\.io|ghcr\.io|nvcr\.io|quay\.io|mcr\.microsoft\.com|public\.ecr\.aws)/)?(?:nvidia"
    r"|pytorch|tensorflow|rocm|jupyter|continuumio|mambaorg|library|ultralytics|vllm|ollama|pypa"
    r"|huggingface|ggml-org|microsoft|condaforge|nvidia\.com)"
)
_PUBLIC_CHANNELS = (
    r"conda-forge|defaults|nvidia|pytorch|anaconda|main|free|rapidsai|xformers|fastai|huggingface"
    r"|numba|intel|bioconda|msys2|menpo|esri|hcc|https?:|file:"
)

_TABLE = (
    (r"(?:mysql|mariadb)\w*", r"-p(?=\S)|-[uh]\s*|--(?:user|host)[=\s]"),
    (r"smb\w+|rpcclient|net (?:ads|rpc)|mount\.cifs", r"-[UW]\s*|--user[=\s]"),
    (r"curl",
     (r"-[uUx]\s*|-[a-zA-Z]{1,6}[uUx]\s+|--(?:proxy-)?user[=\s]|--(?:pre)?proxy[=\s]"
     r"|--cookie[=\s]|-b\s+")),
    (r"wget|aria2c", r"--(?:http-|ftp-|proxy-)?user[=\s]"),
    (r"(?:docker|podman|nerdctl|skopeo|crane|oc|helm registry|az(?: acr)?) login",
     r"-[up]\s*|--username[=\s]"),
    (r"psql|pg_\w+|createdb|dropdb|pgbench", r"-[Uhd]\s*|--(?:username|host|dbname)[=\s]"),
    (r"(?:redis|valkey)-cli", r"-[ah]\s*|--user[=\s]"),
    (r"mongo\w*", r"-[up]\s*|--username[=\s]"),
    (r"(?i:psexec\w*|winexe|paexec|winrs|evil-winrm)", r"-[up]\s*|-[ur]:"),
    (r"(?i:plink|pscp|psftp|putty|kitty)", r"-pw\s+|-l\s+"),
    (r"[xw]freerdp3?|rdesktop", r"/(?:u|p|v|d|g|gu|gp|user|pass):|-[updg]\s+"),
    (r"(?i:net(?:\.exe)? use)", r"(?i:/user:\S+\s+)(?!/)|\\\\\S+\s+(?!/)"),
    (r"(?i:cmdkey|runas|schtasks|net(?:\.exe)? use|wmic|taskkill|mstsc|shutdown)",
     r"(?i:/(?:user|pass|add|generic|delete|node|[vups]):)"),
    (r"mosquitto_\w+", r"-[uPh]\s+"),
    (r"ldap\w+", r"-[wDH]\s*"),
    (r"7z\w?|(?:un)?rar", r"-h?p(?=\S)"),
    (r"(?:un)?zip", r"-P\s*"),
    (r"openssl", r"pass:"),
    (r"ssh|sftp|scp|mosh", r"-[lJ]\s+"),
    (r"sudo",
     (r"-u\s+|(?:adduser|deluser|passwd|chage|userdel|chown(?: -\w+)*|su(?: -)?)\s+(?=[a-z_])"
     r"|(?:en|dis)able-linger\s+")),
    (r"usermod|gpasswd", r"-a?G\s*\S+\s+|-[ad]\s+"),
    (r"kubectl|oc|helm|k9s", r"-n\s+|--(?:namespace|context|cluster|user)[=\s]"),
    (rf"{_TYPED}(?:kubectl|oc)",
     (r"(?:logs|exec|attach|port-forward|(?:describe|get|delete) (?:pods?|nodes?))"
     r"\s+(?:-[a-z]+\s+)*(?=[a-z0-9])")),
    (r"horovodrun|mpirun|mpiexec|orterun|prun", r"-H\s*|-hosts?\s+"),
    (r"srun|sbatch|salloc|#SBATCH|squeue|sacct",
     r"-[wAxJ]\s+|--(?:account|exclude|job-name|comment|wckey|reservation|user)[=\s]"),
    (r"squeue|sacct|scancel", r"-u\s+"),
    (r"az|gcloud|gsutil|aws",
     r"--(?:account-name|resource-group|subscription|workspace-name|project|profile|account)[=\s]"),
    (r"deepspeed", r"--(?:include|exclude)[=\s]"),
    (rf"{_DOCKER} (?:run|create|container run)",
     r"--(?:name|hostname|add-host|network-alias)[=\s]|-h\s+"),
    (rf"{_TYPED}{_DOCKER}",
     r"(?:exec|logs|attach|start|stop|restart|rm|kill|inspect|commit)\s+(?:-[a-z]+\s+)*(?=\w)"),
    (rf"{_DOCKER} (?:run|create|pull|push|tag|build|image|container)|FROM|image:",
     rf"(?=[a-z0-9.-]+(?::\d+)?/[a-z0-9])(?!{_PUBLIC_IMAGES}/)"),
    (_CONDA, r"(?:-n|activate)\s+|--name[=\s]"),
    (_CONDA, rf"(?:-c\s*|--channel[=\s])(?!(?:{_PUBLIC_CHANNELS})(?:[\s/-]|$))"),
)  # fmt: skip
"""Programs, and after what stands a name or password of theirs."""

_NOBODYS = (
    r"--?[A-Za-z]|[\"']?(?:\*{3}|(?:user|host|folder|share)-ü?\d)"
    r"|[\"']?(?:root|localhost(?::\d+)?|127[\d.:]+|base|video|render|true|false|null|\.{2,}|<\w+>"
    r"|\{\w*\})[\"']?(?:\s|$)|\"?(?:\$\{?\w+\}?|%\w+%)\"?(?:\s|$)"
)
"""Another option, a mark, a place for a name, or a name that every computer has."""
_VALUE = rf"(?!{_NOBODYS})(?:\"[^\"\n]*\"|'[^'\n]*'|[^\s\"']+)"
_START = r"(?<![\w/.@-])"
_END = r"(?:\.exe)?\s(?:(?!\s(?:&&|\|\|?)\s|;\s)[^\n])*"

COMMANDS = tuple(
    (
        re.compile(rf"(?:{_START}|(?<=/bin/))(?:{programs}){_END}"),
        re.compile(rf"(?P<kept>(?<=\s)(?:{options})){_VALUE}"),
    )
    for programs, options in _TABLE
)

_ANY = re.compile(rf"(?:{_START}|(?<=/bin/))(?:{'|'.join(row[0] for row in _TABLE)})(?:\.exe)?\s")

PIPED = (
    re.compile(
        r"(?P<kept>\becho (?:-\w+ )?)(?!\*{3})[^\n|]{1,200}?(?= *\| *(?:sudo -\w*S|[^|\n]{0,80}?"
        r"--(?:password-stdin|with-token|stdin)))"
    ),
    re.compile(rf"(?P<kept>\bsshpass (?:-[vV] )?-p ?){_VALUE}"),
)
"""A password that another program is given: on its input, or before it."""


def without_arguments(text: str, hidden: str) -> str:
    """``text`` without names and passwords after the options of COMMANDS."""
    if not _ANY.search(text):
        return text
    for command, option in COMMANDS:
        text = command.sub(partial(_without, option, hidden), text)
    return text


def _without(option: re.Pattern[str], hidden: str, command: re.Match[str]) -> str:
    return option.sub(lambda match: match["kept"] + hidden, command[0])
