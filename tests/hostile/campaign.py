"""Many questions about many worlds, and a table of what they had in them."""

from __future__ import annotations

import contextlib
import math
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from discreet.base.types import Type
from discreet.plan.expressions import Call, Expression
from discreet.plan.functions import FUNCTIONS
from discreet.plan.question import AggregateKind
from discreet.plan.relations import InnerKind, Lookup, Nested, PerUnit, Scan, list_sources
from hostile.asking import cases
from hostile.judging import Outcome, Planned, functions, judged
from hostile.seeing import opened, same_seen
from hostile.world import world

FORMS = (
    "keys from the data",
    "keys with a derived domain",
    "several groupings",
    "fan-out above 1",
    "a scan that is cut",
    "a scan that keeps one row for each key",
    "units across one foreign key",
    "units across two foreign keys",
    "nested rows",
    "replace neighbours",
    "no keys",
    "keys that go together",
    "decimals",
    "sums of decimals in a subquery",
    "what is left out",
)
WRITTEN = (
    "view WITH subquery|aggregates of one unit|FILTER in a subquery|unit and key|HAVING in a subquery|UNION ALL|"
    "EXISTS|NOT EXISTS|IN|NOT IN|JOIN on more than the unit|LEFT JOIN of people|JOIN of people|public table first|"
    "LEFT JOIN of a public table|JOIN of a public table|parameter|tighter limits|rows as units|"
    "UNION ALL of rows as units|FILTER|ROLLUP|CUBE|GROUPING SETS|GROUP BY|HAVING|ORDER BY|LIMIT|"
    "SELECT around a question|JOIN on a key|JOIN without the unit|MODE|MODE in groups|best key|top keys|"
    "conditions that narrow keys|IN as a domain|CASE IN as a domain|keys handed in|combinations of a public table|"
    "comma list|a condition in LEFT JOIN|IN a public table|subquery over a public table|keys alone|"
    "aggregates of conditions|OFFSET|least and largest dates|aggregates of distinct values|"
    "units with a condition|GROUPING|numbers of rows|an answer in place of a value|a public value|answers joined|"
    "parts of texts|EXISTS with equal values|a condition on a public table in LEFT JOIN"
)
CLAUSES = (*WRITTEN.replace("view WITH subquery", "view|WITH|subquery").split("|"), *FORMS)
AGGREGATES = tuple(f"aggregate: {kind.value}" for kind in AggregateKind if kind is not AggregateKind.CLAMPED)

TOTALS = ("asked", "answered", "over", "compared", "seconds")


@dataclass
class Tally:
    """What was asked, and how often each function and clause stood in an answered question."""

    asked: int = 0
    answered: int = 0
    over: int = 0
    compared: int = 0
    seconds: float = 0.0
    functions: Counter[str] = field(default_factory=Counter)
    clauses: Counter[str] = field(default_factory=Counter)

    def add(self, tags: frozenset[str], outcome: Outcome, replaced: bool) -> None:
        self.asked += 1
        if outcome.planned is None:
            return
        self.answered += 1
        self.over += outcome.over
        self.functions.update(functions(outcome.planned.question))
        self.clauses.update({*tags, *forms(outcome.planned), *(["replace neighbours"] if replaced else [])})
        self.clauses.update(["what is left out"] if outcome.counted else [])

    def record(self) -> dict[str, Any]:
        """Return everything as plain values, which a worker can send."""
        counts = {"functions": dict(self.functions), "clauses": dict(self.clauses)}
        return {name: getattr(self, name) for name in TOTALS} | counts

    def merge(self, other: dict[str, Any]) -> None:
        """Add another tally's record."""
        for name in TOTALS:
            setattr(self, name, getattr(self, name) + other[name])
        self.functions.update(other["functions"])
        self.clauses.update(other["clauses"])

    def lines(self) -> list[str]:
        """Return the table: totals, and everything with how many answered questions it was in, the rarest first."""
        rare = sorted((self.functions[name], name) for name in FUNCTIONS)
        parts = sorted((self.clauses[name], name) for name in (*CLAUSES, *AGGREGATES))
        return [
            f"hostile: {self.asked} questions, {self.answered} answered, {self.over} with a unit over its bounds, "
            f"{self.compared} through curators, {self.seconds:.0f} s",
            f"functions ({len(rare)}): {', '.join(f'{name} {count}' for count, name in rare[:12])}, ...",
            f"clauses ({len(parts)}): {', '.join(f'{name} {count}' for count, name in parts[:12])}, ...",
        ]

    def missing(self, least: int) -> list[str]:
        """Return the functions and clauses that were in too few answered questions."""
        counts = [(name, self.functions[name]) for name in FUNCTIONS]
        counts += [(name, self.clauses[name]) for name in (*CLAUSES, *AGGREGATES)]
        return [f"{name}: {count}" for name, count in counts if count < least]


def forms(found: Planned) -> set[str]:
    """Return what a plan is made of."""
    plan, block = found.plan, found.plan.block
    every = list(list_sources(block))
    listed = {f"aggregate: {each.kind.value}" for each in found.question.aggregates}
    tests = {
        "keys from the data": any(plan.selects(index) for index in range(len(plan.sets))),
        "keys with a derived domain": any(
            key.domain is not None and hasattr(key.expression, "function") for key in plan.keys
        ),
        "several groupings": len(plan.sets) > 1,
        "fan-out above 1": any(isinstance(each, Lookup) and each.fan_out > 1 for each in every),
        "a scan that is cut": any(isinstance(each, Scan) and each.rows is not None for each in every),
        "a scan that keeps one row for each key": any(isinstance(each, Scan) and each.unique for each in every),
        "units across one foreign key": any(isinstance(each, Scan) and len(each.through) == 1 for each in every),
        "units across two foreign keys": any(isinstance(each, Scan) and len(each.through) == 2 for each in every),
        "nested rows": any(isinstance(each, Nested) for each in every),
        "no keys": not plan.keys,
        "keys that go together": bool(plan.joint),
        "decimals": any(each.type is Type.DECIMAL for top in found.question.expressions() for each in _parts(top)),
        "sums of decimals in a subquery": any(
            each.type is Type.DECIMAL and each.kind is InnerKind.SUM
            for source in every
            for each in (source.aggregates if isinstance(source, PerUnit) else ())
        ),
    }
    return listed | {name for name, holds in tests.items() if holds}


def _parts(expression: Expression) -> Iterator[Expression]:
    yield expression
    for each in expression.arguments if isinstance(expression, Call) else ():
        yield from _parts(each)


def explored(
    seeds: range, questions: int, tally: Tally | None = None, *, folder: Path | None = None, deadline: float = math.inf
) -> Tally:
    """Ask so many questions about the world of each seed, until the deadline; the first violation ends it.

    With a folder, every fifteenth question goes through curators of both neighbours too.
    """
    tally = tally or Tally()
    for seed in seeds:
        if time.monotonic() > deadline:
            break
        start = time.monotonic()
        place = world(seed)
        with contextlib.ExitStack() as held:
            held.callback(place.close)
            both = []
            if folder is not None:
                names = ("one", "other")
                both = [held.enter_context(opened(place, folder / str(seed), name)) for name in names]
            for case in cases(place, questions):
                if time.monotonic() > deadline:
                    break
                outcome = judged(place, case)
                tally.add(case.tags, outcome, place.replace)
                if both and case.place % 15 == 0:
                    same_seen(place, case, both[0], both[1])
                    tally.compared += 1
        tally.seconds += time.monotonic() - start
    return tally
