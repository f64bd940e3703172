"""A clock for hostile questions: how long each takes with the dearest person there, and without.

Questions ask for as much work on one person's rows as the price still allows: functions of long texts in one another,
over joins of a table with itself, behind a condition that only this person meets. Each is timed on two databases of
100,000 rows that differ in that person alone: all others have one row and a short text, so that joins stay small.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pyarrow as pa

from conformance.data import World
from discreet.audit.graybox.clock import tells
from discreet.base.errors import QueryError
from discreet.engines.engines import Engines
from discreet.plan.bounded import BoundedPlan
from discreet.query.work import check_work
from support.hospital import bounded

ROWS, EACH, PERSON = 100_000, 5, 17
LONGEST = 1_024

ROUNDS = 3

POLICY = f"""
[budget]
epsilon = 1000
delta = 1e-9
[tables.visits]
unit = "id"
size = {ROWS}
max_rows = {EACH}
[tables.visits.columns]
cost = {{ lower = 0, upper = 1000 }}
ward = {{ values = ["north", "south", "icu"] }}
"""

FILLS = ("\U0001f600", "a", " ", "\u00e9", "1")


def make_worlds(size: int = ROWS) -> tuple[World, World]:
    """Return the database with the dearest person, whose texts are as long as they may be, and the one without."""
    rng = random.Random("clock")
    others = [(PERSON + 1 + place, rng.randrange(1_000), f"note {place % 997}") for place in range(size)]
    dear = [(PERSON, 999, fill * (LONGEST - 1) + "b") for fill in FILLS[:EACH]]
    return World("present", POLICY, {"visits": _table(dear + others)}), World(
        "absent", POLICY, {"visits": _table(others)}
    )


def _table(rows: list[tuple[int, int, str]]) -> pa.Table:
    ids, costs, notes = (list(column) for column in zip(*rows, strict=True))
    wards = [("north", "south", "icu")[place % 3] for place in range(len(rows))]
    return pa.table({"id": ids, "cost": costs, "note": notes, "ward": wards})


@dataclass(frozen=True)
class DearQuestion:
    """A question that is as dear as the price allows, or nearly."""

    sql: str
    plan: BoundedPlan


def list_questions(engines: Engines, count: int, seed: str = "dear") -> Iterator[DearQuestion]:
    """Yield questions that are answered, each grown until the price refused to go on."""
    rng = random.Random(seed)
    for _ in range(count):
        yield _grow(engines, rng)


def plan_question(engines: Engines, sql: str) -> DearQuestion | None:
    """Return a question, or nothing where its work is refused."""
    try:
        plan = bounded(engines, sql).plan
        check_work(plan, engines.policy)
    except QueryError:
        return None
    return DearQuestion(sql, plan)


def _grow(engines: Engines, rng: random.Random) -> DearQuestion:
    """Return the last question that was allowed while functions were put around functions."""
    joins, frame = rng.choice([1, 1, 2, 2, 3, 4]), rng.choice(_FRAMES)
    text = f"CONCAT({', '.join(f't{place}.note' for place in range(joins))})"
    best: DearQuestion | None = None
    for _ in range(14):
        text = rng.choice(_STEPS).format(text)
        found = plan_question(engines, _write(frame, text, joins))
        if found is None:
            break
        best = found
    return best if best is not None else _grow(engines, rng)


def _write(frame: str, text: str, joins: int) -> str:
    return frame.format(text=text, tables=join_visits(joins), person=PERSON)


def join_visits(times: int) -> str:
    """Return so many times the table of visits, joined on the person."""
    others = (f" JOIN visits AS t{place} ON t0.id = t{place}.id" for place in range(1, times))
    return f"visits AS t0{''.join(others)}"


_STEPS = (
    "UPPER({0})",
    "LOWER({0})",
    "REVERSE({0})",
    "TRIM({0})",
    "CONCAT({0}, {0})",
    "CONCAT({0}, {0}, {0}, {0})",
    "LPAD({0}, 1000, '\U0001f600')",
    "REPLACE({0}, 'a', 'bb')",
    "REPLACE({0}, 'b', 'aaaaaaaa')",
    "SUBSTRING({0}, 2)",
    "RTRIM({0}, 'ab 1')",
    "COALESCE(NULLIF({0}, 'x'), 'y')",
    "CAST(CAST({0} AS TIMESTAMP) AS TEXT) || {0}",
)
_FRAMES = (
    "SELECT COUNT(*) FROM {tables} WHERE CASE WHEN t0.id = {person} THEN LENGTH({text}) ELSE 0 END > 5",
    "SELECT COUNT(DISTINCT CASE WHEN t0.id = {person} THEN {text} END) FROM {tables}",
    "SELECT t0.ward, COUNT(*) FROM {tables} WHERE CASE WHEN t0.id = {person} THEN {text} END LIKE '%aab%' GROUP BY 1",
    "SELECT COUNT(*) FROM {tables} WHERE CASE WHEN t0.id = {person} THEN STRPOS({text}, 'aaaaaaab') ELSE 0 END > 3",
    "SELECT SUM(CASE WHEN t0.id = {person} THEN CASE WHEN {text} > 'a' THEN 1 ELSE 0 END ELSE 0 END) FROM {tables}",
    "SELECT CASE WHEN t0.id = {person} THEN CASE WHEN {text} > 'a' THEN 'x' ELSE 'y' END ELSE 'z' END AS k, COUNT(*) "
    "FROM {tables} GROUP BY 1",
)
"""CASE, since the rows of others would be computed too behind AND."""


@dataclass(frozen=True)
class Timed:
    """How long one question takes, in seconds."""

    sql: str
    present: float
    absent: float

    @property
    def apart(self) -> float:
        """How many seconds lie between them."""
        return abs(self.present - self.absent)

    @property
    def tells(self) -> bool:
        """Whether they lie farther apart than is allowed."""
        return tells(self.present, self.absent)


def time_question(
    present: Engines, absent: Engines, question: DearQuestion, rounds: int = ROUNDS, again: int = 11
) -> Timed:
    """Return how long a question takes on both."""
    return time_task(present, absent, question.sql, lambda engines: engines.run(question.plan).result(), rounds, again)


def time_task(
    present: Engines,
    absent: Engines,
    name: str,
    task: Callable[[Engines], object],
    rounds: int = ROUNDS,
    again: int = 11,
) -> Timed:
    """Return the medians of some rounds; where they tell, the least of many more: other work only makes it longer."""
    taken: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for engines, seconds in zip((present, absent), taken, strict=True):
            start = time.perf_counter()
            task(engines)
            seconds.append(time.perf_counter() - start)
    told = statistics.median if rounds == ROUNDS else min
    found = Timed(name, told(taken[0]), told(taken[1]))
    return time_task(present, absent, name, task, again) if found.tells and rounds < again else found
