"""What an engine is: the smallest that the curator needs of one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from discreet.base.errors import PolicyError
from discreet.base.types import Type
from discreet.engines.held import HeldRows, Wait
from discreet.engines.result import ExactResult, ExactRows, Run
from discreet.engines.survey import SurveyedTable
from discreet.plan.bounded import BoundedPlan
from discreet.plan.expressions import Constant
from discreet.plan.relations import Lookup, Scan, list_scans, list_sources
from discreet.plan.rows_plan import DeclaredPlan, RowsPlan
from discreet.policy.schema import Resolved


class Engine(Protocol):
    """Some tables of a policy, behind one engine. Nothing of a private table is read before `run`, but its schema."""

    @property
    def tables(self) -> Mapping[str, Resolved]:
        """Return the tables by folded name, whose policy and source agree."""

    def check(self, plan: DeclaredPlan) -> None:
        """Refuse a plan that this engine cannot run, from its text alone: nothing is read."""

    def ready(self, plan: DeclaredPlan) -> None:
        """Refuse a plan whose tables are not there as they were when this was opened; only their schemas are looked at.

        So that a server that is down, or a table that was renamed, costs nobody a charge.
        """

    def run(self, plan: BoundedPlan) -> Run[ExactResult]:
        """Begin to run a bounded plan over this engine's tables, all of them in one state."""

    def read(self, plan: RowsPlan) -> Run[ExactRows]:
        """Begin to read the rows that units keep, all of one state of the tables; only a desk sees them."""

    def hold(self, plan: RowsPlan, wait: Wait) -> HeldRows:
        """Hold the rows that units keep for one run, where this engine computes sums over them; read when needed."""

    def public_values(self, table: str, column: str) -> tuple[Constant, ...]:
        """Return the distinct values of a public table's column, without NULL."""

    def public_rows(self, table: str, columns: tuple[str, ...], most: int) -> tuple[tuple[Constant, ...], ...]:
        """Return the distinct rows of some columns of a public table, NULL where they are; no more than most + 1."""

    def fan_out(self, table: str, columns: tuple[str, ...]) -> int:
        """Return in how many rows of a public table these columns are equal, at most; NULL equals nothing."""

    def fingerprint(self, table: str) -> str:
        """Return a hash of a table's source that changes when it does. For the operator only."""

    def survey(self, table: str) -> SurveyedTable:
        """Return how a table's rows fit what is declared about them: exact, so for the owner alone."""

    def close(self) -> None:
        """Let go of whatever is open."""


def find_tables(plan: DeclaredPlan) -> set[str]:
    """Return the names of the tables that a plan reads, those through which rows reach their units included."""
    sources = list(list_sources(plan.block))
    through = {table for each in sources if isinstance(each, Scan) for table in each.through}
    return through | {each.table for each in sources if isinstance(each, Scan | Lookup)}


def check_unchanged(table: str, before: Mapping[str, Type], now: Mapping[str, Type | None]) -> None:
    """Refuse a table that has lost a column since it was opened, or has one of another type."""
    for name, kind in before.items():
        if now.get(name) is not kind:
            raise PolicyError(
                f"table {table!r} has changed since it was opened: its column {name!r} is gone or of another type; "
                "open the policy again. Nothing was charged"
            )


def find_unit_type(plan: DeclaredPlan, tables: Mapping[str, Resolved]) -> Type | None:
    """Return the type of a plan's units, one for all its tables; None where rows are units.

    Wide numbers are texts as units: as floats, two could be one.
    """
    if not plan.units:
        return None
    (found,) = {tables[scan.table.casefold()].unit_type for scan in list_scans(plan.block)}
    return Type.TEXT if found is Type.DECIMAL else found
