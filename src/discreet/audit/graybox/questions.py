"""An owner's own questions, replayed on the owner's own rows: what `discreet audit` does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from discreet.audit.graybox.neighbours import MOST_ROWS, ReplayNeighbours, make_neighbours
from discreet.audit.graybox.replaying import replay
from discreet.audit.graybox.report import ReplayReport
from discreet.policy import load
from discreet.policy.model import Policy, Table

FOR_THE_OWNER = (
    "for the owner's eyes only: questions are run on your own rows and on rows with one unit more or less, in ledgers "
    "that are thrown away. Nothing is charged and no answer is shown; how far a unit moves a question is exact, and "
    "read from private rows"
)
NO_PROOF = "nothing found is no proof: neighbours that were not tried were not tried"


def audit_questions(
    path: str | Path,
    questions: Sequence[str],
    epsilon: float = 1.0,
    *,
    most_rows: int = MOST_ROWS,
    clock: bool = True,
    watch: Callable[[str], None] = lambda question: None,
) -> Iterator[ReplayReport]:
    """Yield a report for each question of a policy's tables; without any, for the simplest ones.

    Rows are read once, of large tables those of some people, and handed to DuckDB, wherever they lie. `watch` is
    called with each question before it is replayed.
    """
    policy = load(path)
    neighbours: ReplayNeighbours = make_neighbours(policy, most_rows=most_rows)
    for question in questions or list_simplest(policy):
        watch(question)
        yield replay(question, neighbours, epsilon=epsilon, clock=clock)


def list_simplest(policy: Policy) -> list[str]:
    """Return questions about every private table: how many rows there are, and what bounded numbers add up to."""
    return [_count_and_sum(table) for table in policy.tables if not table.public]


def _count_and_sum(table: Table) -> str:
    bounded = [each.name for each in table.columns if each.lower is not None and each.step is not None]
    listed = ["COUNT(*)", *(f'SUM("{name}")' for name in bounded[:3] if name not in table.hidden)]
    return f'SELECT {", ".join(listed)} FROM "{table.name}"'
