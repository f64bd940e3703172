"""The server's side of SCRAM-SHA-256 (RFC 5802, 7677), with channel binding by the server's certificate (RFC 5929)."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from base64 import b64decode, b64encode
from binascii import Error as Base64Error

from discreet.server.accounts.scram_verifier import ScramVerifier
from discreet.server.wire.errors import WireError, violate

PLAIN, BINDING = "SCRAM-SHA-256", "SCRAM-SHA-256-PLUS"
CHANNEL = b"tls-server-end-point"

_FIRST = re.compile(
    rb"(?P<header>(?P<binding>[ny]|p=(?P<channel>[A-Za-z0-9.-]+)),,)(?P<bare>n=[^,]*,r=(?P<nonce>[!-+\--~]+))"
)
_FINAL = re.compile(rb"(?P<bare>c=(?P<bound>[A-Za-z0-9+/=]+),r=(?P<nonce>[!-+\--~]+)),p=(?P<proof>[A-Za-z0-9+/=]+)")


class ScramExchange:
    """One login. The name is that of the startup packet: PostgreSQL's clients leave the one in SCRAM empty.

    With TLS the certificate is part of what is proved, so that nobody in the middle can pass a proof on. A client that
    could bind but believes that the server cannot (`y`) is refused where the server can: somebody changed the offer.
    """

    def __init__(self, verifier: ScramVerifier, mechanism: str, fingerprint: bytes | None) -> None:
        if mechanism not in list_mechanisms(fingerprint):
            raise violate("a mechanism was chosen that was not offered", fatal=True)
        self._verifier, self._mechanism, self._fingerprint = verifier, mechanism, fingerprint
        self._nonce, self._header, self._said = b"", b"", b""

    def answer_first(self, text: bytes) -> bytes:
        """Read the client's first message and return the server's: the nonce of both, salt and iterations."""
        found = _FIRST.fullmatch(text)
        if found is None:
            raise violate("the first message of SCRAM cannot be read", fatal=True)
        bound = found["binding"][:1] == b"p"
        if bound != (self._mechanism == BINDING) or (bound and found["channel"] != CHANNEL):
            raise violate("the channel binding does not fit the chosen mechanism", fatal=True)
        if found["binding"] == b"y" and self._fingerprint is not None:
            raise WireError("28000", "the client was told that channel binding is not on offer, and it is", fatal=True)
        self._nonce = found["nonce"] + b64encode(secrets.token_bytes(18))
        self._header = found["header"]
        salt = b64encode(self._verifier.salt)
        first = b"r=%b,s=%b,i=%d" % (self._nonce, salt, self._verifier.iterations)
        self._said = found["bare"] + b"," + first
        return first

    def check_final(self, text: bytes) -> tuple[bool, bytes]:
        """Read the client's last message; return whether it proves the password, and the server's own proof."""
        found = _FINAL.fullmatch(text)
        if found is None:
            raise violate("the last message of SCRAM cannot be read", fatal=True)
        expected = self._header + (self._fingerprint or b"" if self._mechanism == BINDING else b"")
        bound = hmac.compare_digest(_decode(found["bound"]), expected)
        same = hmac.compare_digest(found["nonce"], self._nonce)
        message = self._said + b"," + found["bare"]
        proved = self._verifier.check_proof(message, _decode(found["proof"]))
        return bound and same and proved, b"v=" + b64encode(self._verifier.sign(message))


def list_mechanisms(fingerprint: bytes | None) -> tuple[str, ...]:
    """Return what is offered: binding first, where there is a certificate to bind to."""
    return (PLAIN,) if fingerprint is None else (BINDING, PLAIN)


def _decode(text: bytes) -> bytes:
    try:
        return b64decode(text, validate=True)
    except Base64Error:
        raise violate("a message of SCRAM is not in base64", fatal=True) from None


def hash_certificate(der: bytes) -> bytes | None:
    """Return the hash that stands for a certificate (RFC 5929, section 4.1): by the function that it is signed with.

    MD5 and SHA-1 become SHA-256. None where the signature names no hash function: then nothing is bound.
    """
    signature = _find_signature(der)
    for name, oids in SIGNATURES.items():
        if signature in oids:
            return hashlib.new(name, der).digest()
    return None


def _find_signature(der: bytes) -> str:
    """Return the OID of a certificate's signature as hexadecimal digits: the second part of its outer sequence."""
    try:
        _, start, _ = _read_tag(der, 0)
        _, _, after = _read_tag(der, start)
        _, algorithm, _ = _read_tag(der, after)
        _, begin, end = _read_tag(der, algorithm)
    except IndexError:
        return ""
    return der[begin:end].hex()


def _read_tag(der: bytes, at: int) -> tuple[int, int, int]:
    """Return the tag at a place of DER, and where its content begins and ends."""
    size, begin = der[at + 1], at + 2
    if size & 0x80:
        count = size & 0x7F
        size, begin = int.from_bytes(der[begin : begin + count], "big"), begin + count
    return der[at], begin, begin + size


SIGNATURES = {
    "sha256": (
        "2a864886f70d010104",  # MD5 with RSA
        "2a864886f70d010105",  # SHA-1 with RSA
        "2a8648ce3d0401",  # SHA-1 with ECDSA
        "2a864886f70d01010b",
        "2a8648ce3d040302",
    ),
    "sha384": ("2a864886f70d01010c", "2a8648ce3d040303"),
    "sha512": ("2a864886f70d01010d", "2a8648ce3d040304"),
}
"""Signature algorithms by the hash that a binding uses: RSA, then ECDSA."""
