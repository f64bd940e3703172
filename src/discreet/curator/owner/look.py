"""Exact looks at private rows, for what an owner runs before anything is charged: unpaid, for the owner's eyes only.

Nothing here is private. No session and no server leads here, and no ledger is opened: it reads the policy and the
tables, and nothing else. Rows are planned, limited and read as a desk reads them, on whichever engine holds them, so
that what is counted here is what would be measured. Whoever shows it says so with `FOR_THE_OWNER`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from types import TracebackType
from typing import Any, Self, TypeVar

from discreet.base.errors import DiscreetError, PolicyError
from discreet.engines.engines import Engines
from discreet.engines.held import RowTally
from discreet.engines.result import Run
from discreet.engines.survey import SurveyedTable
from discreet.policy.model import Policy
from discreet.policy.schema import Resolved
from discreet.query.catalog import Catalog
from discreet.query.parse import parse
from discreet.query.plan_rows import plan_rows

E = TypeVar("E")


class OwnersLook:
    """The tables of a policy as their owner may see them: exactly."""

    def __init__(self, policy: Policy, tables: Mapping[str, Any] | None = None) -> None:
        self._engines = Engines(policy, tables, partly=True)
        self._catalog = Catalog.of(self._engines)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._engines.close()

    def find_table(self, name: str) -> Resolved:
        """Return a table with the columns and types of its source."""
        return self._catalog.table(name)

    def survey(self, table: str) -> SurveyedTable:
        """Return how many rows and units a table has, and how they fit what is declared."""
        return self._engines.survey(self.find_table(table).table.name)

    def tally(self, question: str, parameters: Mapping[str, Any]) -> RowTally:
        """Return the different rows of a SELECT, and how often each is there: those that a desk would be given."""
        plan = plan_rows(parse(question), self._catalog, parameters)
        self._engines.check(plan)
        self._engines.ready(plan)
        try:
            with closing(self._engines.hold(plan, _wait)) as held:
                return held.tally()
        except DiscreetError:
            raise
        except Exception as trouble:
            raise PolicyError(f"the rows cannot be read ({type(trouble).__name__}: {trouble})") from trouble


def _wait(start: Callable[[], Run[E]]) -> E:
    return start().result()
