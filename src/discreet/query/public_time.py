"""How long a question may take, from public facts alone: after that it is late, and who asks through a server knows.

Answers to untrusted people leave on a public schedule, so the time that they wait comes from the plan, the policy and
declared sizes. It is what all declared rows would take if units were as dear as the policy allows, halved (a bound on
the dearest rows is far above the usual ones), with room for starting, for noise and for others,
rounded up to a power of two. An owner whose machine is slow or busy declares more `patience`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from discreet.plan.bounded import BoundedPlan
from discreet.plan.relations import list_scans
from discreet.plan.rows_plan import DeclaredPlan
from discreet.policy.model import EngineKind, Policy
from discreet.query.work import RATES, list_work

USUAL_SIZE = 1_000_000
"""Rows of a table whose owner declared no size."""

STARTS = {EngineKind.DUCKDB: 0.5, EngineKind.POSTGRES: 0.5, EngineKind.SPARK: 10.0}
"""Seconds to plan, charge, begin and record, on a busy machine."""

CROWD = 2
"""How much longer a run takes while others run."""

CELL = 10e-6
"""Seconds for the noise and the interval of one released number."""

STEP = 0.25
"""Public times are this many seconds, doubled some times."""


def find_public_time(plans: Sequence[DeclaredPlan], policy: Policy) -> float:
    """Return the seconds after which a run of these plans is late."""
    whole = CROWD * float(policy.server.patience) * sum(_estimate(plan, policy) for plan in plans)
    return STEP * 2.0 ** max(0, math.ceil(math.log2(max(whole, STEP) / STEP)))


def _estimate(plan: DeclaredPlan, policy: Policy) -> float:
    tables = [policy.table(scan.table) for scan in list_scans(plan.block)]
    kinds = {policy.engine(table).kind for table in tables}
    rows = {facts.table: max(facts.rows, 1) for facts in plan.tables}
    units = max((math.ceil((each.size or USUAL_SIZE) / rows.get(each.name, 1)) for each in tables), default=1)
    work, start = list_work(plan), max((STARTS[kind] for kind in kinds), default=0.5)
    dearest = max((sum(each.time(RATES[kind]) for each in work) for kind in kinds), default=0.0)
    return start + units * dearest / 2e9 + CELL * _count_cells(plan)


def _count_cells(plan: DeclaredPlan) -> int:
    """Return how many numbers are released at most, as far as keys are public."""
    if not isinstance(plan, BoundedPlan):
        return 1
    groups = [1 if plan.selects(place) else plan.groups(place) for place in range(len(plan.sets))]
    return sum(groups) * max(len(plan.measures), 1)
