"""Intervals for a population's median and other quantiles, for sampling and noise together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from discreet.answers.numbers import format_percent, format_value
from discreet.base import check
from discreet.curator import Curator
from discreet.curator.session import Session, Watch
from discreet.robust.asking import AskingTerms, PaidQuestion, find_session
from discreet.robust.intervals.quantile_ends import bound_population_quantile
from discreet.robust.intervals.quantile_operation import QuantileCounts, declare_quantile
from discreet.robust.measuring import COUNT_MISS, describe_people
from discreet.robust.people import PER_UNIT, find_people, read_miss, write_varying
from discreet.robust.results import PopulationInterval, SampledGroup

LEAST_SHARE, MOST_SHARE = 0.001, 0.999


def median_interval(
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
    """Return the median of people's values with an interval that covers sampling and noise together.

    Each person has one value, as in `mean_interval`; the interval needs no law of the values, and neither heavy tails
    nor bounds that are much too wide make it wider than noise in ranks does.
    """
    terms = AskingTerms(epsilon, rho, fresh, progress)
    return _bound(curator, table, column, 0.5, terms, where, per_unit, confidence, params)


def quantile_interval(
    curator: Curator | Session,
    table: str,
    column: str,
    *,
    share: float = 0.9,
    epsilon: Any = None,
    rho: Any = None,
    where: str | None = None,
    per_unit: str = "mean",
    confidence: float = 0.95,
    params: Mapping[str, Any] | None = None,
    fresh: bool = False,
    progress: Watch | None = None,
) -> PopulationInterval:
    """Return the value that a share of all people's values lies below, with the same interval.

    An end that the counts do not tell is the public bound; a note says so.
    """
    terms = AskingTerms(epsilon, rho, fresh, progress)
    return _bound(curator, table, column, share, terms, where, per_unit, confidence, params)


def _bound(
    curator: Curator | Session,
    table: str,
    column: str,
    share: float,
    terms: AskingTerms,
    where: str | None,
    per_unit: str,
    confidence: float,
    params: Mapping[str, Any] | None,
) -> PopulationInterval:
    session, miss = find_session(curator), read_miss(confidence)
    wanted = float(check.real("share", share, least=LEAST_SHARE, most=MOST_SHARE))
    people = find_people(session, table, where, params)
    function = PER_UNIT[check.choice("per_unit", per_unit, tuple(PER_UNIT))]
    values = people.write({"value": (function, write_varying(session, people, "column", column))})
    sql = f"SELECT QUANTILE_CONT(value, {wanted!r}) AS v FROM {values}"
    prepared = session.prepare(sql, terms.epsilon, rho=terms.rho, params=people.parameters)
    operation = declare_quantile(prepared, session.plan_rows(f"SELECT value FROM {values}", people.parameters))
    text = f"{sql} -- interval for the population"
    found, receipt = session.perform(operation, text, fresh=terms.fresh, progress=terms.progress)
    ends = bound_population_quantile(found.pieces, operation.draw.share, miss)
    low, high = found.to_value(ends.low), found.to_value(ends.high)
    name = "median" if wanted == 0.5 else f"{format_percent(wanted)} quantile"
    of = f"{people.word}'s {per_unit} of {column}" if people.unit is not None else column
    untold = [end for end, told in (("low", ends.told_low), ("high", ends.told_high)) if not told]
    return PopulationInterval(
        f"{name} of {of} in {people.describe()}",
        f"{name} of such values",
        min(max(found.to_value(found.drawn), low), high),
        low,
        high,
        float(confidence),
        (SampledGroup("", found.pieces.total, int(-(-found.pieces.bound_total(COUNT_MISS) // 1))),),
        ends.told_low or ends.told_high,
        _describe_bounds(found),
        (
            *describe_people(people, False),
            f"values are rounded to multiples of {format_value(float(found.grid.step))} first",
            *(f"the {end} end is the public bound: counts do not say more" for end in untold),
        ),
        PaidQuestion(text, receipt, prepared.priced.guarantee, prepared.priced.notes),
    )


def _describe_bounds(found: QuantileCounts) -> str:
    ends = (found.to_value(0), found.to_value(found.pieces.points - 1))
    return f"values outside {format_value(ends[0])} .. {format_value(ends[1])}"
