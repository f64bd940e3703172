"""Intervals for a population: means, shares and differences, for sampling and noise together.

Each is one question in SQL with one value for each person, one charge and one record; the interval is computed from
what was recorded. Asked again, also at another confidence, it is free.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from discreet.base.errors import ParameterError
from discreet.curator import Curator
from discreet.curator.session import Session, Watch
from discreet.robust.asking import AskingTerms, find_session
from discreet.robust.intervals.means import bound_difference, bound_mean
from discreet.robust.intervals.proportions import bound_share, bound_share_difference
from discreet.robust.measuring import count_shares, sum_values
from discreet.robust.people import check_values, find_people, read_miss
from discreet.robust.results import PopulationInterval


def mean_interval(
    curator: Curator | Session,
    table: str,
    column: str,
    *,
    epsilon: Any = None,
    rho: Any = None,
    where: str | None = None,
    per_unit: str = "mean",
    confidence: float = 0.95,
    params: Mapping[str, Any] | None = None,
    fresh: bool = False,
    progress: Watch | None = None,
) -> PopulationInterval:
    """Return the mean of people's values with an interval that covers sampling and noise together.

    `column` is a column with public bounds, or an SQL expression whose bounds follow. Each person has one value:
    the `per_unit` mean, sum, min or max of their rows that fulfil `where`. People whose value is NULL or NaN are left
    out. The interval is about clamped values: none covers the bias that clamping brings.
    """
    session, miss = find_session(curator), read_miss(confidence)
    people = find_people(session, table, where, params)
    found = sum_values(session, people, column, per_unit, AskingTerms(epsilon, rho, fresh, progress))
    sums = found.sums
    ends = bound_mean(sums, miss)
    low, estimate, high = (float(sums.scale.to_value(each)[0]) for each in (ends.low, sums.mean, ends.high))
    return PopulationInterval(
        f"mean of {found.what}",
        "mean of such values",
        estimate,
        low,
        high,
        float(confidence),
        found.groups,
        bool(ends.enough[0]),
        found.clamped,
        found.notes,
        found.paid,
    )


def proportion_interval(
    curator: Curator | Session,
    table: str,
    condition: str,
    *,
    epsilon: Any = None,
    rho: Any = None,
    where: str | None = None,
    per_unit: str = "any",
    confidence: float = 0.95,
    params: Mapping[str, Any] | None = None,
    fresh: bool = False,
    progress: Watch | None = None,
) -> PopulationInterval:
    """Return the share of people for whom a condition holds, with an interval for sampling and noise together.

    It holds for a person if it does in `any` of their rows that fulfil `where`, or, with `per_unit="all"`, in all of
    them. Rows in which it is unknown (NULL) do not count, nor do people who have no other.
    """
    session, miss = find_session(curator), read_miss(confidence)
    people = find_people(session, table, where, params)
    found = count_shares(session, people, condition, per_unit, AskingTerms(epsilon, rho, fresh, progress))
    ends = bound_share(found.counts, miss)
    return PopulationInterval(
        f"share with {found.what}",
        "share",
        float(found.counts.share[0]),
        float(ends.low[0]),
        float(ends.high[0]),
        float(confidence),
        found.groups,
        bool(ends.enough[0]),
        None,
        found.notes,
        found.paid,
    )


def difference_interval(
    curator: Curator | Session,
    table: str,
    column: str | None = None,
    *,
    by: str,
    between: Any,
    condition: str | None = None,
    epsilon: Any = None,
    rho: Any = None,
    where: str | None = None,
    per_unit: str | None = None,
    confidence: float = 0.95,
    params: Mapping[str, Any] | None = None,
    fresh: bool = False,
    progress: Watch | None = None,
) -> PopulationInterval:
    """Return how much larger the mean of a `column`, or the share for whom a `condition` holds, is in one group.

    `between` are two public values of `by`, a column or an SQL expression: `by="sex", between=["f", "m"]` is that of f
    minus that of m. Who has rows in both groups is in neither, so that the two samples share nobody. The rest is as in
    `mean_interval` and `proportion_interval`.
    """
    session, miss = find_session(curator), read_miss(confidence)
    people = find_people(session, table, where, params)
    groups, terms = check_values("between", between, 2, 2), AskingTerms(epsilon, rho, fresh, progress)
    against = f"{by} = {groups[0]} minus {by} = {groups[1]}"
    if column is not None and condition is None:
        values = sum_values(session, people, column, per_unit or "mean", terms, by, groups)
        step = values.sums.scale.step
        estimate, ends = bound_difference(values.take(0), values.take(1), miss)
        return PopulationInterval(
            f"difference in the mean of {values.what}: {against}",
            "difference of means of such values",
            float(estimate[0]) * step,
            float(ends.low[0]) * step,
            float(ends.high[0]) * step,
            float(confidence),
            values.groups,
            bool(ends.enough[0]),
            values.clamped,
            values.notes,
            values.paid,
        )
    if condition is None or column is not None:
        raise ParameterError("column", column, "a column, or else a condition: one of the two")
    shares = count_shares(session, people, condition, per_unit or "any", terms, by, groups)
    estimate, ends = bound_share_difference(shares.take(0), shares.take(1), miss)
    return PopulationInterval(
        f"difference in the share with {shares.what}: {against}",
        "difference of shares",
        float(estimate[0]),
        float(ends.low[0]),
        float(ends.high[0]),
        float(confidence),
        shares.groups,
        bool(ends.enough[0]),
        None,
        shares.notes,
        shares.paid,
    )
