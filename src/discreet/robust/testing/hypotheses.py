"""Tests about a population: shares, means of one or two groups or more, tables of counts; valid under the noise.

Each is one question in SQL with one value for each person, one charge and one record, like the intervals.
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
from discreet.robust.intervals.means import NUISANCE, bound_difference, bound_mean
from discreet.robust.intervals.proportions import bound_share, bound_share_difference
from discreet.robust.measuring import count_cells, count_shares, sum_values
from discreet.robust.people import check_values, find_people, find_values, read_miss
from discreet.robust.results import SampledGroup
from discreet.robust.testing.analysis import explain_equal_means
from discreet.robust.testing.contingency import bound_fit_effect, explain_fit, explain_independence
from discreet.robust.testing.decisions import (
    reject_equal_means,
    reject_equal_pair,
    reject_equal_shares,
    reject_mean,
    reject_share,
)
from discreet.robust.testing.effects import EffectSize, bound_standardised
from discreet.robust.testing.verdicts import SIMULATED, SIMULATED_LAWS, PopulationTest, find_p_value


def proportion_test(
    curator: Curator | Session,
    table: str,
    condition: str,
    *,
    share: float | None = None,
    by: str | None = None,
    between: Any = None,
    epsilon: Any = None,
    rho: Any = None,
    where: str | None = None,
    per_unit: str = "any",
    confidence: float = 0.95,
    params: Mapping[str, Any] | None = None,
    fresh: bool = False,
) -> PopulationTest:
    """Test whether a condition holds for this public `share` of people, or equally often in two groups of `by`."""
    session, miss = find_session(curator), read_miss(confidence)
    people, terms = find_people(session, table, where, params), AskingTerms(epsilon, rho, fresh)
    if (share is None) == (by is None):
        raise ParameterError("share", share, "given, or else by= and between= of two groups")
    if by is None:
        null = float(check.real("share", share, above=0, below=1))
        found = count_shares(session, people, condition, per_unit, terms)
        at = np.array([null])

        def rejects(size: float) -> bool:
            return bool(reject_share(found.counts, at, size)[0])

        ends = bound_share(found.counts, miss)
        tested, estimate = f"the share is {null:g}", float(found.counts.share[0]) - null
        effect = EffectSize(
            "share minus that", estimate, float(ends.low[0]) - null, float(ends.high[0]) - null, 1 - miss
        )
        enough = bool(ends.enough[0])
    else:
        groups = check_values("between", between, 2, 2)
        found = count_shares(session, people, condition, per_unit, terms, by, groups)
        one, two = found.take(0), found.take(1)

        def rejects(size: float) -> bool:
            return bool(reject_equal_shares(one, two, size)[0])

        difference, ends = bound_share_difference(one, two, miss)
        tested = f"the share is the same for {by} = {groups[0]} and {by} = {groups[1]}"
        name = "difference of shares"
        effect = EffectSize(name, float(difference[0]), float(ends.low[0]), float(ends.high[0]), 1 - miss)
        enough = bool(ends.enough[0])
    p_value = find_p_value(rejects) if enough else 1.0
    what = f"share with {found.what}"
    return PopulationTest(what, tested, p_value, (effect,), found.groups, enough, None, found.notes, found.paid)


def t_test(
    curator: Curator | Session,
    table: str,
    column: str,
    *,
    mean: float | None = None,
    by: str | None = None,
    between: Any = None,
    epsilon: Any = None,
    rho: Any = None,
    where: str | None = None,
    per_unit: str = "mean",
    confidence: float = 0.95,
    params: Mapping[str, Any] | None = None,
    fresh: bool = False,
) -> PopulationTest:
    """Test whether people's values have this public `mean`, or equal means in two groups of `by`, of any spreads."""
    session, miss = find_session(curator), read_miss(confidence)
    people, terms = find_people(session, table, where, params), AskingTerms(epsilon, rho, fresh)
    if (mean is None) == (by is None):
        raise ParameterError("mean", mean, "given, or else by= and between= of two groups")
    if by is None:
        null = float(check.real("mean", mean))
        found = sum_values(session, people, column, per_unit, terms, null=null)
        sums, step = found.sums, found.sums.scale.step
        at = np.array([sums.scale.to_steps(null)])

        def rejects(size: float) -> bool:
            return bool(reject_mean(sums, at, size)[0])

        ends = bound_mean(sums, miss)
        estimate, low, high = (float(each[0] - at[0]) * step for each in (sums.mean, ends.low, ends.high))
        effects: tuple[EffectSize, ...] = (EffectSize("mean minus that", estimate, low, high, 1 - miss),)
        tested, enough = f"the mean is {null:g}", bool(ends.enough[0])
    else:
        groups = check_values("between", between, 2, 2)
        found = sum_values(session, people, column, per_unit, terms, by, groups)
        one, two, step = found.take(0), found.take(1), found.sums.scale.step

        def rejects(size: float) -> bool:
            return bool(reject_equal_pair(one, two, size)[0])

        difference, ends = bound_difference(one, two, miss)
        estimate, low, high = (float(each[0]) * step for each in (difference, ends.low, ends.high))
        size, sizes = bound_standardised(one, two, miss)
        effects = (EffectSize("difference of means", estimate, low, high, 1 - miss),)
        if sizes.enough[0]:
            standard = (float(size[0]), float(sizes.low[0]), float(sizes.high[0]))
            effects += (EffectSize("Cohen's d", *standard, 1 - miss),)
        tested, enough = f"the means of {by} = {groups[0]} and {by} = {groups[1]} are equal", bool(ends.enough[0])
    p_value = find_p_value(rejects) if enough else 1.0
    what = f"mean of {found.what}"
    return PopulationTest(what, tested, p_value, effects, found.groups, enough, found.clamped, found.notes, found.paid)


def anova(
    curator: Curator | Session,
    table: str,
    column: str,
    *,
    by: str,
    groups: Sequence[Any] | None = None,
    epsilon: Any = None,
    rho: Any = None,
    where: str | None = None,
    per_unit: str = "mean",
    params: Mapping[str, Any] | None = None,
    fresh: bool = False,
) -> PopulationTest:
    """Test whether people's values have equal means in all groups of `by`, of any spreads."""
    session = find_session(curator)
    people = find_people(session, table, where, params)
    values = find_values(session, people, "groups", by, groups)
    found = sum_values(session, people, column, per_unit, AskingTerms(epsilon, rho, fresh), by, values)
    each = [found.take(place) for place in range(len(values))]
    enough = bool(explain_equal_means(each, 0.05 * NUISANCE, 1)[1][0])

    def rejects(size: float) -> bool:
        return bool(reject_equal_means(each, size)[0])

    p_value = find_p_value(rejects) if enough else 1.0
    what, tested = f"mean of {found.what}", f"the means of all {len(values)} groups of {by} are equal"
    told = (found.groups, enough, found.clamped, found.notes, found.paid)
    return PopulationTest(what, tested, p_value, (), *told, SIMULATED_LAWS)


def chi_square_test(
    curator: Curator | Session,
    table: str,
    column: str,
    *,
    shares: Mapping[Any, float] | None = None,
    by: str | None = None,
    values: Sequence[Any] | None = None,
    by_values: Sequence[Any] | None = None,
    epsilon: Any = None,
    rho: Any = None,
    where: str | None = None,
    confidence: float = 0.95,
    params: Mapping[str, Any] | None = None,
    fresh: bool = False,
) -> PopulationTest:
    """Test whether a column has these public `shares`, by value, or is independent of another one, `by`.

    Values are public: those of `shares`, those that are given, or those that the policy declares. People with rows of
    several values are in no cell.
    """
    session, miss = find_session(curator), read_miss(confidence)
    people, terms = find_people(session, table, where, params), AskingTerms(epsilon, rho, fresh)
    if (shares is None) == (by is None):
        raise ParameterError("shares", shares, "given, by value, or else by=: the column that may depend")
    effects: tuple[EffectSize, ...] = ()
    if shares is not None:
        places = check_values("shares", list(shares))
        wanted = tuple(float(check.real("shares", each, above=0, below=1)) for each in shares.values())
        if abs(sum(wanted) - 1) > 1e-6:
            raise ParameterError("shares", shares, "shares that add up to 1")
        found = count_cells(session, people, [(column, places)], terms)
        p_value = float(explain_fit(found.cells[None, :], wanted, found.noise)[0])
        w, least, most = (float(each[0]) for each in bound_fit_effect(found.cells[None], wanted, found.noise, miss))
        effect = EffectSize("Cohen's w", w, least, most, 1 - miss)
        what, tested, effects = f"{column} in {people.describe()}", "people have the shares given", (effect,)
    else:
        assert by is not None
        sides = [
            (column, find_values(session, people, "values", column, values)),
            (by, find_values(session, people, "by_values", by, by_values)),
        ]
        found = count_cells(session, people, sides, terms)
        p_value = float(explain_independence(found.cells[None, :, :], found.noise)[0])
        what, tested = f"{column} and {by} in {people.describe()}", f"{column} does not depend on {by}"
    counted = (SampledGroup("", round(float(found.cells.sum())), found.within),)
    return PopulationTest(what, tested, p_value, effects, counted, True, None, found.notes, found.paid, SIMULATED)
