"""Sessions: one analyst's way to a curator that many share, from many threads."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, TypeVar

from sqlglot import exp

from discreet.answers import Answer, Receipt
from discreet.answers.receipt import FREE
from discreet.base.errors import BudgetError, OperationError, PendingError, QueryError, StoppedError
from discreet.curator.asking.choosing import plan_choice
from discreet.curator.asking.explain import Explanation
from discreet.curator.asking.fluent import TableQuestion
from discreet.curator.asking.hints import HintWarning
from discreet.curator.asking.prepared import Prepared
from discreet.curator.asking.pricing import price_bounded, price_planned_choice
from discreet.curator.asking.question_operation import list_public_keys, make_operation
from discreet.curator.asking.routes import Recorded, Routed
from discreet.curator.bounds import FoundBounds, PreparedBounds, declare_bounds
from discreet.curator.door.operation import Declaration, Operation, declare, identify
from discreet.curator.door.performance import STOPPED, Performance, Progress, make_meter
from discreet.curator.estimates.assemble import assemble, assemble_candidate, describe_fields
from discreet.curator.holdings import Holdings
from discreet.curator.owner.budget import Budget
from discreet.curator.owner.tables import Tables
from discreet.curator.owner.versions import find_version
from discreet.curator.release.released import Released
from discreet.curator.telling import Telling
from discreet.engines.engine import find_tables
from discreet.ledger import Keepsake, Request
from discreet.ledger.entries.overruns import MOST
from discreet.plan.beside import list_releases
from discreet.plan.question import Question
from discreet.plan.rows_plan import DeclaredPlan, RowsPlan
from discreet.query.bound import bound
from discreet.query.bounding.clamping import add_clamped_counts
from discreet.query.build import build, find_parameters
from discreet.query.candidates import CandidateRange
from discreet.query.canonical import to_canonical
from discreet.query.cut_first import cut_first
from discreet.query.floors import find_floors
from discreet.query.given_keys import describe_keys, read_keys
from discreet.query.ibis import make_ibis_table, to_sql
from discreet.query.left_out import plan_left_out, read_left_out
from discreet.query.parse import parse
from discreet.query.plan_rows import plan_rows
from discreet.query.price import read_amount
from discreet.query.public_time import find_public_time
from discreet.query.work import check_work, check_work_together

R = TypeVar("R")

Watch = Callable[[Progress], None]
"""Called now and then while a run is waited for, with public facts about it."""

TICK = 0.1
"""Seconds between two calls of a watch."""


class Session:
    """One analyst's way in. Everything it returns or raises is safe to show to that analyst; threads may share it."""

    def __init__(self, holdings: Holdings, analyst: str | None, held: frozenset[str] = frozenset()) -> None:
        self._holdings, self._analyst = holdings, analyst
        self._telling = Telling(holdings, analyst, held)
        self._catalog = self._telling.catalog

    @property
    def analyst(self) -> str | None:
        """Who asks; None where nobody is named."""
        return self._analyst

    @property
    def question_delta(self) -> Fraction:
        """The policy's delta for one question: 0 where it has none."""
        return self._holdings.policy.question_delta

    @property
    def tables(self) -> Tables:
        """The tables with their columns, types, bounds and categories: public facts, free."""
        return self._telling.tables

    @property
    def budget(self) -> Budget:
        """What is spent and left: of the whole budget, and of this analyst's own cap; when served, of that alone."""
        return self._telling.budget

    def has_paid(self, request: Request) -> bool:
        """Say whether an answer to a request is recorded that this analyst has paid for: asking again is free."""
        return self._telling.has_paid(request)

    def find_public_time(self, plans: Sequence[DeclaredPlan]) -> float | None:
        """Return the seconds after which a run of these plans is late, from public facts; None where it never is."""
        return find_public_time(plans, self._holdings.policy) if self._holdings.served else None

    def plan(self, question: object, params: Mapping[str, Any] | None = None) -> Question:
        """Read a question, SQL or an Ibis expression, into a plan: free, and without a look at private rows."""
        catalog = self._catalog
        return cut_first(to_canonical(build(_parse(question, params), catalog, params)), catalog)

    def plan_rows(
        self, question: object, params: Mapping[str, Any] | None = None, max_rows: int | None = None
    ) -> RowsPlan:
        """Read a SELECT of rows, `SELECT age, cost FROM visits WHERE ...`, for operations that sum over units: free.

        Only a desk sees the rows; each unit keeps at most `max_rows`, or as many as the policy allows.
        """
        try:
            plan = plan_rows(_parse(question, params), self._catalog, params, max_rows)
            self._holdings.engines.check(plan)
            self._holdings.issued.add(plan)
        except RecursionError:
            raise QueryError("the question is nested too deeply; write it flatter") from None
        return plan

    def read_part(self, name: str) -> bytes:
        """Return a part of what an operation measured, by the name that its record holds: free, as the record is."""
        return self._holdings.ledger.parts.read(name)

    def prepare(
        self,
        question: object,
        epsilon: float | Fraction | None = None,
        *,
        rho: float | Fraction | None = None,
        within: Mapping[str, float] | None = None,
        params: Mapping[str, Any] | None = None,
        clamping: bool = False,
        keys: object = None,
        key_delta: float | Fraction | None = None,
        left_out: str | int | None = None,
        **limits: int | None,
    ) -> Prepared:
        """Plan and price a question: free. What it would cost, and the columns of its answer, are known then.

        `epsilon` means that this answer alone is epsilon-differentially private, or (epsilon, delta) with the policy's
        per-question delta where Gaussian noise errs less. `rho` is zCDP instead, and `within` finds the least epsilon
        for errors wanted. `keys` are those to ask for: a list of values, of rows of several, or a frame with columns
        named like the keys; all of them appear, and rows with others are in no group. `key_delta` is the delta of keys
        that come from the data, if not the policy's. `max_rows`, `max_groups` and `max_rows_per_group` tighten what a
        unit contributes. `left_out="units"` counts, for a tenth of the price, the units that have more than they may
        keep; a number counts the rows beyond max_rows instead, up to so many of each unit.
        """
        try:
            planned = self.plan(question, params)
            planned = add_clamped_counts(planned) if clamping else planned
            given = None if keys is None else read_keys(keys, planned)
            first, *others = list_releases(planned).questions
            counted = None if left_out is None else read_left_out(left_out)
            if counted is not None and others:
                raise QueryError("left_out: each answer of a statement has limits of its own; ask for one of them")
            bounded = bound(first, self._catalog, limits, given)
            beside = tuple(bound(each, self._catalog, limits) for each in others)
            for each in (bounded, *beside):
                self._holdings.engines.check(each.plan)
            cut = None if counted is None else plan_left_out(bounded.plan, counted)
            amounts = (epsilon, rho, within, key_delta)
            priced = price_bounded(planned, bounded, self._holdings.policy, *amounts, beside, cut)
            text, operation = to_sql(question), make_operation(planned, priced)
            text = text if given is None else f"{text} -- {describe_keys(given)}"
            text = text if counted is None else f"{text} -- left_out: {counted}"
            check_work_together(operation.plans(), self._holdings.policy)
            for plan in operation.plans():
                self._holdings.issued.add(plan)
            request = self._request(declare(operation), text)
        except RecursionError:
            raise QueryError("the question is nested too deeply; write it flatter") from None
        ways = (self._ask, self._start_prepared, self._explain)
        return Prepared(planned, priced, text, operation, request, describe_fields(planned, priced), *ways)

    def ask(
        self,
        question: object,
        epsilon: float | Fraction | None = None,
        *,
        fresh: bool = False,
        progress: Watch | None = None,
        **how: Any,
    ) -> Answer:
        """Answer a question in SQL, or an Ibis expression of one; `prepare` says what may be given.

        The same question on the same data comes from the ledger; `fresh` pays for new noise. Constants outside of what
        is declared are warned of before the charge, from the policy alone.
        """
        prepared = self.prepare(question, epsilon, **how)
        for hint in self._telling.list_hints(prepared):
            warnings.warn(hint, HintWarning, stacklevel=3)
        return prepared.ask(fresh=fresh, progress=progress)

    def prepare_choice(
        self,
        candidates: Iterable[object] | range | CandidateRange,
        score: str,
        epsilon: float | Fraction | None = None,
        *,
        rho: float | Fraction | None = None,
        within: float | None = None,
        table: str | None = None,
        largest: bool = True,
        count: int = 1,
        params: Mapping[str, Any] | None = None,
        **limits: int | None,
    ) -> Prepared:
        """Plan and price a choice among public candidates: free; `choose` says what may be given."""
        try:
            made = plan_choice(self._catalog, candidates, score, table, largest, count, params or {}, limits)
            self._holdings.engines.check(made.draft.bounded.plan)
            priced = price_planned_choice(made, self._holdings.policy, epsilon, rho, within)
            operation = make_operation(made.question, priced)
            self._holdings.issued.add(operation.plan)
            request = self._request(declare(operation), made.text)
        except RecursionError:
            raise QueryError("the question is nested too deeply; write it flatter") from None

        def ask(prepared: Prepared, fresh: bool, progress: Watch | None, key: str | None) -> Answer:
            released, receipt = self._wait(self._start_prepared(prepared, fresh, key=key), progress)
            return assemble_candidate(made.question, priced, released, receipt, made.text, made.field, made.value)

        ways = (ask, self._start_prepared, self._explain)
        return Prepared(made.question, priced, made.text, operation, request, (made.field,), *ways)

    def choose(
        self,
        candidates: Iterable[object] | range | CandidateRange,
        score: str,
        epsilon: float | Fraction | None = None,
        *,
        fresh: bool = False,
        progress: Watch | None = None,
        **how: Any,
    ) -> Answer:
        """Choose the public candidate with the best score, or the `count` best, without releasing any score.

        The score is one COUNT or SUM in which $candidate stands: `SELECT ... FROM ...`, or the aggregate alone beside
        `table=`. Candidates are a list of values, a range, or a CandidateRange; `largest=False` looks for the smallest.
        `within` finds the least epsilon at which the chosen fall short of the best by no more than this, at 95 %.
        How far one unit moves scores apart follows from the policy, as for every question.
        """
        return self.prepare_choice(candidates, score, epsilon, **how).ask(fresh=fresh, progress=progress)

    def explain(self, question: object, epsilon: float | Fraction | None = None, **how: Any) -> Explanation:
        """Say what a question would do and cost: free, and without looking at any private row."""
        return self.prepare(question, epsilon, **how).explain()

    def table(self, name: str) -> TableQuestion:
        """Begin a question in Python: `session.table("visits").where("age >= 65").count(epsilon=0.2)`."""
        return TableQuestion(self.ask, self._catalog.find_named(name).table.name)

    def ibis(self, name: str) -> Any:
        """Return a table as Ibis has it, with its public names and types: `ask` takes what is made from it.

        `visits = session.ibis("visits")`, then `session.ask(visits.group_by("ward").agg(n=visits.count()), 0.2)`.
        """
        return make_ibis_table(self._catalog.find_named(name))

    def bounds(self, column: str, epsilon: float | Fraction, progress: Watch | None = None) -> FoundBounds:
        """Find bounds of a numeric column privately, over fixed powers of two; charged like any question."""
        return self.prepare_bounds(column, epsilon).find(progress)

    def prepare_bounds(self, column: str, epsilon: float | Fraction) -> PreparedBounds:
        """Plan and price what `bounds` does: free."""
        operation = declare_bounds(self._catalog, column, read_amount("epsilon", epsilon))
        self._holdings.issued.add(operation.plan)
        text = f"bounds of {column}"

        def find(prepared: PreparedBounds, progress: Watch | None) -> FoundBounds:
            try:
                edges, receipt = self.perform(operation, text, progress=progress)
            except BudgetError as refused:
                raise self._telling.refuse(refused, operation.charge) from None
            return FoundBounds(operation.column, *edges, receipt)

        return PreparedBounds(operation, self._request(declare(operation), text), find)

    def perform(
        self, operation: Operation[R], text: str = "", *, fresh: bool = False, progress: Watch | None = None
    ) -> tuple[R, Receipt]:
        """Charge for an operation, run it and record what it measured, or find what was recorded for it.

        Where the policy has a deadline, waiting ends with it: the run goes on and is recorded, and asking again finds
        it. Ctrl-C stops the run; its charge stays.
        """
        return self._wait(self.start(operation, text, fresh=fresh), progress)

    def start(
        self,
        operation: Operation[R],
        text: str = "",
        *,
        fresh: bool = False,
        keep: Sequence[Keepsake] = (),
        key: str | None = None,
    ) -> Performance[R]:
        """Charge for an operation and begin to run it; one unit's rows must not decide how long it takes.

        What is to be kept is written into the ledger with a new charge, in one step. What is asked `fresh` twice under
        one `key` is charged once.
        """
        declared = declare(operation)
        for plan in declared.plans:
            self._holdings.issued.check(plan)
            check_work(plan, self._holdings.policy)
        if declared.live and self._holdings.policy.deadline is not None:
            raise OperationError(
                "this answers while it runs, and the policy has a deadline: remove that from [time], or ask in SQL"
            )
        request = self._request(declared, text)
        make_meter(declared)  # so that a schedule beyond its charge is refused before anything is charged
        shared = self._holdings
        if fresh or not shared.ledger.answered(request):
            for plan in declared.plans:
                shared.engines.ready(plan)
        charge = find_floors(shared.policy).raise_charge(declared.charge)
        public_time = self.find_public_time(declared.plans)
        shared.keeper.reserve(self._analyst, public_time)
        try:
            how: dict[str, Any] = {"fresh": fresh, "timeout": self._patience, "keep": keep, "key": key}
            claim = shared.ledger.charge(request, charge, self._analyst, **how)
        except BaseException:
            shared.keeper.free(self._analyst)
            raise
        ways = (shared.engines.run, shared.engines.hold)
        return Performance(operation, declared, claim, shared.ledger, shared.keeper, *ways, public_time)

    def _request(self, declared: Declaration, text: str) -> Request:
        version = self._find_versions(declared.plans)
        return Request(identify(declared, version), version, text, declared.kind)

    def _find_versions(self, plans: tuple[DeclaredPlan, ...]) -> str:
        """Return the version of every table that is read, as the operator names them."""
        policy, ledger = self._holdings.policy, self._holdings.ledger
        names = sorted({name for plan in plans for name in find_tables(plan)})
        return ";".join(f"{name}={find_version(policy.table(name), ledger)}" for name in names)

    @property
    def _patience(self) -> float:
        """Seconds to wait for somebody else who runs the same question."""
        deadline = self._holdings.policy.deadline
        return 60.0 if deadline is None else min(60.0, float(deadline))

    def _wait(self, performance: Performance[R], progress: Watch | None) -> tuple[R, Receipt]:
        deadline = self._holdings.policy.deadline
        try:
            while not performance.wait(TICK):
                if progress is not None:
                    progress(performance.progress)
                if deadline is not None and performance.progress.seconds >= deadline:
                    self._holdings.ledger.refuse_suspended(self._analyst)
                    raise PendingError(
                        f"not done within {float(deadline):g} s. It goes on and will be recorded: ask again later, "
                        f"without a new charge. More than {MOST} late questions suspend asking"
                    )
        except KeyboardInterrupt:
            performance.cancel()
            raise StoppedError(STOPPED) from None
        return performance.result()

    def _ask(self, prepared: Prepared, fresh: bool, progress: Watch | None, key: str | None) -> Answer:
        if prepared.priced.free:
            return self._list_keys(prepared)
        keep: list[Keepsake] = []
        routes = self._holdings.routes if prepared.priced.left_out is None else ()  # none counts what is left out
        # what others asked decides the way and the price of routes: through a server there are none
        alone = not prepared.question.beside and not self._holdings.served
        if alone and not fresh and not self._holdings.ledger.answered(prepared.request):
            records = _inform_routes(self, progress)
            for route in routes:
                found = route.answer(prepared, records)
                if isinstance(found, Routed):
                    return found.assemble(self._holdings.ledger.use(found.charges, self._analyst, prepared.text))
                keep += [] if found is None else [found]
        released, receipt = self._wait(self._start_prepared(prepared, fresh, keep, key), progress)
        return assemble(prepared.question, prepared.priced, released, receipt, prepared.text)

    def _list_keys(self, prepared: Prepared) -> Answer:
        """Return keys that are public: nothing runs, and nothing is written. The receipt is for the ledger's start."""
        receipt = Receipt(self._holdings.ledger.birth, self._analyst, prepared.priced.charge, FREE)
        first, *others = (list_public_keys(each.bounded.plan) for each in (prepared.priced, *prepared.priced.beside))
        listed = replace(first, beside=tuple(others))
        return assemble(prepared.question, prepared.priced, listed, receipt, prepared.text)

    def _start_prepared(
        self, prepared: Prepared, fresh: bool, keep: Sequence[Keepsake] = (), key: str | None = None
    ) -> Performance[Released]:
        try:
            return self.start(prepared.operation, prepared.text, fresh=fresh, keep=keep, key=key)
        except BudgetError as refused:
            raise self._telling.refuse_question(refused, prepared) from None

    def _explain(self, prepared: Prepared) -> Explanation:
        return self._telling.explain(prepared, _inform_routes(self, None))


def _parse(question: object, params: Mapping[str, Any] | None) -> exp.Select:
    """Return the one SELECT of a question, or refuse parameters that it does not use."""
    select = parse(to_sql(question))
    unused = sorted(set(params or {}) - find_parameters(select))
    if unused:
        raise QueryError(f"the question has no ${unused[0]}; leave that parameter out, or use it")
    return select


def _inform_routes(session: Session, progress: Watch | None) -> Recorded:
    """Return what routes may see, and how they buy in the name of whoever asks."""

    def buy(bought: Prepared, keep: Sequence[Keepsake]) -> Receipt:
        return session._wait(session.start(bought.operation, bought.text, keep=keep), progress)[1]

    shared = session._holdings
    return Recorded(session._analyst, shared.ledger.read_record, shared.ledger, session._catalog, session.prepare, buy)
