"""What a release asks of the table and of the budget: the operation that measures it, what that costs, whether it fits.

Free, and no private row is read: the ledger tells what is left, the policy and the spec what a release costs, and the
table's description which columns it has. All that a run refuses before its charge is found here, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from typing import Any

from discreet.base.errors import DiscreetError, LedgerError, PolicyError, QueryError
from discreet.curator import Curator
from discreet.curator.door.operation import declare, identify
from discreet.curator.owner.versions import find_version
from discreet.curator.session import Session
from discreet.engines.engine import find_tables
from discreet.engines.engines import Engines
from discreet.ledger import Request
from discreet.policy.problems import explain_problem
from discreet.privacy.charges import Charge
from discreet.query.floors import find_floors
from discreet.query.work import check_work
from discreet.topdown.measure.asked import AskedQuery, cost_asked
from discreet.topdown.measure.columns import check_columns
from discreet.topdown.measure.measurement import CensusMeasurement, prepare_measurement
from discreet.topdown.planning.budget_outlook import BudgetOutlook
from discreet.topdown.planning.noise import MovedUnit, plan_noise
from discreet.topdown.spec.census_spec import CensusSpec


def list_asked(spec: CensusSpec) -> list[AskedQuery]:
    """Return every measurement of a release, with its exact part of rho."""
    return [AskedQuery(draw.level, draw.query, draw.rho) for draw in plan_noise(spec).draws]


def prepare(session: Session, spec: CensusSpec) -> CensusMeasurement:
    """Return the operation that measures a release, or refuse what could not run: nothing is charged.

    What is wrong is named with its file and its key: first all columns that the table lacks.
    """
    check_columns(spec, session.tables[spec.table])
    asked = list_asked(spec)
    try:
        found = prepare_measurement(session, spec.table, spec.area, spec.geography, spec.schema, asked)
        for plan in found.plans():
            check_work(plan, spec.policy)
    except QueryError as error:
        wrong, remedy = f"its rows cannot be counted ({error})", "mend what the policy says of it"
        raise explain_problem(spec.path, ("census", "table"), wrong, remedy) from None
    return found


def foresee_run(spec: CensusSpec, analyst: str | None = None, tables: Mapping[str, Any] | None = None) -> BudgetOutlook:
    """Return whether a run would be admitted, by the budget, by who asks and by the table; nothing is charged."""
    charge = cost_release(spec)
    try:
        with Curator.open(spec.policy.path, analyst, tables, operator=True) as curator:
            budget = curator.budget
            own = tuple(share for share in budget.analysts if share.name == analyst)
            measured, refusals = _try_run(curator, spec, analyst)
            return BudgetOutlook(charge, (budget.total, *own), measured, refusals=refusals)
    except LedgerError as trouble:
        return BudgetOutlook(charge, unknown=str(trouble), refusals=_look_at_columns(spec, tables))


def cost_release(spec: CensusSpec) -> Charge:
    """Return what a release is charged, from public facts alone: the policy's least, at least."""
    charge = cost_asked(list_asked(spec), MovedUnit(spec.rows, spec.factor))
    return find_floors(spec.policy).raise_charge(charge)


def _try_run(curator: Curator, spec: CensusSpec, analyst: str | None) -> tuple[bool | None, tuple[str, ...]]:
    """Return whether who asks has paid for the same release before, and why a run would be refused.

    It is not known whether they have where it would be refused.
    """
    try:
        session = curator.session(analyst)
        declared = declare(prepare(session, spec))
        names = sorted({name for plan in declared.plans for name in find_tables(plan)})
        version = ";".join(f"{name}={find_version(spec.policy.table(name), curator.ledger)}" for name in names)
        measured = session.has_paid(Request(identify(declared, version), version, "", declared.kind))
        if not measured:
            curator.ledger.refuse_suspended(session.analyst)
    except LedgerError:
        raise
    except DiscreetError as error:
        return None, tuple(str(error).splitlines())
    return measured, ()


def _look_at_columns(spec: CensusSpec, tables: Mapping[str, Any] | None) -> tuple[str, ...]:
    """Return what is wrong with the table of a release for which there is no ledger yet."""
    try:
        with closing(Engines(spec.policy, tables)) as engines:
            check_columns(spec, engines.tables[spec.table.casefold()])
    except PolicyError as error:
        return tuple(str(error).splitlines())
    except DiscreetError as error:
        return (f"{spec.policy.path}: tables.{spec.table}: {error}",)
    return ()
