"""Sums and means of heavy-tailed values: clamped where people's values usually end, which is found privately first.

These are about the people in the table, as an `Answer` is: intervals cover the noise alone. What lies beyond the clip
is left out of the sum, and every result says so.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from discreet.answers import Receipt
from discreet.answers.numbers import format_interval, format_percent, format_value
from discreet.base import check
from discreet.base.showing import ShownAsText
from discreet.curator import Curator
from discreet.curator.session import Session, Watch
from discreet.robust.asking import AskingTerms, PaidQuestion, find_session
from discreet.robust.estimators.clips import ClippedTotal, declare_clipped
from discreet.robust.measuring import COUNT_MISS
from discreet.robust.people import PER_UNIT, People, find_people, read_miss, write_varying
from discreet.robust.results import SampledGroup, list_cost, render_facts, write_facts

COVERS = "the noise alone, {} of the time: where the {} of these people's clamped values lies"

NOT_COVERED = (
    "what lies beyond the clip: values are clamped to {} first, and no interval covers what that leaves out; nor rows "
    "that limits leave out, nor sampling"
)


@dataclass(frozen=True, repr=False)
class ClippedEstimate(ShownAsText):
    """A noisy sum or mean of people's values, clamped to a clip that was found privately; its interval is for noise."""

    what: str
    kind: str
    """Sum or mean."""
    estimate: float
    low: float
    high: float
    confidence: float
    clip: float
    """People's values are clamped to this size."""
    lowest: float
    """The least that a clamped value can be."""
    found: bool
    """Whether the clip is where values end; False where too few people are there to see that."""
    people: SampledGroup
    notes: tuple[str, ...]
    paid: PaidQuestion

    @property
    def receipt(self) -> Receipt:
        """The receipt of the one charge."""
        return self.paid.receipt

    @property
    def covers(self) -> str:
        """What the interval covers."""
        return COVERS.format(format_percent(self.confidence), self.kind)

    @property
    def not_covered(self) -> str:
        """What no interval covers."""
        return NOT_COVERED.format(f"{format_value(self.lowest)} .. {format_value(self.clip)}")

    def list_facts(self) -> list[tuple[str, str]]:
        """Return what is shown below the estimate: labels and words."""
        return [
            ("clip", format_value(self.clip)),
            ("covers", self.covers),
            ("not covered", self.not_covered),
            ("people", str(self.people)),
            *list_cost(self.paid),
            *(("note", note) for note in (*self.notes, *self.paid.remarks)),
        ]

    def __str__(self) -> str:
        return write_facts(self.what, self._write_estimate(), self.list_facts())

    def _repr_html_(self) -> str:
        return render_facts(self.what, self._write_estimate(), self.list_facts())

    def _write_estimate(self) -> str:
        pair = (self.low, self.high)
        shown = f"{format_value(self.estimate, pair)} {format_interval(self.estimate, pair)}"
        return f"{shown}   {format_percent(self.confidence)} interval for the noise"

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON values."""
        return {
            "what": self.what,
            "estimate": self.estimate,
            "low": self.low,
            "high": self.high,
            "confidence": self.confidence,
            "clip": self.clip,
            "clip_found": self.found,
            "people": self.people.to_dict(),
            "covers": self.covers,
            "not_covered": self.not_covered,
            "guarantee": self.paid.guarantee,
            "receipt": self.receipt.to_dict(),
            "question": self.paid.question,
            "notes": [*self.notes, *self.paid.remarks],
        }


def clipped_sum(
    curator: Curator | Session,
    table: str,
    column: str,
    *,
    epsilon: Any = None,
    rho: Any = None,
    where: str | None = None,
    per_unit: str = "sum",
    confidence: float = 0.95,
    params: Mapping[str, Any] | None = None,
    fresh: bool = False,
    progress: Watch | None = None,
) -> ClippedEstimate:
    """Return the sum of people's values, each clamped to a size that is found privately for two fifths of the price.

    For values whose public bounds must be wide though few are large: the noise is as wide as the clip. Each person has
    one value, the `per_unit` sum, mean, min or max of their rows that fulfil `where`.
    """
    terms = AskingTerms(epsilon, rho, fresh, progress)
    return _estimate("sum", curator, table, column, terms, where, per_unit, confidence, params)


def clipped_mean(
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
) -> ClippedEstimate:
    """Return the mean of people's values, clamped likewise: the same sum over a noisy number of people."""
    terms = AskingTerms(epsilon, rho, fresh, progress)
    return _estimate("mean", curator, table, column, terms, where, per_unit, confidence, params)


def _estimate(
    kind: str,
    curator: Curator | Session,
    table: str,
    column: str,
    terms: AskingTerms,
    where: str | None,
    per_unit: str,
    confidence: float,
    params: Mapping[str, Any] | None,
) -> ClippedEstimate:
    session, miss = find_session(curator), read_miss(confidence)
    people = find_people(session, table, where, params)
    function = PER_UNIT[check.choice("per_unit", per_unit, tuple(PER_UNIT))]
    values = people.write({"value": (function, write_varying(session, people, "column", column))})
    # priced as a maximum is: the noise is Laplace, whatever delta the policy has
    priced = session.prepare(
        f"SELECT MAX(value) AS v FROM {values}", terms.epsilon, rho=terms.rho, params=people.parameters
    ).priced
    sql = f"SELECT value FROM {values}"
    operation = declare_clipped(priced, session.plan_rows(sql, people.parameters), kind)
    text = f"clipped {kind} of: {sql}"
    found, receipt = session.perform(operation, text, fresh=terms.fresh, progress=terms.progress)
    lowest = -float(found.clip) if operation.sizes.has_negative else 0.0
    bound = bound_clipped_mean if kind == "mean" else bound_clipped_sum
    estimate, low, high = bound(found, lowest, miss)
    of = f"{people.word}'s {per_unit} of {column}" if people.unit is not None else column
    return ClippedEstimate(
        f"{kind} of {of} in {people.describe()}",
        kind,
        estimate,
        low,
        high,
        float(confidence),
        float(found.clip),
        lowest,
        found.found,
        SampledGroup("", found.people, math.ceil(found.bound_people(COUNT_MISS))),
        _list_notes(people, found),
        PaidQuestion(text, receipt, priced.guarantee, priced.notes),
    )


def bound_clipped_sum(found: ClippedTotal, lowest: float, miss: float) -> tuple[float, float, float]:
    """Return the sum and an interval for the noise, which misses that of clamped values with this probability at most.

    Sums are of values that are truncated to whole steps: of each person less than a step is lost, and a tenth of the
    miss is for how many people that may be.
    """
    total = float(found.total)
    lost = max(found.people + found.bound_people(miss / 10), 0.0) * float(found.step)
    reach = found.bound_total(miss * 0.45) + lost
    least = -math.inf if lowest < 0 else 0.0
    return max(total, least), max(total - reach, least), max(total + reach, least)


def bound_clipped_mean(found: ClippedTotal, lowest: float, miss: float) -> tuple[float, float, float]:
    """Return the mean likewise: half of the miss is for the sum, half for the number of people.

    All that clamped values can be where there may be nobody.
    """
    total, clip = float(found.total), float(found.clip)
    reach, doubt = found.bound_total(miss / 4), found.bound_people(miss / 4)
    fewest, most = found.people - doubt, found.people + doubt

    def hold(value: float) -> float:
        return min(max(value, lowest), clip)

    if fewest < 1:
        return hold(total / max(found.people, 1)), lowest, clip
    ends = [(total + side * reach) / count for side in (-1, 1) for count in (fewest, most)]
    lost = float(found.step)
    return hold(total / found.people), hold(min(ends) - lost), hold(max(ends) + lost)


def _list_notes(people: People, found: ClippedTotal) -> tuple[str, ...]:
    unseen = "too few people to see where values end: the clip is the lowest there is"
    once = f"each {people.word} counts once, with one value" + ("" if people.unit is None else " made from its rows")
    return (once, *(() if found.found else (unseen,)))
