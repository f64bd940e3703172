"""SCRAM-SHA-256 (RFC 5802, RFC 7677): what a server keeps of a password, and how it checks who knows it."""

from __future__ import annotations

import hashlib
import hmac
import stringprep
import unicodedata
from dataclasses import dataclass, field

ITERATIONS = 4096
"""As RFC 7677 asks for at least; tokens here are random, so that guessing them is out of reach anyway."""

SALT_BYTES = 16


@dataclass(frozen=True, slots=True)
class ScramVerifier:
    """What is kept of a password. Neither the password nor a proof of it can be computed from this."""

    salt: bytes
    iterations: int
    stored_key: bytes = field(repr=False)
    server_key: bytes = field(repr=False)

    @classmethod
    def derive(cls, password: str, salt: bytes, iterations: int = ITERATIONS) -> ScramVerifier:
        """Return the verifier of a password with this salt."""
        salted = hashlib.pbkdf2_hmac("sha256", prepare_password(password), salt, iterations)
        client_key = _sign(salted, b"Client Key")
        return cls(salt, iterations, hashlib.sha256(client_key).digest(), _sign(salted, b"Server Key"))

    def check_proof(self, message: bytes, proof: bytes) -> bool:
        """Say whether a proof over the messages of a login is that of the password; in constant time."""
        signature = _sign(self.stored_key, message)
        if len(proof) != len(signature):
            return False
        client_key = bytes(one ^ other for one, other in zip(proof, signature, strict=True))
        return hmac.compare_digest(hashlib.sha256(client_key).digest(), self.stored_key)

    def sign(self, message: bytes) -> bytes:
        """Return the server's own proof over the same messages, by which a client knows it."""
        return _sign(self.server_key, message)


def prepare_password(password: str) -> bytes:
    """Return a password in the form in which it is hashed: SASLprep (RFC 4013); as it is where that is not defined.

    >>> prepare_password("I\u00adX").decode()
    'IX'
    """
    if password.isascii():
        return password.encode()
    mapped = "".join(
        " " if stringprep.in_table_c12(letter) else letter for letter in password if not stringprep.in_table_b1(letter)
    )
    prepared = unicodedata.normalize("NFKC", mapped)
    return password.encode() if not prepared or any(map(_is_prohibited, prepared)) else prepared.encode()


def _is_prohibited(letter: str) -> bool:
    tables = (
        stringprep.in_table_a1,
        stringprep.in_table_c12,
        stringprep.in_table_c21_c22,
        stringprep.in_table_c3,
        stringprep.in_table_c4,
        stringprep.in_table_c5,
        stringprep.in_table_c6,
        stringprep.in_table_c7,
        stringprep.in_table_c8,
        stringprep.in_table_c9,
    )
    return any(holds(letter) for holds in tables)


def _sign(key: bytes, message: bytes) -> bytes:
    return hmac.digest(key, message, "sha256")
