"""Verifiers of passwords: the vector of RFC 7677, and proofs that are refused."""

from __future__ import annotations

from base64 import b64decode

from discreet.server.accounts.scram_verifier import ScramVerifier, prepare_password

SALT = b64decode("W22ZaJ0SNY7soEsUEjb6gQ==")
MESSAGE = (
    b"n=user,r=rOprNGfwEbeRWgbNEkqO,"
    b"r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096,"
    b"c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0"
)
PROOF = b64decode("dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=")


def test_the_exchange_of_rfc_7677_is_accepted_and_signed() -> None:
    verifier = ScramVerifier.derive("pencil", SALT, 4096)
    assert verifier.check_proof(MESSAGE, PROOF)
    assert verifier.sign(MESSAGE) == b64decode("6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=")


def test_other_proofs_messages_and_passwords_are_refused() -> None:
    verifier = ScramVerifier.derive("pencil", SALT, 4096)
    assert not verifier.check_proof(MESSAGE + b"x", PROOF)
    assert not verifier.check_proof(MESSAGE, PROOF[:-1])
    assert not verifier.check_proof(MESSAGE, b"")
    assert not verifier.check_proof(MESSAGE, bytes([PROOF[0] ^ 1]) + PROOF[1:])
    assert not ScramVerifier.derive("pencils", SALT, 4096).check_proof(MESSAGE, PROOF)


def test_a_verifier_does_not_print_its_keys() -> None:
    verifier = ScramVerifier.derive("pencil", SALT, 4096)
    assert "stored_key" not in repr(verifier)
    assert "server_key" not in repr(verifier)


def test_passwords_are_prepared_as_clients_prepare_them() -> None:
    assert prepare_password("I\u00adX") == b"IX"
    assert prepare_password("\u00aa") == b"a"
    assert prepare_password("\u2168") == b"IX"
    assert prepare_password("a\u00a0b") == b"a b"
    assert prepare_password("\u0627\u0007") == "\u0627\u0007".encode()  # a prohibited letter: as it is
