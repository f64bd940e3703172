"""Where a server listens: what is refused before anything is opened."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from discreet.base.errors import ParameterError
from discreet.server.serving import Address, Certificate, Listening
from support.wire import make_certificate

HERE = Address("127.0.0.1", 0)


def test_a_certificate_with_its_key_is_taken(tmp_path: Path) -> None:
    chain, key = make_certificate(tmp_path)
    Listening(Address("0.0.0.0", 0), HERE, Certificate(Path(chain), Path(key))).check()


def test_files_that_are_no_certificate_with_its_key_are_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    chain, key = map(Path, make_certificate(tmp_path))
    _, other = map(Path, make_certificate(tmp_path / "other"))
    none, locked = tmp_path / "none.pem", tmp_path / "locked.pem"
    none.write_text("nothing")
    subprocess.run(["openssl", "ec", "-aes128", "-passout", "pass:abcd", "-in", key, "-out", locked], check=True)
    for pair, words in (
        ((tmp_path / "missing.pem", key), "--tls-cert must be a file that can be read .No such file"),
        ((chain, tmp_path / "missing.pem"), "--tls-key must be a file that can be read .No such file"),
        ((none, key), "--tls-cert must be a certificate in PEM"),
        ((chain, none), "--tls-key the key that belongs to it"),
        ((chain, other), "--tls-key the key that belongs to it"),
        ((chain, locked), "without a password"),
    ):
        with pytest.raises(ParameterError, match=words):
            Listening(HERE, None, Certificate(*pair)).check()
