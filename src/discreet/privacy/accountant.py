"""The certified accountant: many losses composed on one grid, with every numerical error bounded.

delta(e) of a composition is E_P[(1 - e^(e - L))+] for the total loss L = L_1 + ... + L_k. The laws are tilted by
e^(tilt * L) first, so that what matters for the delta asked for lies in the middle of the window, where Fourier
transforms are relatively accurate; the weight of the sum tilts it back.

Errors: the grid (pessimistic and optimistic laws), the window (what wraps around is bounded by Chernoff), and the
round-off of transforms (Higham 2002, Theorem 24.2: for radix 2 a relative 2-norm error of at most about 7 log2(n)
units; 16 is used, since other radices differ little). They are added to the upper bound and taken from the lower one.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from discreet.base.search import least_float
from discreet.privacy.certified import Certified
from discreet.privacy.few import LEAST, few, few_delta, law_delta, listed
from discreet.privacy.grid_law import GridLaws, optimistic, pessimistic, span
from discreet.privacy.pairs import UNIT, Floats, Pair
from discreet.privacy.stacked import stacked
from discreet.privacy.transforms import Tilted, dense_delta, merge, power

TOLERANCE = 3e-4
"""How far the grid may move epsilon, about; the window and round-off add far less."""

FINEST = 1 << 21
"""The most grid points across one law or one window: a bound on time and memory, at the cost of a wider bracket."""

Parts = list[tuple[Pair, int]]
Maker = Callable[[Pair, float, float], GridLaws]


class Block:
    """Laws on one grid, stacked: row i holds one part's masses, `counts[i]` times composed."""

    def __init__(self, laws: GridLaws, counts: Floats) -> None:
        self.laws, self.counts, self.losses = laws, counts, laws.losses
        last = laws.masses.shape[1] - 1 - np.argmax(laws.masses[:, ::-1] > 0, axis=1)
        self.top = float(counts @ self.losses[np.arange(len(last)), last])
        with np.errstate(divide="ignore"):
            self._logs = np.log(laws.masses)

    def tilted(self, tilt: float) -> tuple[Floats, Floats]:
        """Return each row's masses under the tilt, normalised, and the log of what they were divided by."""
        exponent = self.losses * tilt
        exponent += self._logs
        peak = exponent.max(axis=1)
        exponent -= peak[:, None]
        weights = np.exp(exponent, out=exponent)
        totals = weights.sum(axis=1)
        weights /= totals[:, None]
        return weights, peak + np.log(totals)

    def cumulants(self, tilt: float) -> tuple[float, float, float]:
        """Return this block's part of the log moment generating function at `tilt` and of its two derivatives."""
        weights, logs = self.tilted(tilt)
        means = np.einsum("ij,ij->i", weights, self.losses)
        squares = np.einsum("ij,ij,ij->i", weights, self.losses, self.losses)
        spread = np.maximum(squares - means**2, self.laws.step**2 / 16)
        return float(self.counts @ logs), float(self.counts @ means), float(self.counts @ spread)

    def composed(self, tilt: float, alone: bool) -> list[Tilted]:
        """Return each row, tilted and composed as often as it occurs."""
        weights, logs = self.tilted(tilt)
        groups = []
        for row, first, count, log in zip(weights, self.laws.firsts, self.counts, logs, strict=True):
            used = np.flatnonzero(row)
            part = row[used[0] : used[-1] + 1]
            start = int(first) + int(used[0])
            reach = self.laws.step * max(abs(start), abs(start + len(part)))
            doubt = 4 * UNIT * (4 + tilt * reach + abs(log)) * math.sqrt(float(part @ part))
            groups.append(power(Tilted(start, part, float(log), doubt, 0.0), int(count), alone))
        return groups


class Laws:
    """The laws of all parts on one grid."""

    def __init__(self, parts: Parts, step: float, tail: float, maker: Maker) -> None:
        groups = stacked([pair for pair, _ in parts])
        self.step = step
        self.blocks = [
            Block(maker(pair, step, tail), np.array([parts[index][1] for index in members], dtype=np.float64))
            for members, pair in groups
        ]
        self.count = sum(count for _, count in parts)
        finite = sum(float(block.counts @ np.log1p(-np.minimum(block.laws.infinite, 1.0))) for block in self.blocks)
        self.infinite = -math.expm1(finite)
        self.offset = sum(float(block.counts @ block.laws.offset) for block in self.blocks)
        self.shift = sum(float(block.counts @ block.laws.shift) for block in self.blocks)
        self.top = sum(block.top for block in self.blocks)

    def cumulants(self, tilt: float) -> tuple[float, float, float]:
        """Return the total loss's log moment generating function at `tilt`, its slope and its second derivative."""
        found = [block.cumulants(tilt) for block in self.blocks]
        return sum(value for value, _, _ in found), sum(mean for _, mean, _ in found), sum(bend for _, _, bend in found)

    def composed(self, tilt: float) -> Tilted:
        """Compose all laws under a tilt."""
        alone = sum(len(block.counts) for block in self.blocks) == 1
        return merge([group for block in self.blocks for group in block.composed(tilt, alone)])


class Curve:
    """delta(epsilon) of composed laws, bounded from above or from below."""

    def __init__(self, laws: Laws, tilt: float, upper: bool) -> None:
        self.law, self.tilt, self.step, self.upper = laws.composed(tilt), tilt, laws.step, upper
        self.infinite, self.offset, self.shift, self.top = laws.infinite, laws.offset, laws.shift, laws.top
        self.doubt = 64 * UNIT * (2 + abs(self.law.log_scale) + laws.count)
        self._delta = (
            dense_delta(self.law, tilt, laws.step) if self.law.evaluate is None else self.law.evaluate(tilt, laws.step)
        )

    def delta(self, epsilon: float) -> float:
        """Return the bound. It is close near the middle of the tilted law, and still a bound elsewhere."""
        epsilon += self.offset
        if self.upper and epsilon >= self.top:
            return min(1.0, self.infinite * (1 + 64 * UNIT) + LEAST)
        value, size = self._delta(epsilon - self.shift)
        length = 1 / math.sqrt(-math.expm1(-2 * self.tilt * self.step))
        slack = self.doubt * size + self.law.error * length + self.law.outside
        slack += 8 * UNIT * self.tilt * abs(epsilon) * size
        log_weight = self.law.log_scale - self.tilt * epsilon
        if self.upper:
            found = math.exp(min(700.0, log_weight)) * max(value + slack, 0.0)
            return float(min(1.0, found + self.infinite * (1 + 64 * UNIT) + LEAST))
        found = math.exp(min(700.0, log_weight)) * max(value - slack, 0.0)
        return float(min(1.0, max(found + self.infinite * (1 - 64 * UNIT) - LEAST, 0.0)))


def certified_epsilon(directions: list[Parts], delta: float, attained: list[Parts] | None = None) -> Certified:
    """Bracket the least epsilon at this delta > 0: the worst of all directions.

    The lower bound is computed from the pairs `attained`, where they differ from those that dominate.
    """
    if all(few(parts) for parts in (*directions, *(attained or []))):
        return _few_epsilon(directions, delta, attained or directions)
    high = low = 0.0
    for way, parts in enumerate(directions):
        laws, tilt = _laws(parts, delta, lambda laws: _tilt_for_delta(laws, math.log(delta)))
        if laws.infinite < delta / 2 and _chernoff_epsilon(laws, tilt, delta) <= high:
            continue
        found = _least_epsilon(Curve(laws, tilt, upper=True), delta)
        high = max(high, found)
        if math.isfinite(found) and found > low:
            real = (attained or directions)[way]
            lower = Curve(Laws(real, laws.step, _tail(real, delta), optimistic), tilt, upper=False)
            low = max(low, _greatest_epsilon(lower, delta, found))
    return Certified(low, high)


def certified_delta(directions: list[Parts], epsilon: float, attained: list[Parts] | None = None) -> Certified:
    """Bracket the least delta at this epsilon: the worst of all directions."""
    if all(few(parts) for parts in (*directions, *(attained or []))):
        highs = [few_delta(parts, epsilon).high for parts in directions]
        return Certified(max(few_delta(parts, epsilon).low for parts in attained or directions), max(highs))
    low = high = 0.0
    for way, parts in enumerate(directions):
        guess, found = 1e-12, 1.0
        while True:
            laws, tilt = _laws(parts, guess, lambda laws: _tilt_for_epsilon(laws, epsilon))
            beyond = epsilon + laws.offset >= laws.top
            here = laws.infinite * (1 + 1e-12) + LEAST if beyond else Curve(laws, tilt, upper=True).delta(epsilon)
            found = min(found, here)
            if found >= 10 * guess or guess <= 1e-300:  # what the span leaves out is small beside the answer
                break
            guess = max(found * found, 1e-300)
        high = max(high, found)
        real = (attained or directions)[way]
        lower = Curve(Laws(real, laws.step, _tail(real, guess), optimistic), tilt, upper=False)
        low = max(low, min(lower.delta(epsilon), found))
    return Certified(low, high)


def _few_epsilon(directions: list[Parts], delta: float, attained: list[Parts]) -> Certified:
    """Bracket epsilon from lists of atoms."""
    laws, real = [listed(parts) for parts in directions], [listed(parts) for parts in attained]
    _, high = least_float(lambda e: all(law_delta(law, e).high <= delta for law in laws))
    low, _ = least_float(lambda e: all(law_delta(law, e).low <= delta for law in real))
    return Certified(min(low, high), high)


def _tail(parts: Parts, delta: float) -> float:
    return max(delta * 1e-7 / sum(count for _, count in parts), 1e-320)


def _laws(parts: Parts, delta: float, choose: Callable[[Laws], float]) -> tuple[Laws, float]:
    """Return pessimistic laws on a grid fine enough, and the tilt chosen for them."""
    count = sum(times for _, times in parts)
    tail = _tail(parts, delta)
    widths = [high - low for low, high in (span(pair, tail) for pair, _ in parts)]
    widest = max(widths)
    least = min(
        TOLERANCE / count, min(widths) / 1024
    )  # there no sum moves by more than the tolerance, whatever its law
    step = max(math.sqrt(12 * TOLERANCE / (8 * count)), widest / FINEST)
    commonest, _ = max(parts, key=lambda part: part[1])
    lattice = commonest.lattice  # the commonest part's atoms lie on the grid
    exact = len(parts) == 1 and commonest.above is None and lattice is not None and lattice >= step / 2
    for _ in range(4):
        if lattice is not None and lattice >= step / 2:
            step = lattice if exact else lattice / max(1, math.ceil(lattice / step))
        laws = Laws(parts, step, tail, pessimistic)
        tilt = choose(laws)
        if exact:
            return laws, min(tilt, 16 / step)
        if math.isinf(tilt):
            break
        _, _, spread = laws.cumulants(tilt)
        enough = min(math.sqrt(12 * TOLERANCE / (max(tilt, 1e-3) * count)), math.sqrt(spread / count) / 32)
        enough = max(enough, least, widest / FINEST, 16 * math.sqrt(spread) / FINEST)
        if enough / 1.5 <= step <= 1.5 * enough:
            break
        step = enough
    return laws, min(tilt, 1 / laws.step)


def _tilt_for_delta(laws: Laws, log_delta: float) -> float:
    """Return the tilt whose saddle point has about this delta."""

    def log_tail(tilt: float) -> float:
        value, slope, bend = laws.cumulants(tilt)
        return value - tilt * slope - math.log1p(tilt * (tilt + 1) * math.sqrt(2 * math.pi * bend))

    return _least_tilt(lambda tilt: log_tail(tilt) <= log_delta)


def _tilt_for_epsilon(laws: Laws, epsilon: float) -> float:
    """Return the tilt that puts the middle of the total loss at epsilon: infinity where no sum reaches it."""
    if epsilon >= laws.top:
        return math.inf
    return _least_tilt(lambda tilt: laws.cumulants(tilt)[1] >= epsilon)


def _least_tilt(enough: Callable[[float], bool]) -> float:
    low, high = 0.5, 4.0
    while not enough(high) and high < 1e6:
        low, high = high, 2 * high
    while enough(low) and low > 1e-3:
        low, high = low / 2, low
    for _ in range(5):
        middle = math.sqrt(low * high)
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _chernoff_epsilon(laws: Laws, tilt: float, delta: float) -> float:
    """Return a quick bound on epsilon: E[e^(tilt L)] bounds delta(e) by that times e^(-tilt e) for every tilt > 0."""
    value, _, _ = laws.cumulants(tilt)
    return (value - math.log(delta / 2)) / tilt * (1 + 1e-9) + 1e-9


def _least_epsilon(curve: Curve, delta: float) -> float:
    """Return an epsilon whose bound on delta is at most `delta`, to 1e-9, or infinity."""
    high = 1.0
    while curve.delta(high) > delta:
        if high > curve.top:
            return math.inf
        high *= 2
    low = 0.0
    while high - low > 1e-9 * max(1.0, high):
        middle = (low + high) / 2
        low, high = (low, middle) if curve.delta(middle) <= delta else (middle, high)
    return high


def _greatest_epsilon(curve: Curve, delta: float, high: float) -> float:
    """Return an epsilon up to `high` whose lower bound on delta exceeds `delta`, or 0."""
    step = 1e-6
    low = high - step
    while curve.delta(max(low, 0.0)) <= delta:
        if low <= 0:
            return 0.0
        step *= 2
        low = high - step
    low = max(low, 0.0)
    while high - low > 1e-9 * max(1.0, high):
        middle = (low + high) / 2
        low, high = (middle, high) if curve.delta(middle) > delta else (low, middle)
    return low
