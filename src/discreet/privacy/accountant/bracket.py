"""The certified accountant: many losses composed on one grid, with every numerical error bounded.

The laws are tilted by e^(tilt * L) first, so that what matters for the delta asked for lies in the middle of the
window, where Fourier transforms are relatively accurate; the weight of the sum tilts it back. The grid starts coarse;
what is found on it says how fine the next one must be and how far it must reach.

Errors: the grid (pessimistic and optimistic laws), its end (what lies above keeps its P- and Q-mass, see
`delta_curve`), the window (what wraps around is bounded by Chernoff), and the round-off of transforms. They are added
to the upper bound and taken from the lower one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from discreet.base.search import least_float
from discreet.privacy.accountant.composed_laws import ComposedLaws
from discreet.privacy.accountant.delta_curve import DeltaCurve
from discreet.privacy.accountant.enumeration import (
    bracket_enumerated,
    bracket_sums,
    can_enumerate,
    enumerate_sums,
)
from discreet.privacy.accountant.grid_law import GridReach, find_span, make_optimistic, make_pessimistic
from discreet.privacy.accountant.limits import choose_finest
from discreet.privacy.accountant.pairs import DominatingPair, Releases
from discreet.privacy.accountant.tilts import bound_by_chernoff, find_tilt_for_delta, find_tilt_for_epsilon
from discreet.privacy.certified import Certified

TOLERANCE = 3e-4
"""How far the grid may move epsilon, about, as a part of it where it is below 1; the other errors are far smaller."""

ROUGH = 1 << 12
"""The most grid points of the first grid, which only has to show how fine and how long the next one must be."""

ROUNDS = 20
"""How often the grid is made finer at most."""


@dataclass(frozen=True)
class GridSetting:
    """A grid: how fine it is and how far it reaches. `exact` where all losses lie on it."""

    step: float
    reach: GridReach
    exact: bool = False


def bracket_epsilon(directions: list[Releases], delta: float, attained: list[Releases] | None = None) -> Certified:
    """Bracket the least epsilon at this delta > 0: the worst of all directions.

    The lower bound is computed from the pairs `attained`, where they differ from those that dominate.
    """
    if all(can_enumerate(releases) for releases in (*directions, *(attained or []))):
        return _enumerate_epsilon(directions, delta, attained or directions)
    high = low = 0.0
    for way, releases in enumerate(directions):
        found, laws, tilt = _bound_epsilon(releases, delta, high)
        high = max(high, found)
        if math.isfinite(found) and found > low:
            lower = _make_lower_curve((attained or directions)[way], laws, tilt, found, delta)
            low = max(low, _find_greatest_epsilon(lower, delta, found))
    return Certified(float(low), float(high))


def bracket_delta(directions: list[Releases], epsilon: float, attained: list[Releases] | None = None) -> Certified:
    """Bracket the least delta at this epsilon: the worst of all directions."""
    if all(can_enumerate(releases) for releases in (*directions, *(attained or []))):
        highs = [bracket_enumerated(releases, epsilon).high for releases in directions]
        lows = [bracket_enumerated(releases, epsilon).low for releases in attained or directions]
        return Certified(float(max(lows)), float(max(highs)))
    low = high = 0.0
    for way, releases in enumerate(directions):
        guess, found = 1e-12, 1.0
        while True:
            here, laws, tilt = _bound_delta(releases, epsilon, guess)
            found = min(found, here)
            if found >= 10 * guess or guess <= 1e-300:  # what the span leaves out is small beside the answer
                break
            guess = max(found * found, 1e-300)
        high = max(high, found)
        lower = _make_lower_curve((attained or directions)[way], laws, tilt, epsilon, guess)
        low = max(low, min(lower.evaluate(epsilon), found))
    return Certified(float(low), float(high))


def _enumerate_epsilon(directions: list[Releases], delta: float, attained: list[Releases]) -> Certified:
    """Bracket epsilon from lists of atoms."""
    laws, real = [enumerate_sums(releases) for releases in directions], [enumerate_sums(each) for each in attained]
    _, high = least_float(lambda e: all(bracket_sums(law, e).high <= delta for law in laws))
    low, _ = least_float(lambda e: all(bracket_sums(law, e).low <= delta for law in real))
    return Certified(float(min(low, high)), float(high))


def _bound_epsilon(releases: Releases, delta: float, enough: float) -> tuple[float, ComposedLaws, float]:
    """Return an upper bound on epsilon, and the laws and the tilt that it was found with.

    Once the bound is at most `enough`, another direction being worse, nothing is made finer.
    """
    setting, best = _choose_first(releases, delta), math.inf
    for _ in range(ROUNDS):
        laws = ComposedLaws(releases, setting.step, setting.reach, make_pessimistic)
        tilt = _limit_tilt(find_tilt_for_delta(laws, math.log(delta)), setting)
        quick = bound_by_chernoff(laws, tilt, delta)
        if quick <= enough:
            return enough, laws, tilt
        finer = _refine(releases, laws, setting, tilt, min(quick, best), delta)
        if finer is not None and finer.step < setting.step / 2:
            best, setting = min(best, quick), finer
            continue
        found = _find_least_epsilon(DeltaCurve(laws, tilt, upper=True), delta, best)
        improved, best = found < 0.999 * best, min(best, found)
        finer = _refine(releases, laws, setting, tilt, best, delta)
        if best <= enough or finer is None or not improved:
            break
        setting = finer
    return best, laws, tilt


def _bound_delta(releases: Releases, epsilon: float, guess: float) -> tuple[float, ComposedLaws, float]:
    """Return an upper bound on delta, and the laws and the tilt that it was found with; tails are cut for `guess`."""
    setting, best = _choose_first(releases, guess), 1.0
    for _ in range(ROUNDS):
        laws = ComposedLaws(releases, setting.step, setting.reach, make_pessimistic)
        tilt = _limit_tilt(find_tilt_for_epsilon(laws, epsilon), setting)
        finer = _refine(releases, laws, setting, tilt, epsilon, guess)
        if finer is not None and finer.step < setting.step / 2:
            setting = finer
            continue
        found = DeltaCurve(laws, tilt, upper=True).evaluate(epsilon)
        improved, best = found < 0.999 * best, min(best, found)
        if finer is None or not improved:
            break
        setting = finer
    return best, laws, tilt


def _make_lower_curve(releases: Releases, laws: ComposedLaws, tilt: float, epsilon: float, delta: float) -> DeltaCurve:
    """Return a lower bound on the curve, on the grid that the upper one was found on.

    Atoms that do not lie on the grid, and cells at the end of a density, lose part of a step each: there the grid is
    made finer, where that is affordable.
    """
    tail, step = _choose_tail(releases, delta), laws.step
    if not all(_is_aligned(pair, step) for pair, _ in releases):
        widest = max(high - low for low, high in _find_spans(releases, tail))
        spread = laws.find_cumulants(tilt)[2]
        affordable = (
            2 * max(min(widest, laws.reach.top - laws.reach.bottom), 16 * math.sqrt(spread)) / choose_finest(releases)
        )
        step = min(step, max(0.03 * max(epsilon, 1 / tilt) / laws.count, affordable))
    reach = GridReach(tail, laws.reach.bottom, laws.reach.top)
    return DeltaCurve(ComposedLaws(releases, step, reach, make_optimistic), tilt, upper=False)


def _is_aligned(pair: DominatingPair, step: float) -> bool:
    """Say whether all atoms are multiples of the step, and the density, where there is one, has no other ends."""
    if pair.lattice is None:
        return not pair.atoms.size and math.isinf(pair.low) and math.isinf(pair.high)
    return abs(pair.lattice / step - round(pair.lattice / step)) < 1e-9


def _limit_tilt(tilt: float, setting: GridSetting) -> float:
    return min(tilt, (16 if setting.exact else 1) / setting.step)


def _choose_tail(releases: Releases, delta: float) -> float:
    return max(delta * 1e-7 / sum(count for _, count in releases), 1e-320)


def _choose_first(releases: Releases, delta: float) -> GridSetting:
    """Return a first grid: it holds all but negligible tails, and is exact where one lattice holds all losses."""
    reach = GridReach(_choose_tail(releases, delta))
    widest = max(high - low for low, high in _find_spans(releases, reach.tail))
    step, finest = _estimate_step(releases, 8.0), choose_finest(releases)
    (commonest, _), lattice = _find_commonest(releases)
    exact = len(releases) == 1 and commonest.above is None and lattice is not None
    if exact and lattice is not None and lattice >= max(step / 2, widest / finest):
        return GridSetting(lattice, reach, exact=True)
    return GridSetting(_align(max(step, widest / min(ROUGH, finest)), lattice), reach)


def _find_commonest(releases: Releases) -> tuple[tuple[DominatingPair, int], float | None]:
    """Return the release that occurs most, and the lattice of its atoms: those should lie on the grid."""
    commonest = max(releases, key=lambda release: release[1])
    return commonest, commonest[0].lattice


def _estimate_step(releases: Releases, tilt: float, tolerance: float = TOLERANCE) -> float:
    """Return the step that moves epsilon by the tolerance.

    Connecting the dots adds about step^2 / 6 to the variance of each release, which moves epsilon by
    tilt * count * step^2 / 12.
    """
    return math.sqrt(12 * tolerance / (tilt * sum(count for _, count in releases)))


def _align(step: float, lattice: float | None) -> float:
    """Return a step no larger that the lattice is a multiple of, where the lattice is not much finer."""
    return lattice / max(1, math.ceil(lattice / step)) if lattice is not None and lattice >= step / 2 else step


def _refine(
    releases: Releases, laws: ComposedLaws, setting: GridSetting, tilt: float, epsilon: float, delta: float
) -> GridSetting | None:
    """Return a grid fine enough for what was found, or nothing where this one is.

    The top may come down to epsilon plus what the other releases can take off: see `delta_curve`. What lies 40 / tilt
    below 0 weighs e^-40 of what it would weigh there.
    """
    if setting.exact or math.isinf(epsilon):
        return None
    spread = laws.find_cumulants(tilt)[2]
    scale = max(epsilon, 1 / tilt)
    spans = _find_spans(releases, setting.reach.tail)
    furthest = max(high for _, high in spans)
    reach = GridReach(setting.reach.tail, -(40 / tilt + scale), _choose_top(laws, tilt, scale, delta, furthest))
    widths = [max(min(high, reach.top) - max(low, reach.bottom), 0.0) for low, high in spans]
    tolerance = TOLERANCE * min(1.0, scale)
    step = min(_estimate_step(releases, tilt, tolerance), math.sqrt(spread / laws.count) / 32)
    least = min(tolerance / laws.count, min(widths) / 1024)  # there no sum moves further, whatever its law
    step = max(step, least, max(*widths, 16 * math.sqrt(spread)) / choose_finest(releases))
    step = _align(step, _find_commonest(releases)[1])
    if step > setting.step / 1.5 and reach.top > min(setting.reach.top, furthest) / 2:
        return None
    return GridSetting(min(step, setting.step), reach)


def _choose_top(laws: ComposedLaws, tilt: float, scale: float, delta: float, furthest: float) -> float:
    """Return a top so high that hardly any outcome with a release above it has a total loss below epsilon."""
    if laws.below_lack > 1e-3 * min(scale, 1.0) or furthest <= 2 * scale:
        return laws.reach.top
    wanted = math.log(1e4 / delta)
    downs = [max(value + wanted, 0.0) / theta for theta, value in laws.find_lower_tail(tilt)]
    return min(1.1 * (scale + min(downs, default=math.inf)), laws.reach.top)


def _find_spans(releases: Releases, tail: float) -> list[tuple[float, float]]:
    return [find_span(pair, tail) for pair, _ in releases]


def _find_least_epsilon(curve: DeltaCurve, delta: float, limit: float) -> float:
    """Return an epsilon below `limit` whose bound on delta is at most `delta`, to 1e-9 of it; else infinity."""
    _, middle, _ = curve.laws.find_cumulants(curve.tilt)
    high = max(middle, 1 / curve.tilt)
    end = min(limit, 2 * max(curve.laws.top, high) + 1 / curve.tilt)
    high = min(high, end)
    while curve.evaluate(high) > delta:
        if high >= end:
            return math.inf
        high = min(1.5 * high, end)
    return _bisect(lambda e: curve.evaluate(e) <= delta, 0.0, high)


def _find_greatest_epsilon(curve: DeltaCurve, delta: float, high: float) -> float:
    """Return an epsilon up to `high` whose lower bound on delta exceeds `delta`, or 0."""
    share = 1e-6
    while curve.evaluate(max(high * (1 - share), 0.0)) <= delta:
        if share >= 1:
            return 0.0
        share *= 2
    low = max(high * (1 - share), 0.0)
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if curve.evaluate(middle) > delta else (low, middle)
    return low


def _bisect(good: Callable[[float], bool], low: float, high: float) -> float:
    """Return a good number, to 1e-9 of it, given one that is: 0 where that is good."""
    if good(low):
        return low
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if good(middle) else (middle, high)
    return high
