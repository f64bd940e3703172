"""The ChaCha20 keystream in 32-bit words, written once for numpy and for an accelerator.

ChaCha20 (Bernstein 2008; RFC 8439) is what the operating system's own generator runs on: from a key of 32 random bytes
it makes bits that nobody tells from random without the key. A fresh key is taken for every use, so the nonce is 0 and a
block is told by its counter alone: 2^32 blocks of eight 64-bit words for each key.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.noise import bits

WORDS = 8
"""64-bit words in a block."""

MOST_BLOCKS = 1 << 32
"""Blocks of one key: the counter has 32 bits."""

CONSTANTS = (0x61707865, 0x3320646E, 0x79622D32, 0x6B206574)
"""`expand 32-byte k`, in little-endian words."""

DOUBLE_ROUNDS = 10

COLUMNS = ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15))
DIAGONALS = ((0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14))


def take_key() -> Any:
    """Return a fresh key of the operating system's randomness: eight 32-bit words, never returned before."""
    return bits.words(4).view(np.uint32).copy()


def _rotate(value: Any, places: int) -> Any:
    left, right = np.uint32(places), np.uint32(32 - places)
    return (value << left) | (value >> right)


def _quarter_round(state: list[Any], places: tuple[int, int, int, int]) -> None:
    a, b, c, d = places
    for first, second, third, turn in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
        state[first] = state[first] + state[second]
        state[third] = _rotate(state[third] ^ state[first], turn)


def start_state(key: Any, counters: Any, nonce: tuple[int, int, int] = (0, 0, 0)) -> list[Any]:
    """Return the sixteen words that the rounds start from, each an array of the counters' shape."""
    zero = counters ^ counters
    constants = [zero + np.uint32(word) for word in CONSTANTS]
    return [*constants, *(zero + key[place] for place in range(8)), counters, *(zero + np.uint32(n) for n in nonce)]


def double_round(state: list[Any]) -> list[Any]:
    """Return the state after a round over its columns and one over its diagonals."""
    state = list(state)
    for places in (*COLUMNS, *DIAGONALS):
        _quarter_round(state, places)
    return state


def expand(key: Any, counters: Any, nonce: tuple[int, int, int] = (0, 0, 0)) -> list[Any]:
    """Return the sixteen 32-bit words of every block, as arrays of the counters' shape.

    Keys and counters are arrays of uint32, numpy's or an accelerator's; sums wrap at 2^32 in both.
    """
    start = start_state(key, counters, nonce)
    state = start
    for _ in range(DOUBLE_ROUNDS):
        state = double_round(state)
    return [mixed + first for mixed, first in zip(state, start, strict=True)]
