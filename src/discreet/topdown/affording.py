"""What a release asks of the budget: the operation that measures it, what that costs, and whether it fits. Free.

No private row is read: the ledger tells what is left, and the policy and the spec what a release costs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from discreet.base.errors import DiscreetError, LedgerError
from discreet.curator import Curator
from discreet.curator.door.operation import declare, identify
from discreet.curator.owner.versions import find_version
from discreet.curator.session import Session
from discreet.engines.engine import find_tables
from discreet.ledger import Request
from discreet.privacy.charges import Charge
from discreet.query.floors import find_floors
from discreet.topdown.measure.asked import AskedQuery, cost_asked
from discreet.topdown.measure.measurement import CensusMeasurement, prepare_measurement
from discreet.topdown.planning.budget_outlook import BudgetOutlook
from discreet.topdown.planning.noise import MovedUnit, plan_noise
from discreet.topdown.spec.census_spec import CensusSpec


def list_asked(spec: CensusSpec) -> list[AskedQuery]:
    """Return every measurement of a release, with its exact part of rho."""
    return [AskedQuery(draw.level, draw.query, draw.rho) for draw in plan_noise(spec).draws]


def prepare(session: Session, spec: CensusSpec) -> CensusMeasurement:
    """Return the operation that measures a release, or refuse what could not run: nothing is charged."""
    return prepare_measurement(session, spec.table, spec.area, spec.geography, spec.schema, list_asked(spec))


def foresee_charge(
    spec: CensusSpec, analyst: str | None = None, tables: Mapping[str, Any] | None = None
) -> BudgetOutlook:
    """Return whether a release fits what is left, of the whole budget and of who asks; nothing is charged."""
    charge = cost_release(spec)
    try:
        with Curator.open(spec.policy.path, analyst, tables, operator=True) as curator:
            budget = curator.budget
            own = tuple(share for share in budget.analysts if share.name == analyst)
            return BudgetOutlook(charge, (budget.total, *own), _is_measured(curator, spec, analyst))
    except LedgerError as trouble:
        return BudgetOutlook(charge, unknown=str(trouble))


def cost_release(spec: CensusSpec) -> Charge:
    """Return what a release is charged, from public facts alone: the policy's least, at least."""
    charge = cost_asked(list_asked(spec), MovedUnit(spec.rows, spec.factor))
    return find_floors(spec.policy).raise_charge(charge)


def _is_measured(curator: Curator, spec: CensusSpec, analyst: str | None) -> bool | None:
    """Say whether who asks has paid for the same release before; None where its table cannot be opened for it.

    Where the ledger has no census at all, no engine is opened for this.
    """
    kinds = (entry.body.get("kind") for entry in curator.ledger.entries() if entry.kind == "CHARGE")
    if CensusMeasurement.kind not in kinds:
        return False
    try:
        session = curator.session(analyst)
        declared = declare(prepare(session, spec))
        names = sorted({name for plan in declared.plans for name in find_tables(plan)})
        version = ";".join(f"{name}={find_version(spec.policy.table(name), curator.ledger)}" for name in names)
        return session.has_paid(Request(identify(declared, version), version, "", declared.kind))
    except LedgerError:
        raise
    except DiscreetError:
        return None
