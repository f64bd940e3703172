"""The exchange of SCRAM: only whoever knows the password, in this exchange, on this connection."""

from __future__ import annotations

from base64 import b64decode, b64encode
from hashlib import pbkdf2_hmac, sha256
from hmac import digest

import pytest

from discreet.server.accounts.scram_verifier import ScramVerifier
from discreet.server.wire.errors import WireError
from discreet.server.wire.scram import BINDING, PLAIN, ScramExchange, list_mechanisms

VERIFIER = ScramVerifier.derive("pencil", b"salt" * 4)
PRINT = sha256(b"certificate").digest()


def prove(first: bytes, said: bytes, last: bytes) -> bytes:
    """Return a client's last message with its proof."""
    key = digest(pbkdf2_hmac("sha256", b"pencil", b"salt" * 4, 4096), b"Client Key", "sha256")
    signature = digest(sha256(key).digest(), b",".join([said, first, last]), "sha256")
    return last + b",p=" + b64encode(bytes(a ^ b for a, b in zip(key, signature, strict=True)))


def test_whoever_knows_the_password_is_told_so() -> None:
    exchange = ScramExchange(VERIFIER, PLAIN, None)
    first = exchange.answer_first(b"n,,n=,r=abc")
    nonce = first.split(b",")[0]
    assert nonce.startswith(b"r=abc")
    proved, signature = exchange.check_final(prove(first, b"n=,r=abc", b"c=biws," + nonce))
    assert proved
    assert len(b64decode(signature[2:])) == 32


def test_the_nonce_must_be_that_of_this_exchange() -> None:
    exchange = ScramExchange(VERIFIER, PLAIN, None)
    first = exchange.answer_first(b"n,,n=,r=abc")
    for nonce in (b"r=abc", first.split(b",")[0] + b"x", b"r=other"):
        assert not exchange.check_final(prove(first, b"n=,r=abc", b"c=biws," + nonce))[0]


def test_a_binding_is_to_the_certificate_of_this_server() -> None:
    header = b"p=tls-server-end-point,,"
    for bound, right in ((PRINT, True), (sha256(b"another").digest(), False), (b"", False)):
        exchange = ScramExchange(VERIFIER, BINDING, PRINT)
        first = exchange.answer_first(header + b"n=,r=abc")
        last = b"c=" + b64encode(header + bound) + b"," + first.split(b",")[0]
        assert exchange.check_final(prove(first, b"n=,r=abc", last))[0] is right


def test_every_exchange_has_a_nonce_of_its_own() -> None:
    assert len({ScramExchange(VERIFIER, PLAIN, None).answer_first(b"n,,n=,r=abc") for _ in range(50)}) == 50


@pytest.mark.parametrize(
    ("mechanism", "fingerprint", "text"),
    [
        (PLAIN, None, b""),
        (PLAIN, None, b"n,,n=,r="),
        (PLAIN, None, b"n,a=bob,n=,r=abc"),
        (PLAIN, None, b"n,,m=1,n=,r=abc"),
        (PLAIN, None, b"p=tls-server-end-point,,n=,r=abc"),
        (PLAIN, PRINT, b"y,,n=,r=abc"),
        (BINDING, PRINT, b"n,,n=,r=abc"),
        (BINDING, PRINT, b"p=tls-unique,,n=,r=abc"),
        (PLAIN, None, b"n,,n=,r=abc,x=\xff"),
    ],
)
def test_first_messages_that_do_not_fit_are_refused(mechanism: str, fingerprint: bytes | None, text: bytes) -> None:
    with pytest.raises(WireError):
        ScramExchange(VERIFIER, mechanism, fingerprint).answer_first(text)


def test_binding_is_offered_where_there_is_a_certificate() -> None:
    assert list_mechanisms(None) == (PLAIN,)
    assert list_mechanisms(PRINT) == (BINDING, PLAIN)
    for name in (BINDING, "SCRAM-SHA-1", ""):
        with pytest.raises(WireError):
            ScramExchange(VERIFIER, name, None)
