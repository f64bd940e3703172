"""Rounded Gaussian draws on an accelerator, exact as those of the CPU.

The method is that of `discreet.noise.interval`. Bits are a ChaCha20 keystream under a fresh key of the operating
system's (`chacha`), never the framework's own generator. 63 bits of each 64 put a uniform real u into an interval, the
last is a sign. Float64 gives sigma * curve(u) + 1/2 with the error bound of that module, in which the library's `ndtri`
is replaced by `quantile`. Where no integer lies within the bound, its floor is the draw. The few undecided ones are
marked, fetched with their bits and decided on the host in ball arithmetic, with more bits as needed. So every draw is
the one that infinitely many bits would have given.

A draw is decided from the array that the host looked at: one program writes draws and marks into a single array, and
another finds the marks in it. A compiler that evaluates the same formula twice, rounding differently, can therefore
not make a draw pass as decided that is not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from flint import arb, fmpq

from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.noise.device import chacha
from discreet.noise.device.frame import jax_modules, wide
from discreet.noise.device.quantile import QUANTILE_ERROR, SMALLEST, find_magnitude
from discreet.noise.interval import INT64, NORMAL, Inversion
from discreet.noise.laplace import scale_in_range

UNDECIDED = -(2**63)
"""The mark of a draw that floats cannot decide; no decided draw is that far out."""

LINE = 1024
"""Draws in a line: lines that hold undecided draws are found first."""

LINES, PLACES = 32, 64
"""Lines, and undecided draws in them, that are found at once."""


def enclose_draws(prefixes: Any, sigma: Any, library: Any) -> tuple[Any, Any]:
    """Return floats low and high with low <= sigma * curve(u) + 1/2 <= high for all u of these 63 bits.

    For prefixes of at least SMALLEST; the bounds and their names are in the head of `discreet.noise.interval`.
    """
    w = prefixes.astype(np.float64) + 0.5
    slope = sigma * NORMAL.steepness
    y = sigma * find_magnitude(w * 2.0**-63, library) + 0.5
    error = slope / w + slope * 2.0**-51 + y * (QUANTILE_ERROR + 2.0**-50)
    return y - error, y + error


def read_draws(words: Any, sigma: Any, library: Any) -> Any:
    """Return the draw that each 64-bit word decides, or UNDECIDED."""
    prefixes = (words & np.uint64(INT64)).astype(np.int64)
    low, high = enclose_draws(library.maximum(prefixes, SMALLEST), sigma, library)
    floor = library.floor(low)
    decided = (floor == library.floor(high)) & (prefixes >= SMALLEST)
    size = floor.astype(np.int64)
    signed = library.where(words > np.uint64(INT64), -size, size)
    return library.where(decided, signed, UNDECIDED)


@lru_cache(maxsize=8)
def _programs(blocks: int) -> tuple[Any, Any, Any]:
    """Return the compiled programs for so many blocks: draw, find what is undecided, and replace it."""
    jax, jnp = jax_modules()

    def draw(key: Any, sigma: Any) -> tuple[Any, Any]:
        start = chacha.start_state(key, jnp.arange(blocks, dtype=np.uint32))
        together = 1 if jax.default_backend() == "cpu" else 2
        mixed = jax.lax.fori_loop(
            0, chacha.DOUBLE_ROUNDS, lambda _, state: chacha.double_round(state), start, unroll=together
        )
        halves = [(one + first).astype(np.uint64) for one, first in zip(mixed, start, strict=True)]
        words = [low | (high << np.uint64(32)) for low, high in zip(halves[::2], halves[1::2], strict=True)]
        return jnp.concatenate([read_draws(each, sigma, jnp) for each in words]), jnp.concatenate(words)

    def find(draws: Any, words: Any) -> Any:
        """Return how many draws are undecided, then places of some of them (else beyond the end), then their words."""
        held = draws.reshape(-1, LINE)
        left = jnp.sum(held == UNDECIDED, axis=1)
        (lines,) = jnp.nonzero(left, size=min(LINES, len(held)), fill_value=len(held))
        marks = held.at[lines].get(mode="fill", fill_value=0) == UNDECIDED
        (spots,) = jnp.nonzero(marks.reshape(-1), size=PLACES, fill_value=marks.size)
        places = lines.at[spots // LINE].get(mode="fill", fill_value=len(held)) * LINE + spots % LINE
        bits = words.at[places].get(mode="fill", fill_value=0)
        return jnp.concatenate([jnp.sum(left)[None].astype(np.uint64), places.astype(np.uint64), bits])

    def replace(draws: Any, places: Any, values: Any) -> Any:
        return draws.at[places].set(values, mode="drop")

    return jax.jit(draw), jax.jit(find), jax.jit(replace, donate_argnums=0)


@dataclass(slots=True)
class PendingDraws:
    """Draws under way on the accelerator, with their bits; `finish` decides what floats could not."""

    sigma: float | Fraction
    count: int
    draws: Any
    words: Any
    found: Any = None
    undecided: int = 0

    def look(self) -> None:
        """Ask for undecided draws, without waiting: they travel while something else is computed."""
        _, find, _ = _programs(self.draws.shape[0] // chacha.WORDS)
        with wide():
            self.found = find(self.draws, self.words)
            self.found.copy_to_host_async()

    def finish(self) -> Any:
        """Return at least `count` draws as an int64 array on the accelerator, all decided."""
        left = self._decide_some()
        while left:
            self.look()
            left = self._decide_some()
        return self.draws

    def _decide_some(self) -> int:
        """Decide the undecided draws that were found, and return how many others there are."""
        _, _, replace = _programs(self.draws.shape[0] // chacha.WORDS)
        found = np.asarray(self.found)
        total, places, words = int(found[0]), found[1 : 1 + PLACES].astype(np.int64), found[1 + PLACES :]
        known = int((places < len(self.draws)).sum())
        if known:
            law = Inversion(NORMAL, self.sigma, lambda: arb(fmpq(1, 2)), signed=True)
            values = np.zeros(PLACES, dtype=np.int64)
            for at in range(known):
                values[at] = max(-INT64, min(INT64, law.finish(int(words[at]))))
            with wide():
                self.draws = replace(self.draws, places, values)
        self.undecided += known
        return total - known


def begin_rounded_gaussian(sigma: float | Fraction, count: int) -> PendingDraws:
    """Start drawing real Gaussians of standard deviation sigma, rounded to integers, on JAX's default device.

    A key of 32 bytes is taken for this call alone. int64, saturating at its ends; `finish` gives the draws.
    """
    scale = scale_in_range("sigma", sigma)
    count = check.integer("count", count, least=1)
    blocks = -(-count // LINE) * (LINE // chacha.WORDS)
    if blocks > chacha.MOST_BLOCKS:
        raise ParameterError("count", count, f"at most {chacha.MOST_BLOCKS * chacha.WORDS:,}")
    draw, _, _ = _programs(blocks)
    with wide():
        pending = PendingDraws(scale, count, *draw(chacha.take_key(), np.float64(scale)))
    pending.look()
    return pending


def rounded_gaussian_on_device(sigma: float | Fraction, size: int | tuple[int, ...]) -> Any:
    """Draw real Gaussians of standard deviation sigma rounded to integers: an int64 array on the accelerator."""
    shape = check.shape("size", size)
    draws = begin_rounded_gaussian(sigma, max(1, math.prod(shape))).finish()
    with wide():
        return draws[: math.prod(shape)].reshape(shape)
