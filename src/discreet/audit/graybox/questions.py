"""An owner's own questions, replayed on the owner's own rows: what `discreet audit` does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from discreet.audit.graybox.comparing.report import ReplayReport
from discreet.audit.graybox.databases.neighbours import MOST_ROWS, ReplayNeighbours, make_neighbours
from discreet.audit.graybox.databases.populations import ArrowTables
from discreet.audit.graybox.replaying import replay
from discreet.base import check
from discreet.base.errors import BudgetError, ParameterError
from discreet.policy import load
from discreet.policy.model import Policy, Table

MOST_NUMBERS = 4
"""Numbers that are asked for at once where nobody named a question."""

FOR_THE_OWNER = (
    "for the owner's eyes only: questions are run on your own rows and on rows with one unit more or less, in ledgers "
    "that are thrown away. Nothing is charged and no answer is shown; how far a unit moves a question is exact, and "
    "read from private rows"
)
NO_PROOF = "nothing found is no proof: neighbours that were not tried were not tried"
UNITS = (
    "declared is how far one unit may move a part of a question, which its noise is made for; observed is the farthest "
    "that one moved it. Both count rows, units or keys one by one, and sums in steps, which are named unless they are "
    "1 (at steps of 0.01, 100 is 1.00). L1 adds up all groups that a unit is in, L2 is the root of the sum of squares. "
    "Epsilon, or rho, is what all of a question is charged, beside what the unit makes it lose"
)


def audit_questions(
    path: str | Path,
    questions: Sequence[str],
    epsilon: float = 1.0,
    *,
    most_rows: int = MOST_ROWS,
    clock: bool = True,
    watch: Callable[[str], None] = lambda question: None,
) -> Iterator[ReplayReport]:
    """Return reports, one by one, for each question of a policy's tables; without any, for the simplest ones.

    Rows are read once and before the first report, of large tables those of some people, and handed to DuckDB, wherever
    they lie. `watch` is called with each question before it is replayed.
    """
    check.positive("epsilon", epsilon)
    policy = load(path)
    neighbours: ReplayNeighbours = make_neighbours(policy, most_rows=most_rows)

    def replay_one(question: str) -> ReplayReport:
        watch(question)
        return explain_refusal(replay(question, neighbours, epsilon=epsilon, clock=clock), policy, epsilon)

    return map(replay_one, questions or list_simplest(policy, neighbours.groups[0][0].tables or {}))


def explain_refusal(report: ReplayReport, policy: Policy, epsilon: float) -> ReplayReport:
    """Return a report that tells the owner more: which unknown column is hidden, and what to ask of a small budget."""
    if report.refused is not None and BudgetError.__name__ in report.refused:
        words = f"{report.refused}. Say less than --epsilon {epsilon:g}: how far a unit moves it is the same"
        return replace(report, refused=words)
    hidden = [(table.name, name) for table in policy.tables for name in table.hidden]
    for table, name in hidden if report.refused is not None else []:
        if f"no column {name!r}" in str(report.refused) or f"has a column {name!r}" in str(report.refused):
            words = f"{report.refused}. {name!r} of {table!r} is hidden by the policy, so nobody may ask about it"
            return replace(report, refused=words)
    return report


def list_simplest(policy: Policy, tables: ArrowTables) -> list[str]:
    """Return questions about every private table: how many rows there are, and what bounded numbers add up to."""
    private = [each for each in policy.tables if not each.public]
    if not private:
        raise ParameterError("question", None, "one at least: all tables of this policy are public")
    return [question for table in private for question in _count_and_sum(table, tables[table.name].schema)]


def _count_and_sum(table: Table, kinds: pa.Schema) -> Iterator[str]:
    names = [each.name for each in table.columns if each.lower is not None and each.name not in table.hidden]
    sums = [f'SUM("{_quote(name)}")' for name in names if _is_number(kinds.field(name).type)]
    listed = ["COUNT(*)", *sums]
    for first in range(0, len(listed), MOST_NUMBERS):
        yield f'SELECT {", ".join(listed[first : first + MOST_NUMBERS])} FROM "{_quote(table.name)}"'


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def _quote(name: str) -> str:
    return name.replace('"', '""')
