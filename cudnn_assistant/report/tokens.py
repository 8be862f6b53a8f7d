"""How credentials and addresses are written: patterns of what a report hides, as a table.

Each pattern may keep what stands before the secret in a group named ``kept``.
"""

from __future__ import annotations

import math
import re
from collections import Counter

TOKENS = re.compile(
    r"(?<![\w-])(?:gh[oprsu]_\w{16,}|github_pat_\w{16,}|gl[a-z]{2,5}-[\w-]{12,}|hf_\w{12,}"
    r"|sk-[\w-]{12,}|[prs]k_(?:live|test)_\w{12,}|A(?:KIA|SIA|ROA|IDA)[A-Z0-9]{12,}"
    r"|xox[abeprs]-[\w-]{8,}|nvapi-[\w-]{12,}|pypi-[\w-]{12,}|npm_\w{20,}|AIza[\w-]{30,}"
    r"|ya29\.[\w-]{16,}|1//0[\w-]{16,}|do[opr]_v1_\w{16,}|dckr_pat_[\w-]{12,}|hv[bs]\.[\w-]{12,}"
    r"|SG\.[\w-]{12,}\.[\w-]{12,}|r8_\w{16,}|tvly-[\w-]{12,}|gsk_\w{12,}|lin_api_\w{12,}"
    r"|shp[a-z]{2}_\w{16,}|PMAK-[\w-]{16,}|figd_[\w-]{12,}|AAAA[BCE][\w+/=]{16,}"
    r"|eyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]+)?|[A-Z0-9]{5}(?:-[A-Z0-9]{5}){4}(?![\w-])"
    r"|\d{5}-\d{5}-\d{5}-[A-Z]{2}[A-Z0-9]{3}|\d{5}-OEM-\d{7}-\d{5})"
)
"""Tokens that are known by how they begin."""

_CREDENTIAL = (
    r"(?:[\w.-]*(?:key|token|secret|passw(?:or)?[dt]|passwort|passphrase|passcode|credential"
    r"|auth(?:orization)?|signature)|(?:[\w.-]*[_.-])?(?:pwd|pin|sig|sid|session|webhook))s?\b"
)
_NAMING = (
    r"user(?:[ _]?(?:name|id|domain))?|logname|login|(?:account|computer|host|machine)[ _]?name"
    r"|host|server|logonserver|domain|realm|principal|nodelist|e?mail|https?_proxy|all_proxy"
    r"|display|share|benutzer(?:name|konto)?|rechner(?:name)?|utilisateur|usuario"
)
_OPEN = r"(?:\\?[\"'])?"
_VALUE = r"(?:(?<=\")[^\"\n]+|(?<=')[^'\n]+|[^\s\"',;&]+)"
"""To the end of its quotation marks, or of the word."""
ASSIGNED = (
    re.compile(r"(?im)(?P<kept>\b(?:set-)?cookie:\s*)\S.*$"),
    re.compile(r"(?im)(?P<kept>^\w*(?:passphrase|password)=)[^\"'\s;&].*$"),
    re.compile(
        rf"(?i)(?P<kept>(?<![\w.-]){_CREDENTIAL}"
        rf"{_OPEN}\s*[:=]\s*{_OPEN}(?:bearer\s+|basic\s+)?){_VALUE}"
    ),
    re.compile(rf"(?i)(?P<kept>(?<!\S)--?{_CREDENTIAL}\s+{_OPEN}){_VALUE}"),
    re.compile(
        r"(?i)(?P<kept>\b(?:passw(?:or)?d|passwort|passphrase|secret|login)\s+(?:is\s+)?)"
        r"(?!(?:is|for|was|not|to|in|of|has|required|expired|wrong|incorrect)\b|\*{3})[^\s\"',;&]+"
    ),
    re.compile(
        r"(?i)(?P<kept>(?<![\w-])(?:[\w-]*token|api[ _-]?key)\s+)(?=[^\s\"',;&]*\d)[^\s\"',;&]{6,}"
    ),
    re.compile(
        rf"(?i)(?P<kept>(?<!\w)(?:\w+_)?(?:{_NAMING})[\"']?\s*[=:](?!:)\s*[\"']?(?:tcp:)?)"
        rf"(?!\d+\b(?!\.)|root\b|localhost\b|127\.|0\.0\.0\.0|user-ü?\d|host-ü?\d|\w+://"
        rf"|[\"'\s]|[:.]\d)[^\s\"',;&]+"
    ),
    re.compile(
        r"(?i)(?P<kept>(?<!\w)(?:kennwort|mot de passe|contraseña|senha|пароль|密码|密碼|パスワード"
        rf"|비밀번호)\s*[:=：]\s*{_OPEN}){_VALUE}"
    ),
    re.compile(r"(?P<kept>\bBearer\s+)(?=[^\s\"']{0,80}\d)[\w.~+/=-]{8,}"),
    re.compile(r"(?i)(?P<kept>\bpassword for \S{1,80}: )(?!\*{3})\S+"),
    re.compile(r"(?i)(?P<kept>\bno_proxy=)(?!\*{3})[^\s;]+"),
    re.compile(r"(?i)(?P<kept>\blogged in as:?\s+)\S+(?:\s+\([^)]*\))?"),
)
"""Values after words that say what they are: ``API_KEY=``, ``--password``, ``hostname:``."""

ADDRESSES = (
    re.compile(r"\barn:aws[\w:/.*+=@-]+"),
    re.compile(r"\b(?:CN|OU|DC|UID|O)=[^,\s;]+(?:,\s*(?:CN|OU|DC|UID|O|C|L)=[^,;\s]+)+"),
    re.compile(
        r"(?<!\w)(?:\([\w.-]+\)\s)?[\w.+%/-]{1,64}@[\w-]+(?:\.[\w-]+)*(?=[:~])(?::[\w./-]+)?"
    ),
    re.compile(
        r"[\w.%+-]{1,64}@(?!GLIBC|CXXABI|lib\w+\.so|NVIDIA_|\d+(?:\.\d+){0,2}(?![\d.]))[\w-]{1,63}(?:\.[\w-]{1,63}){0,8}"
    ),
    re.compile(r"\b[0-9A-Fa-f]{2}(?:[:-][0-9A-Fa-f]{2}){5}\b"),
    re.compile(r"\b(?=[0-9.]{0,13}[a-fA-F])[0-9A-Fa-f]{4}(?:\.[0-9A-Fa-f]{4}){2}\b"),
    re.compile(r"(?i)(?P<kept>\bguid\s+)0x[0-9a-f]{8,}"),
    re.compile(
        r"(?<![\w:.])(?!::1?(?![\w:]))(?:(?:[0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}|(?:[0-9A-Fa-f]{1,4}:){0,6}"
        r"[0-9A-Fa-f]{0,4}::(?:[0-9A-Fa-f]{1,4}:){0,6}[0-9A-Fa-f]{1,4})(?![\w:])"
    ),
    re.compile(
        r"(?i)(?<![\w@.%/\\-])(?!(?:[\w-]+\.)*(?:nvidia|github|pytorch|tensorflow|microsoft|python"
        r"|ubuntu|debian|conda|anaconda|kernel)\.(?:com|org|io)\b)(?:[\w-]+\.){1,8}(?:com|net|org"
        r"|edu|gov|mil|local|lan|corp|internal|intern|example|de|fr|uk|cn|ru|jp|kr|ch|nl|se|eu|au"
        r"|br|cz|dk|fi|hk|tw|ua|tr)(?::\d{2,5})?\b(?![.\\/]?\w*\()"
    ),
    re.compile(r"(?P<kept>[\"'])(?!localhost:|127\.|host-ü?\d)[\w.-]+:\d{4,5}(?=[\"'])"),
    re.compile(r"\b(?:DESKTOP|LAPTOP|WIN|MININT)-[A-Z0-9]{6,12}\b"),
    re.compile(r"(?i)(?P<kept>\bconnect(?:ed|ing|ion)? (?:to|from) )[\w-]*\d[\w-]*(?=\s|:)"),
)
"""Addresses of people and computers. A PCI address (0000:01:00.0) and memcpy@GLIBC are none."""

SERIALS = (
    re.compile(
        r"(?i)(?P<kept>\b(?:serial(?:[ _-]?(?:number|no\.?))?|S/N)[\"']?\s*[:=>]?\s*[\"']?)"
        r"(?=[A-Z-]*\d)[A-Z0-9-]{6,}"
    ),
    re.compile(
        r"(?i)(?P<kept>(?:\b|_|bios)(?:asset|service)[ _-]?tag\s*[:=]\s*[\"']?)"
        r"(?!default|none|no asset|not |unknown|to be|\*{3}|0+\b)[^\s\"',;]+"
    ),
    re.compile(r"(?P<kept>\biSerial\s+\d+\s+)\S+"),
    re.compile(r"(?i)(?P<kept>\bUSB(?:STOR)?\\[\w&.]+\\)[0-9A-Z]{6,}(?:&\d)?"),
    re.compile(r"(?i)(?P<kept>\bPDI\s*:\s*)0x[0-9a-f]{8,}"),
    re.compile(r"\b(?:wl|en)x[0-9a-f]{12}\b"),
    re.compile(r"\bS-1-(?:5-21|12-1)(?:-\d+){3,}"),
    re.compile(r"\b(?<!0x)(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{12,}\b"),
    re.compile(r"\bclient_configuration_token_[\w-]+"),
)
"""Numbers of one board, account or computer."""

_RUN = re.compile(r"(?<![\w/\\.+-])[A-Za-z0-9_+=-]{20,}(?:/[A-Za-z0-9_+=-]{4,})*(?![\w/\\.])")
_NAME = re.compile(
    r"_Z[A-Z]*\d|\w*(?i:cudnn|cublas|cusparse|cusolver|nvjit|nvrtc|cuda_|nvidia|torch|tensor|onnx|python)|\w+(?:[-_][a-z]+){2,}$"
    r"|[a-z]+\d{0,2}(?:[_-][a-z]+\d{0,2})+$"
)
"""Symbols of libraries and names of packages are as long as a key and are needed."""
_LONGEST_NAME = 200
_BASE64 = re.compile(r"(?<![\w/\\.:-])[A-Za-z0-9+/=]{32,}(?![\w/\\.])")


def without_random(text: str, hidden: str) -> str:
    """``text`` without runs of letters and digits that are more like a key than like a name."""
    text = _RUN.sub(lambda match: hidden if _is_random(match[0]) else match[0], text)
    return _BASE64.sub(lambda match: hidden if _is_mixed(match[0]) else match[0], text)


def _is_random(text: str) -> bool:
    digits = sum(c.isdigit() for c in text)
    if digits < 2 or digits == len(text):
        return False
    if len(text) <= _LONGEST_NAME and _NAME.match(text):
        return False
    counts = Counter(text)
    return -sum(n / len(text) * math.log2(n / len(text)) for n in counts.values()) > 3.4


def _is_mixed(text: str) -> bool:
    kinds = (str.isupper, str.islower, str.isdigit)
    return all(sum(map(kind, text)) >= least for kind, least in zip(kinds, (5, 5, 2), strict=True))
