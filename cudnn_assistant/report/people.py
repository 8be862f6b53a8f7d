"""Where prompts, listings and settings write the name of a person, company or project.

Each pattern keeps what stands before in a group named ``kept``; see tokens.py for credentials.
"""

from __future__ import annotations

import re

_VARIABLES = (
    r"SLURM_(?:CLUSTER_NAME|JOB_(?:ACCOUNT|PARTITION|NAME|QOS|RESERVATION)|TOPOLOGY_ADDR)"
    r"|LSB_(?:MCPU_)?HOSTS|PBS_(?:JOBNAME|O_\w+)|LSB_(?:JOBNAME|QUEUE)|(?:MY_|K8S_)?POD_NAME(?:SPACE)?|JOB_NAME"
    r"|AWS_PROFILE|WANDB_(?:ENTITY|PROJECT|NAME|RUN_NAME|RUN_GROUP|USERNAME)"
    r"|MLFLOW_EXPERIMENT_NAME|COMET_(?:WORKSPACE|PROJECT_NAME)|(?:NEPTUNE|CLEARML)_PROJECT"
    r"|(?:GCP|GCLOUD|GOOGLE_CLOUD|CLOUDSDK_CORE|COMPOSE|VERTEX)_PROJECT(?:_NAME|_ID)?"
    r"|CONDA_DEFAULT_ENV|CONDA_PROMPT_MODIFIER|VIRTUAL_ENV_PROMPT|USERDOMAIN_ROAMINGPROFILE"
    r"|CLIENTNAME|GIT_(?:AUTHOR|COMMITTER)_NAME|(?:DEB)?FULLNAME|GITHUB_(?:REPOSITORY|ACTOR)\w*"
    r"|(?:GITLAB|BUILD|CI|SUDO)_\w*(?:USER|PROJECT_(?:NAME|PATH)|NAMESPACE)\w*|(?:RUNNER|AGENT)_NAME"
)
_JSON = r"project(?:_?id)?|quota_project_id|tenant(?:_?id)?|organi[sz]ation|company|team|entity"
_REGISTRY = r"\s*(?::|=|\bREG_SZ\b)\s*"
_GROUPS = (
    r"root|video|render|users|nobody|nogroup|wheel|staff|docker|sudo|adm|disk|audio|plugdev|lxd"
    r"|vglusers|systemd-\S+|daemon|bin|sys|lp|mail|dialout|cdrom|kvm|libvirt|input"
)
_SYSTEM = rf"(?!(?:{_GROUPS})\b|user-ü?\d)"
_SHOWN = r"(?:[$#%>]|PS>)"
_ENVIRONMENT = r"(?!(?:base|venv|\.venv|env|Q|N/A|NULL|root|None)\))[\w.-]{1,60}"

PEOPLE = (
    re.compile(rf"(?P<kept>(?<!\w)(?:{_VARIABLES})[\"']?\s*[=:]\s*[\"']?)[^\s\"';&][^\"';&\n]*"),
    re.compile(r"(?P<kept>\bWSL_DISTRO_NAME=)(?!Ubuntu|Debian|kali|docker|openSUSE|Fedora)\S+"),
    re.compile(rf"(?i)(?P<kept>[\"'](?:{_JSON})\\?[\"']\s*:\s*\\?[\"'])[^\"'\n]+"),
    re.compile(
        rf"(?i)(?P<kept>\bregistered ?(?:owner|organi[sz]ation|user){_REGISTRY})"
        r"(?!REG_SZ|\*{3})\S.*$"
    ),
    re.compile(
        r"(?i)(?P<kept>\b(?:ComputerName|(?:NV )?Host ?name|(?:NV )?Domain|DefaultUserName"
        r"|LastLoggedOnUser|PrimaryDomainName)\s+REG_SZ\s+)\S.*$"
    ),
    re.compile(r"(?i)(?P<kept>\bE?SSID\s*[:=]\s*\"?)(?![\s*])[^\"\n]+"),
    re.compile(r"(?P<kept>\bDevice (?:[0-9A-F]{2}:){5}[0-9A-F]{2} )\S.*$"),
    # Prompts, and what is printed before and after a login.
    re.compile(
        rf"(?P<kept>^\()(?!\*){_ENVIRONMENT}(?=\) +(?:PS |[A-Za-z]:\\|\[?[\w.-]+@|\[.*\]\$))"
    ),
    re.compile(rf"(?P<kept>^(?:\([^()]{{1,60}}\) )?)[\w.-]+(?=:[~/][^ ]{{0,200}} ?{_SHOWN} )"),
    re.compile(r"(?P<kept>^(?:\([^()]{1,60}\) )?)[\w.-]+:\S{1,80} [\w.-]+(?=[$#] )"),
    re.compile(r"(?P<kept>\[sudo\] (?!\*)[\w ]{1,40}? )[\w.-]+(?=\s?:)"),
    re.compile(r"(?P<kept>^(?:sudo: )?)[\w.-]+(?= is not in the sudoers file)"),
    re.compile(r"(?i)(?P<kept>\bpassword for )(?!user-|\*)[\w.@\\-]+(?=:)"),
    re.compile(
        r"(?P<kept>\b(?:git config (?:--\w+ )?user\.name |user\.name ?= ?)[\"']?)"
        r"(?![*\"'])[^\"'\n]+"
    ),
    # Owners in listings of files, processes and logins.
    re.compile(rf"(?P<kept>^[dlcbps-](?:[rwxsStT-]{{3}}){{3}}[.+@]?\s+\d+\s+){_SYSTEM}[\w.$@\\-]+"),
    re.compile(
        rf"(?P<kept>^[dlcbps-](?:[rwxsStT-]{{3}}){{3}}[.+@]?\s+\d+\s+\S+\s+){_SYSTEM}"
        r"(?=\S*[A-Za-z])[\w.$@\\-]+(?=\s+\d)"
    ),
    re.compile(r"(?P<kept>^\s*)(?!root\b|user-ü?\d)[a-z_][\w.+-]*(?=\s+\d+\s+\d+\.\d\s+\d+\.\d\s)"),
    re.compile(r"(?P<kept>^\s*)(?!root\b)[a-z_][\w.-]*(?=\s+(?:pts/\d+|tty\d|:\d)\s)"),
    re.compile(r"(?P<kept>(?:pts/\d+|tty\d)\s.{0,40}?\()(?!\*)[^()]+(?=\))"),
    re.compile(rf"(?P<kept>\b[ug]id=\d+\(){_SYSTEM}[^()\n*]+"),
    re.compile(rf"(?P<kept>(?:\bgroups=|\),)\d{{4,}}\(){_SYSTEM}[^()\n*]+"),
    # A name before its mail address; a project at a hub; a remote under a name of one's own.
    re.compile(r"(?P<kept>(?<![\w.'-]))(?:[\w.'-]{1,40} ){1,3}(?=<[\w.%+-]{1,64}@[\w.-]{1,200}>)"),
    re.compile(
        r"(?P<kept>(?<![\w./@-])(?:github\.com|gitlab\.com|bitbucket\.org|codeberg\.org"
        r"|[\w-]{1,63}\.azurecr\.io|[\w-]{1,40}-docker\.pkg\.dev|registry\.gitlab\.com"
        r"|nvcr\.io|(?:\w{1,9}\.)?gcr\.io)/)(?!nvidia/|NVIDIA/|google|pytorch/|tensorflow/|\*)[\w.~-]+/[\w./@:-]+"
    ),
    re.compile(
        r"(?P<kept>(?<![\w./@-]))(?:[\w-]{1,63}\.azurecr\.io|\d{12}\.dkr\.ecr\.[\w.-]+)(?=/)"
    ),
    re.compile(r"(?P<kept>(?<!\S))[\w.-]{1,63}:[\w~][\w~./-]{0,200}\.git(?![\w.])"),
    re.compile(
        r"(?i)(?P<kept>\b(?:user|account|whoami|benutzer|konto|login|runas)(?::\s*|\s+)[\"']?)"
        r"(?!NT |BUILTIN)[\w-]{1,20}\\[\w.$-]+"
    ),
)
"""Names of people, companies and projects, by what stands before and after them."""

CLOUD = re.compile(
    r"\bOneDrive - [^\\/:;\"'<>|*?\n]+|\b(?:Dropbox|Box|SharePoint|Google Drive) \([^()\\/\n*]+\)"
)
"""Folders of a cloud, named after who pays for it; some end a path, and some begin a sentence."""
