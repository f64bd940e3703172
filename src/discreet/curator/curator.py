"""The curator: holds the tables, the ledger and the engines of a policy, and lets analysts in by sessions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack, closing
from fractions import Fraction
from pathlib import Path
from typing import Any, Self

from discreet.answers import Answer
from discreet.base.showing import ShownAsText
from discreet.curator.asking.explain import Explanation
from discreet.curator.asking.fluent import TableQuestion
from discreet.curator.asking.prepared import Prepared
from discreet.curator.asking.routes import Route, make_routes
from discreet.curator.bounds import FoundBounds
from discreet.curator.door.keeper import Keeper
from discreet.curator.holdings import Holdings
from discreet.curator.owner.account import Account, read_facts
from discreet.curator.owner.ledger_place import choose_new_place, find_ledger_place
from discreet.curator.owner.tables import Tables
from discreet.curator.owner.versions import (
    DataState,
    accept_data,
    find_version,
    is_watched,
    list_data_states,
    remember,
)
from discreet.curator.session import Session, Watch
from discreet.engines.engines import Engines
from discreet.ledger import Ledger, Place
from discreet.policy import load
from discreet.policy.model import Policy
from discreet.query.candidates import CandidateRange
from discreet.query.catalog import Catalog
from discreet.query.views import check_views


class Curator(ShownAsText, Account):
    """The tables of a policy, asked privately. One serves many sessions, from many threads.

    `ask`, `explain`, `table` and `bounds` are those of the session of `analyst`, who was named when it was opened.
    """

    def __init__(
        self,
        policy: Policy,
        engines: Engines,
        ledger: Ledger,
        analyst: str | None,
        *,
        operator: bool = False,
        routes: Sequence[Route] = (),
        served: bool = False,
    ) -> None:
        super().__init__(policy, ledger, analyst, operator=operator)
        self._engines = engines
        catalog = Catalog.of(engines)
        deadline = None if policy.deadline is None else float(policy.deadline)
        self._keeper = Keeper(ledger.runs, deadline)
        self._holdings = Holdings(policy, engines, catalog, ledger, self._keeper, tuple(routes), served)
        self._own = Session(self._holdings, analyst)

    @classmethod
    def open(
        cls,
        path: str | Path = "policy.toml",
        analyst: str | None = None,
        tables: Mapping[str, Any] | None = None,
        *,
        operator: bool = False,
        routes: Sequence[Route] = (),
        served: bool = False,
    ) -> Self:
        """Open a policy with its ledger. `tables` are pandas, polars or Arrow tables for those without a source.

        `routes` are tried before those that the policy asks for.

        Where the policy has analysts, one is named; only the `operator`, who looks after the data, need not. Engines
        are opened when a question first needs them. `served` is for analysts who come through a server: they are not
        told of one another, nor of the whole budget, and each run has a public time after which it counts as late.
        """
        policy = load(path)
        asker = None if operator and analyst is None else policy.analyst(analyst)
        engines = Engines(policy, tables)
        with ExitStack() as opened:
            opened.callback(engines.close)
            ledger = Ledger.open(find_ledger_place(policy), read_facts(policy))
            opened.callback(ledger.close)
            every = (*routes, *make_routes(policy))
            name = asker.name if asker else None
            curator = cls(policy, engines, ledger, name, operator=operator, routes=every, served=served)
            opened.pop_all()
        return curator

    @classmethod
    def init(cls, path: str | Path = "policy.toml") -> Place:
        """Create the ledger of a policy, where there is none; nothing else ever does.

        The policy must fit its sources first: whom a ledger protects cannot be changed later.
        """
        policy = load(path)
        with closing(Engines(policy, partly=True)) as engines:
            engines.open_all()
            seen = {table.name: engines.fingerprint(table.name) for table in policy.tables if is_watched(table)}
        place = choose_new_place(policy)
        with Ledger.create(place, read_facts(policy)) as ledger:
            remember(ledger, seen)
        return place

    def __str__(self) -> str:
        who = "" if self._own.analyst is None else f", asked by {self._own.analyst}"
        return f"curator of {self.policy.path}{who}: {', '.join(table.name for table in self.policy.tables)}"

    def session(self, analyst: str | None = None, held: frozenset[str] = frozenset()) -> Session:
        """Return an analyst's way in; without a name, that of the analyst for whom this curator was opened.

        What is `held`, by identity, has an answer that was not handed out yet: it is not told that there is one.
        """
        asker = self.policy.analyst(self._own.analyst if analyst is None else analyst)
        return Session(self._holdings, asker.name if asker else None, held)

    def close(self) -> None:
        """Wait for runs that nobody waits for any more, then let go of the tables and the ledger."""
        self._keeper.wait()
        self._engines.close()
        super().close()

    def open_engines(self) -> None:
        """Open all engines now, and read all views: what is wrong with them is said before anybody asks."""
        self._engines.open_all()
        self.check_views()

    def check_views(self) -> None:
        """Refuse a policy whose views cannot be read."""
        check_views(self._holdings.catalog)

    def ask(
        self,
        question: object,
        epsilon: float | Fraction | None = None,
        *,
        fresh: bool = False,
        progress: Watch | None = None,
        **how: Any,
    ) -> Answer:
        """Answer a question in SQL, or an Ibis expression of one; `Session.prepare` says what may be given."""
        return self._own.ask(question, epsilon, fresh=fresh, progress=progress, **how)

    def prepare(self, question: object, epsilon: float | Fraction | None = None, **how: Any) -> Prepared:
        """Plan and price a question: free. What it would cost, and the columns of its answer, are known then."""
        return self._own.prepare(question, epsilon, **how)

    def explain(self, question: object, epsilon: float | Fraction | None = None, **how: Any) -> Explanation:
        """Say what a question would do and cost: free, and without looking at any private row."""
        return self._own.explain(question, epsilon, **how)

    def choose(
        self,
        candidates: Iterable[object] | range | CandidateRange,
        score: str,
        epsilon: float | Fraction | None = None,
        **how: Any,
    ) -> Answer:
        """Choose the public candidate with the best score, without releasing any; see `Session.choose`."""
        return self._own.choose(candidates, score, epsilon, **how)

    def prepare_choice(
        self,
        candidates: Iterable[object] | range | CandidateRange,
        score: str,
        epsilon: float | Fraction | None = None,
        **how: Any,
    ) -> Prepared:
        """Plan and price a choice among public candidates: free."""
        return self._own.prepare_choice(candidates, score, epsilon, **how)

    def table(self, name: str) -> TableQuestion:
        """Begin a question in Python: `curator.table("visits").where("age >= 65").count(epsilon=0.2)`."""
        return self._own.table(name)

    def ibis(self, name: str) -> Any:
        """Return a table as Ibis has it: `curator.ask(curator.ibis("visits").count(), 0.2)`."""
        return self._own.ibis(name)

    def bounds(self, column: str, epsilon: float | Fraction, progress: Watch | None = None) -> FoundBounds:
        """Find bounds of a numeric column privately, over fixed powers of two; charged like any question."""
        return self._own.bounds(column, epsilon, progress)

    @property
    def tables(self) -> Tables:
        """The tables with their columns, types, bounds and categories: public facts, free."""
        return self._own.tables

    @property
    def data_states(self) -> tuple[DataState, ...]:
        """What is known of every table's data. For the operator."""
        return list_data_states(self.policy, self._ledger, self.fingerprint)

    def accept(self, table: str, version: str) -> DataState:
        """Take a table's files as they are now under a version that it never had. For the operator."""
        return accept_data(self.policy, self._ledger, self.fingerprint, table, version)

    def version(self, table: str) -> str:
        """Return the operator's name for the state of a table's data."""
        return find_version(self.policy.table(table), self._ledger)

    def fingerprint(self, table: str) -> str:
        """Return a hash of a table's source files. For the operator: it tells whether anybody's rows changed."""
        return self._engines.fingerprint(self.policy.table(table).name)
