"""Tests by ranks of a private table: one question that counts people in bins, one charge, one record.

They look at the order of values alone, so that neither outliers nor the shape of a distribution mislead them. Values
within one bin count as ties: few cuts that leave each bin about as many people find the most (four to eight bins).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.curator import Curator
from discreet.curator.session import Session
from discreet.robust.asking import AskingTerms, find_session
from discreet.robust.people import check_values, find_people, find_values, read_miss
from discreet.robust.testing.binning import BinnedPeople, count_bins
from discreet.robust.testing.effects import EffectSize
from discreet.robust.testing.rank_effects import bound_gap, bound_signs, bound_superiority
from discreet.robust.testing.ranks import explain_curve, explain_equal_curves, explain_equal_ranks, explain_symmetry
from discreet.robust.testing.verdicts import SIMULATED, PopulationTest

SUPERIORITY = "probability that {} is above {}, ties counting half"


def kruskal_wallis_test(
    curator: Curator | Session,
    table: str,
    column: str,
    *,
    by: str,
    groups: Sequence[Any] | None = None,
    cuts: Sequence[float] | None = None,
    epsilon: Any = None,
    rho: Any = None,
    where: str | None = None,
    per_unit: str = "mean",
    confidence: float = 0.95,
    params: Mapping[str, Any] | None = None,
    fresh: bool = False,
) -> PopulationTest:
    """Test whether people's values have the same distribution in all groups of `by`, against higher ranks in some.

    `cuts` are public numbers that rise inside the column's public bounds; else these are cut into five equal parts.
    Values within one bin count as ties. The effects are how probably somebody of each group is above one of the others.
    """
    session, miss = find_session(curator), read_miss(confidence)
    people = find_people(session, table, where, params)
    values = find_values(session, people, "groups", by, groups)
    found = count_bins(session, people, column, per_unit, cuts, AskingTerms(epsilon, rho, fresh), by, values)
    p_values, enough = explain_equal_ranks(found.cells[None], found.noise)
    sure, effects = bool(enough[0]), []
    for place, name in enumerate(found.names):
        others = np.delete(found.cells, place, axis=0)
        counts = (1, len(others))
        ends = bound_superiority(found.cells[place], others.sum(axis=0), found.noise, miss, counts)
        effects.append(_make_effect(SUPERIORITY.format(name, "the others"), ends, miss, sure))
    null = f"all {len(values)} groups of {by} have the same distribution"
    return _conclude(found, "ranks", null, float(p_values[0]), tuple(effects), sure)


def mann_whitney_test(
    curator: Curator | Session,
    table: str,
    column: str,
    *,
    by: str,
    between: Any,
    cuts: Sequence[float] | None = None,
    epsilon: Any = None,
    rho: Any = None,
    where: str | None = None,
    per_unit: str = "mean",
    confidence: float = 0.95,
    params: Mapping[str, Any] | None = None,
    fresh: bool = False,
) -> PopulationTest:
    """Test whether people's values have the same distribution in two groups of `by`, against higher ranks in one.

    Values within one bin between public `cuts` count as ties, as in `kruskal_wallis_test`. The effect is how probably
    somebody of the first group is above somebody of the second, ties counting half.
    """
    session, miss = find_session(curator), read_miss(confidence)
    people, pair = find_people(session, table, where, params), check_values("between", between, 2, 2)
    found = count_bins(session, people, column, per_unit, cuts, AskingTerms(epsilon, rho, fresh), by, pair)
    p_values, enough = explain_equal_ranks(found.cells[None], found.noise)
    sure = bool(enough[0])
    ends = bound_superiority(found.cells[0], found.cells[1], found.noise, miss)
    effect = _make_effect(SUPERIORITY.format(*found.names), ends, miss, sure)
    null = f"{found.names[0]} and {found.names[1]} have the same distribution"
    return _conclude(found, "ranks", null, float(p_values[0]), (effect,), sure)


def kolmogorov_smirnov_test(
    curator: Curator | Session,
    table: str,
    column: str,
    *,
    by: str | None = None,
    between: Any = None,
    shares: Sequence[float] | None = None,
    cuts: Sequence[float] | None = None,
    epsilon: Any = None,
    rho: Any = None,
    where: str | None = None,
    per_unit: str = "mean",
    confidence: float = 0.95,
    params: Mapping[str, Any] | None = None,
    fresh: bool = False,
) -> PopulationTest:
    """Test whether people's values have the same distribution in two groups of `by`, or these public `shares` of bins.

    The effect is the largest gap between two curves: the shares of people up to each of the `cuts`. Values within one
    bin count as ties: a gap between two cuts is not seen.
    """
    session, miss = find_session(curator), read_miss(confidence)
    people, terms = find_people(session, table, where, params), AskingTerms(epsilon, rho, fresh)
    if (shares is None) == (by is None):
        raise ParameterError("shares", shares, "given, one for each bin, or else by= and between= of two groups")
    if shares is None:
        pair = check_values("between", between, 2, 2)
        found = count_bins(session, people, column, per_unit, cuts, terms, by, pair)
        p_values, enough = explain_equal_curves(found.cells[None], found.noise)
        gap = bound_gap(found.cells[None], None, found.noise, miss)
        null = f"{found.names[0]} and {found.names[1]} have the same distribution"
    else:
        wanted = _check_shares(shares)
        found = count_bins(session, people, column, per_unit, cuts, terms, bins=len(wanted))
        p_values, enough = explain_curve(found.cells, wanted, found.noise)
        gap = bound_gap(found.cells[None], np.asarray(wanted), found.noise, miss)
        null = "people have the shares given in the bins"
    sure = bool(enough[0])
    effect = _make_effect("largest gap between the shares up to a cut", gap, miss, sure)
    return _conclude(found, "distribution", null, float(p_values[0]), (effect,), sure)


def wilcoxon_test(
    curator: Curator | Session,
    table: str,
    column: str,
    *,
    cuts: Sequence[float] | None = None,
    epsilon: Any = None,
    rho: Any = None,
    where: str | None = None,
    per_unit: str = "mean",
    confidence: float = 0.95,
    params: Mapping[str, Any] | None = None,
    fresh: bool = False,
) -> PopulationTest:
    """Test whether people's values, such as differences of two columns, are symmetric around 0, by signed ranks.

    `cuts` are symmetric around 0, such as [-2, -1, 0, 1, 2]; else six equal parts. Values within one bin count as ties,
    and those in the middle one have no sign: 0 alone where 0 is one of the cuts, else all between the two around it.
    """
    session, miss = find_session(curator), read_miss(confidence)
    people, terms = find_people(session, table, where, params), AskingTerms(epsilon, rho, fresh)
    found = count_bins(session, people, column, per_unit, cuts, terms, mirrored=True)
    p_values, enough = explain_symmetry(found.cells, found.noise)
    sure, least = bool(enough[0]), min(abs(cut) for cut in found.cuts)
    below = "0" if least == 0 else f"{-least:g}"
    name = f"share above {least:g} minus share below {below}"
    effect = _make_effect(name, bound_signs(found.cells[0], found.noise, miss), miss, sure, -1.0)
    null = "the distribution is symmetric around 0"
    return _conclude(found, "signed ranks", null, float(p_values[0]), (effect,), sure)


def _check_shares(shares: Any) -> tuple[float, ...]:
    """Return public shares of the bins that add up to 1."""
    if isinstance(shares, str) or not isinstance(shares, Sequence) or len(shares) < 2:
        raise ParameterError("shares", shares, "a list with a share for each bin: there is one more than cuts")
    wanted = tuple(float(check.real("shares", each, above=0, below=1)) for each in shares)
    if abs(sum(wanted) - 1) > 1e-6:
        raise ParameterError("shares", shares, "shares that add up to 1")
    return wanted


def _make_effect(name: str, ends: tuple[Any, Any, Any], miss: float, sure: bool, least: float = 0.0) -> EffectSize:
    """Return an effect with its interval, which is all that is possible where there are too few people to say."""
    estimate, low, high = (float(np.asarray(each).item()) for each in ends)
    return EffectSize(name, estimate, low if sure else least, high if sure else 1.0, 1 - miss)


def _conclude(
    found: BinnedPeople, of: str, null: str, p_value: float, effects: tuple[EffectSize, ...], enough: bool
) -> PopulationTest:
    what = f"{of} of {found.what}"
    return PopulationTest(what, null, p_value, effects, found.groups, enough, None, found.notes, found.paid, SIMULATED)
