"""The curator: holds the tables, answers questions privately, and pays for every answer before it looks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from fractions import Fraction
from pathlib import Path
from typing import Any, Self

from discreet.answers import Answer, Receipt
from discreet.base.errors import QueryError
from discreet.curator.asking.explain import Explanation, describe_choices
from discreet.curator.asking.fluent import TableQuestion
from discreet.curator.asking.within import find_least_epsilon
from discreet.curator.bounds import FoundBounds, find_bounds
from discreet.curator.estimates.assemble import assemble
from discreet.curator.owner.account import Account, read_facts
from discreet.curator.owner.ledger_place import choose_new_place, find_ledger_place
from discreet.curator.owner.tables import Tables
from discreet.curator.owner.versions import find_version, is_watched, remember
from discreet.curator.release.release import Released, release
from discreet.curator.stopping import stoppable, suspending
from discreet.engines.engines import Engines
from discreet.engines.result import ExactResult
from discreet.ledger import Ledger, Place
from discreet.ledger import Request as Asked
from discreet.plan.bounded import Part
from discreet.plan.question import Question
from discreet.plan.relations import Lookup, Scan, is_plain, list_scans, list_sources
from discreet.policy import load
from discreet.policy.model import Policy
from discreet.query.bound import bound
from discreet.query.bounding.clamping import add_clamped_counts
from discreet.query.build import build, find_parameters
from discreet.query.canonical import to_canonical
from discreet.query.catalog import Catalog
from discreet.query.ibis import to_sql
from discreet.query.parse import parse
from discreet.query.price import Price, price, read_amount
from discreet.query.views import check_views

Progress = Callable[[float], None]

Asking = Any
"""SQL text, or an Ibis expression."""


class Curator(Account):
    """Answers questions about the tables of a policy. Everything it returns or raises is safe to show to an analyst."""

    def __init__(
        self, policy: Policy, engine: Engines, ledger: Ledger, analyst: str | None, *, operator: bool = False
    ) -> None:
        super().__init__(policy, ledger, analyst, operator=operator)
        self._engine = engine
        self._catalog = Catalog(policy, engine.tables, engine.public_values, engine.fan_out, engine.evaluate)
        check_views(self._catalog)

    @classmethod
    def open(
        cls,
        path: str | Path = "policy.toml",
        analyst: str | None = None,
        tables: Mapping[str, Any] | None = None,
        *,
        operator: bool = False,
    ) -> Self:
        """Open a policy with its ledger. `tables` are pandas, polars or Arrow tables for those without a source.

        Where the policy has analysts, one is named; only the `operator`, who looks after the data, need not.
        """
        policy = load(path)
        asker = None if operator and analyst is None else policy.analyst(analyst)
        engine = Engines(policy, tables)
        with ExitStack() as opened:
            opened.callback(engine.close)
            ledger = Ledger.open(find_ledger_place(policy), read_facts(policy))
            opened.callback(ledger.close)
            curator = cls(policy, engine, ledger, asker.name if asker else None, operator=operator)
            opened.pop_all()
        return curator

    @classmethod
    def init(cls, path: str | Path = "policy.toml") -> Place:
        """Create the ledger of a policy, where there is none; nothing else ever does.

        The policy must fit its sources first: whom a ledger protects cannot be changed later.
        """
        policy = load(path)
        with closing(Engines(policy, partly=True)) as engines:
            seen = {table.name: engines.fingerprint(table.name) for table in policy.tables if is_watched(table)}
        place = choose_new_place(policy)
        with Ledger.create(place, read_facts(policy)) as ledger:
            remember(ledger, seen)
        return place

    def close(self) -> None:
        """Let go of the tables and the ledger."""
        self._engine.close()
        super().close()

    def ask(
        self,
        question: Asking,
        epsilon: float | Fraction | None = None,
        *,
        rho: float | Fraction | None = None,
        within: Mapping[str, float] | None = None,
        params: Mapping[str, Any] | None = None,
        fresh: bool = False,
        clamping: bool = False,
        progress: Progress | None = None,
        **limits: int | None,
    ) -> Answer:
        """Answer a question in SQL, or an Ibis expression of one.

        `epsilon` means that this answer alone is epsilon-differentially private, or (epsilon, delta) with the policy's
        per-question delta where Gaussian noise errs less. `rho` is zCDP instead, and `within` finds the least epsilon
        for errors wanted. The same question on the same data comes from the ledger; `fresh` pays for new noise.
        `max_rows`, `max_groups` and `max_rows_per_group` tighten what a unit contributes.
        """
        text = to_sql(question)
        asked, priced = self._priced(text, epsilon, rho, within, params, clamping, limits)
        released, receipt = self.paid(priced, _quantiles(asked, priced), text, fresh, progress)
        return assemble(asked, priced, released, receipt, text)

    def paid(
        self,
        priced: Price,
        shares: dict[int, tuple[Fraction, ...]],
        text: str,
        fresh: bool = False,
        progress: Progress | None = None,
    ) -> tuple[Released, Receipt]:
        """Charge, run, add noise and record, or find what was recorded: the only way from private rows to numbers.

        Whatever fails after the charge, the message is the same: it may be shown to the analyst. That it failed may
        still be a fact about the data, so whoever asked is suspended until the operator has looked. Stopping by hand
        is no failure.
        """
        plan = priced.bounded.plan
        tables = dict.fromkeys(each.table for each in list_sources(plan.block) if isinstance(each, Scan | Lookup))
        version = ";".join(f"{table}={self.version(table)}" for table in tables)
        asked = Asked(repr((plan, priced.noises, priced.selection, shares)), version, text)
        if fresh or not self._ledger.answered(asked):
            self._engine.ready(plan)
        with self._ledger.charge(asked, priced.charge, self.analyst, fresh=fresh) as claim, stoppable():
            if claim.answer is not None and claim.receipt is not None:
                return Released.from_bytes(claim.answer), claim.receipt
            with suspending(self._ledger, claim):
                released = release(priced, self._run(priced, progress), shares)
                return released, self._ledger.record(claim, released.to_bytes())

    def explain(
        self,
        question: Asking,
        epsilon: float | Fraction | None = None,
        *,
        rho: float | Fraction | None = None,
        within: Mapping[str, float] | None = None,
        params: Mapping[str, Any] | None = None,
        clamping: bool = False,
        **limits: int | None,
    ) -> Explanation:
        """Say what a question would do and cost: free, and without looking at any private row."""
        asked, priced = self._priced(to_sql(question), epsilon, rho, within, params, clamping, limits)
        left = self.budget.more(priced.charge, self.analyst)
        told = (
            f"{left:,} more questions at this price fit into what is left" if left else "nothing like it fits any more"
        )
        units = {table.name: table.unit for table in self.policy.tables if table.unit is not None}
        return Explanation(asked, priced, (*priced.bounded.coarsened, told), units)

    def table(self, name: str) -> TableQuestion:
        """Begin a question in Python: `curator.table("visits").where("age >= 65").count(epsilon=0.2)`."""
        return TableQuestion(self.ask, self._catalog.table(name).table.name)

    def bounds(self, column: str, epsilon: float | Fraction, progress: Progress | None = None) -> FoundBounds:
        """Find bounds of a numeric column privately, over fixed powers of two; charged like any question."""
        return find_bounds(self, self._catalog, column, read_amount("epsilon", epsilon), progress)

    @property
    def tables(self) -> Tables:
        """The tables with their columns, types, bounds and categories: public facts, free."""
        return Tables(tuple(self._engine.tables.values()), self.policy.views)

    def version(self, table: str) -> str:
        """Return the operator's name for the state of a table's data."""
        return find_version(self.policy.table(table), self._ledger)

    def fingerprint(self, table: str) -> str:
        """Return a hash of a table's source files. For the operator: it tells whether anybody's rows changed."""
        return self._engine.fingerprint(self.policy.table(table).name)

    def _priced(
        self,
        text: str,
        epsilon: object,
        rho: object,
        within: Mapping[str, float] | None,
        params: Mapping[str, Any] | None,
        clamping: bool,
        limits: Mapping[str, int | None],
    ) -> tuple[Question, Price]:
        """Plan and price a question. Nothing is charged here, and no private row can be reached from here."""
        select = parse(text)
        unused = sorted(set(params or {}) - find_parameters(select))
        if unused:
            raise QueryError(f"the question has no ${unused[0]}; leave that parameter out, or use it")
        question = to_canonical(build(select, self._catalog, params))
        question = add_clamped_counts(question) if clamping else question
        bounded = bound(question, self._catalog, limits)
        self._engine.check(bounded.plan)
        given = [value is not None for value in (epsilon, rho, within)]
        if sum(given) > 1:
            raise QueryError("give one of epsilon, rho and within, not several")
        if rho is not None:
            return question, price(bounded, self.policy, rho=read_amount("rho", rho))
        if within is not None:
            least = (
                self.policy.table(list_scans(question.block)[0].table).min_count if is_plain(question.block) else None
            )
            found = find_least_epsilon(question, bounded, self.policy, within, least)
            return question, price(bounded, self.policy, epsilon=found)
        if epsilon is None:
            choices = [price(bounded, self.policy, epsilon=Fraction(each)) for each in ("0.05", "0.2", "1")]
            raise QueryError(f"say how much privacy to spend, such as\n{describe_choices(question, choices)}")
        return question, price(bounded, self.policy, epsilon=read_amount("epsilon", epsilon))

    def _run(self, priced: Price, progress: Progress | None) -> ExactResult:
        """Run the bounded plan."""
        run = self._engine.run(priced.bounded.plan)
        try:
            while not run.wait(0.1):
                if progress is not None:
                    progress(run.progress())
            return run.result()
        except KeyboardInterrupt:
            run.cancel()
            raise


def _quantiles(question: Question, priced: Price) -> dict[int, tuple[Fraction, ...]]:
    """Return which quantiles are asked of each tree of ranks."""
    shares: dict[int, list[Fraction]] = {}
    for asked, source in zip(question.aggregates, priced.bounded.sources, strict=True):
        if asked.share is not None and priced.bounded.plan.measures[source[0]].part is Part.RANKS:
            shares.setdefault(source[0], []).append(asked.share)
    return {measure: tuple(sorted(set(each))) for measure, each in shares.items()}
