"""The keystream is that of RFC 8439, in numpy and on a device, and no key is used twice."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from discreet.noise.bits import replayed
from discreet.noise.device import chacha
from support.sampling import GeneratorBits

KEY = np.arange(32, dtype=np.uint8).view(np.uint32)
VECTORS: list[Any] = [
    pytest.param(
        KEY,
        1,
        (0x09000000, 0x4A000000, 0),
        "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
        "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e",
        id="section 2.3.2",
    ),
    pytest.param(
        np.zeros(8, dtype=np.uint32),
        0,
        (0, 0, 0),
        "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
        "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586",
        id="appendix A.1, 1",
    ),
    pytest.param(
        np.zeros(8, dtype=np.uint32),
        1,
        (0, 0, 0),
        "9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed"
        "29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f",
        id="appendix A.1, 2",
    ),
]


@pytest.mark.parametrize(("key", "counter", "nonce", "stream"), VECTORS)
def test_blocks_are_those_of_the_rfc(key: Any, counter: int, nonce: tuple[int, int, int], stream: str) -> None:
    words = chacha.expand(key, np.array([counter], dtype=np.uint32), nonce)
    assert np.concatenate(words).astype("<u4").tobytes().hex() == stream


def test_blocks_of_many_counters_are_those_of_each() -> None:
    together = chacha.expand(KEY, np.arange(50, dtype=np.uint32))
    for counter in (0, 1, 49):
        alone = chacha.expand(KEY, np.array([counter], dtype=np.uint32))
        assert [word[counter] for word in together] == [word[0] for word in alone]


def test_a_key_is_32_fresh_bytes_of_the_operating_systems() -> None:
    assert chacha.take_key().nbytes == 32
    assert len({chacha.take_key().tobytes() for _ in range(100)}) == 100
    with replayed(source := GeneratorBits(1)):
        chacha.take_key()
    assert source.taken == 4
