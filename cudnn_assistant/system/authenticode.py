"""Windows: who signed a program, and whether what was signed is what is there (Authenticode).

Source: WinVerifyTrust and the helpers of wintrust.h. Callable on Windows only.
"""

from __future__ import annotations

import ctypes
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

from cudnn_assistant.trouble import Refused

_ct: Any = ctypes
_U32 = ctypes.c_uint32
_ANY, _TEXT = ctypes.c_void_p, ctypes.c_wchar_p

_READ, _OTHERS_READ, _EXISTING = 0x80000000, 0x1, 3
_NO_WINDOW, _A_FILE, _VERIFY, _CLOSE = 2, 1, 1, 2
_NO_MD2_MD4 = 0x2000
_ATTRIBUTE, _ORGANISATION = 3, b"2.5.4.10"
_LONGEST_NAME = 256
_NO_SIGNATURE, _UNTRUSTED_ROOT = 0x800B0100, 0x800B0109
_NO_GOOD_CHAIN = 0x4 | 0x8 | 0x20 | 0x10000
"""Bits of a chain's error status: revoked, or a signature, the root, or the end is not good."""
_ASK_ABOUT_CHAIN, _BUT_NOT_THE_ROOT = 1, 0x80
_NOBODY_ANSWERED = (0x80092012, 0x80092013, 0x800B010E)
"""No list of revoked certificates could be had: not named, or out of reach."""


_GENERIC_VERIFY = uuid.UUID("00aac56b-cd44-11d0-8cc2-00c04fc295ee").bytes_le


class _File(ctypes.Structure):
    _fields_: ClassVar[Any] = [
        ("size", _U32), ("path", _TEXT), ("handle", _ANY), ("subject", _ANY),
    ]  # fmt: skip


class _Data(ctypes.Structure):
    _fields_: ClassVar[Any] = [
        ("size", _U32), ("policy", _ANY), ("client", _ANY), ("windows", _U32),
        ("revocation", _U32), ("union", _U32), ("file", ctypes.POINTER(_File)), ("action", _U32),
        ("state", _ANY), ("url", _TEXT), ("flags", _U32), ("context", _U32), ("settings", _ANY),
    ]  # fmt: skip


class _Signer(ctypes.Structure):
    _fields_: ClassVar[Any] = [
        ("size", _U32), ("as_of", _U32 * 2), ("count", _U32), ("certificates", _ANY),
        ("kind", _U32), ("info", _ANY), ("error", _U32), ("counter_count", _U32),
        ("counter", _ANY), ("chain", ctypes.POINTER(_U32)),
    ]  # fmt: skip


class _Certificate(ctypes.Structure):
    _fields_: ClassVar[Any] = [("size", _U32), ("context", _ANY)]


@contextmanager
def held(path: str) -> Iterator[None]:
    """Meanwhile nobody can change, exchange or remove the file. Raises OSError.

    What is running can't be held so by another either, nor what still is being written.
    """
    kernel = _ct.WinDLL("kernel32", use_last_error=True)
    kernel.CreateFileW.restype = _ct.c_void_p
    handle = kernel.CreateFileW(
        _ct.c_wchar_p(path), _ct.c_uint32(_READ), _OTHERS_READ, None, _EXISTING, 0, None
    )
    if handle == _ct.c_void_p(-1).value:
        raise _ct.WinError(_ct.get_last_error())
    try:
        yield
    finally:
        kernel.CloseHandle(_ct.c_void_p(handle))


def refuse_unless_signed_by(publisher: str, path: str) -> None:
    """Raises :class:`Refused` unless the signature holds here and is that organisation's.

    A certificate that its issuer has revoked is none. Where the issuer's list can't be had (no
    network), what else is known decides.
    """
    signer, code = _asked(path, revocation=True)
    if code in _NOBODY_ANSWERED:
        signer, code = _asked(path, revocation=False)
    if signer != publisher:
        raise Refused("not-signed", publisher=publisher, found=signer or f"0x{code:08X}")


def _asked(path: str, *, revocation: bool) -> tuple[str, int]:
    """Who signed the file, "" where that doesn't hold; and the code of why not."""
    file = _File(_ct.sizeof(_File), path, None, None)
    data = _Data(size=_ct.sizeof(_Data), windows=_NO_WINDOW, union=_A_FILE, action=_VERIFY)
    data.file, data.flags = _ct.pointer(file), _NO_MD2_MD4
    if revocation:
        data.revocation, data.flags = _ASK_ABOUT_CHAIN, _NO_MD2_MD4 | _BUT_NOT_THE_ROOT
    trust = _ct.WinDLL("wintrust")
    try:
        code = _verify(trust, data)
        signer, code = _signer(trust, data.state) if code == 0 else ("", code)
    except OSError as trouble:
        raise Refused("system-said", why=trouble) from trouble
    finally:
        data.action = _CLOSE
        _verify(trust, data)
    return signer, code & 0xFFFFFFFF


def _verify(trust: Any, data: _Data) -> int:
    verify = trust.WinVerifyTrust
    verify.argtypes = [_ct.c_void_p, _ct.c_char_p, _ct.POINTER(_Data)]
    verify.restype = _ct.c_int32
    # The window that belongs to no one: nobody is asked anything.
    return int(verify(_ct.c_void_p(-1), _GENERIC_VERIFY, _ct.byref(data)))


def _signer(trust: Any, state: int | None) -> tuple[str, int]:
    """The organisation in the certificate that signed, "" when there is none; and why not.

    That its chain ends at a root which is trusted here is looked at once more: Wine 8's
    WinVerifyTrust sees that it doesn't, and passes it.
    """
    trust.WTHelperProvDataFromStateData.restype = _ct.c_void_p
    trust.WTHelperGetProvSignerFromChain.restype = _ct.POINTER(_Signer)
    trust.WTHelperGetProvCertFromChain.restype = _ct.POINTER(_Certificate)
    whole = trust.WTHelperProvDataFromStateData(_ct.c_void_p(state))
    signer = trust.WTHelperGetProvSignerFromChain(_ct.c_void_p(whole), 0, False, 0)
    if not (whole and signer and signer.contents.chain):
        return "", _NO_SIGNATURE
    if signer.contents.chain[1] & _NO_GOOD_CHAIN:
        return "", _UNTRUSTED_ROOT
    certificate = trust.WTHelperGetProvCertFromChain(signer, 0)
    return (_organisation(certificate.contents.context), 0) if certificate else ("", _NO_SIGNATURE)


def _organisation(certificate: int | None) -> str:
    text = _ct.create_unicode_buffer(_LONGEST_NAME)
    _ct.WinDLL("crypt32").CertGetNameStringW(
        _ct.c_void_p(certificate), _ATTRIBUTE, 0, _ORGANISATION, text, _LONGEST_NAME
    )
    return str(text.value)
