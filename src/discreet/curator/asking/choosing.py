"""A choice among public candidates, as it was asked for in Python: planned, and shown by its candidates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from discreet.answers import Field
from discreet.base import check
from discreet.base.errors import ParameterError, QueryError
from discreet.plan.question import Question
from discreet.query.bound import MOST_NUMBERS
from discreet.query.candidates import (
    CANDIDATE,
    CandidateRange,
    find_type,
    list_candidates,
    plan_candidates,
    show_candidate,
)
from discreet.query.catalog import Catalog
from discreet.query.parse import parse
from discreet.query.price_choice import ChoiceDraft
from discreet.query.thresholds import plan_thresholds


@dataclass(frozen=True)
class PlannedChoice:
    """A choice that can be priced, and how what is chosen is shown."""

    question: Question
    draft: ChoiceDraft
    text: str
    field: Field
    value: Callable[[int], object]


def plan_choice(
    catalog: Catalog,
    candidates: Iterable[object] | range | CandidateRange,
    score: str,
    table: str | None,
    largest: bool,
    count: int,
    params: Mapping[str, Any],
    limits: Mapping[str, int | None],
) -> PlannedChoice:
    """Read candidates and their score; ranges of many are planned by thresholds, all else one by one."""
    check.flag("largest", largest)
    text = _write_question(score, table, catalog)
    spread = CandidateRange.of(candidates) if isinstance(candidates, range) else candidates
    if isinstance(spread, CandidateRange) and len(spread) > MOST_NUMBERS:
        many = len(spread)
        _check_count(count, many, most=1)
        made = plan_thresholds(parse(text), catalog, spread, params, largest, count, limits)
        kind, show = find_type([spread.value(0), spread.value(1)]), spread.value
        ends = spread.value(0), spread.value(many - 1)
    else:
        listed = map(spread.value, range(len(spread))) if isinstance(spread, CandidateRange) else spread
        values = list_candidates(listed)
        many = len(values)
        _check_count(count, many)
        made = plan_candidates(parse(text), catalog, values, params, largest, count, limits)
        kind = find_type(values)
        ends = values[0], values[-1]

        def show(place: int) -> Any:
            return show_candidate(values[place], kind)

    best = "the largest" if largest else "the smallest"
    said = f"choose {count} of {many:,} candidates, {ends[0]} to {ends[1]}, by {best}: {text}"
    return PlannedChoice(made.question, made.draft, said, Field(CANDIDATE, kind, noisy=False), show)


def _write_question(score: str, table: str | None, catalog: Catalog) -> str:
    """Return the whole question of a score: as it is, or the aggregate over a table."""
    if not isinstance(score, str) or not score.strip():
        raise ParameterError("score", score, "an aggregate in SQL in which $candidate stands")
    whole = score.lstrip().lower().startswith(("select", "with"))
    if whole and table is not None:
        raise QueryError("the score is a whole question already; leave table= out")
    if not whole and table is None:
        raise QueryError("the score is an aggregate alone; name its table with table=, or write SELECT ... FROM ...")
    if whole:
        return score
    name = catalog.find_named(str(table)).table.name.replace('"', '""')
    return f'SELECT {score} FROM "{name}"'


def _check_count(count: int, many: int, most: int | None = None) -> None:
    check.integer("count", count, least=1)
    if count > (many if most is None else most):
        words = (
            f"at most {many:,}, as many as there are candidates" if most is None else "1 where candidates are a range"
        )
        raise ParameterError("count", count, words)
