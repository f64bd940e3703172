"""Plans that operations declare: what they say about the data must be what the policy says."""

from __future__ import annotations

from discreet.base.errors import OperationError
from discreet.plan.bounded import BoundedPlan, Limits, Part
from discreet.plan.relations import list_scans
from discreet.plan.rows_plan import DeclaredPlan, RowsPlan
from discreet.privacy.neighbours import Neighbours
from discreet.query.catalog import Catalog

ON_GRIDS = (Part.SUM, Part.SQUARES, Part.PRODUCTS, Part.OUTSIDE, Part.RANKS, Part.QUANTILE)


def check_plan(plan: DeclaredPlan, catalog: Catalog) -> None:
    """Refuse a plan whose sensitivity would not be the one that its engine enforces under this policy.

    Engines keep a unit within the limits and the grids of a plan, whatever these are. What nobody enforces is how many
    units differ between neighbours (`factor`) and whether rows carry a unit (`units`): both follow from the policy.
    """
    if type(plan) not in (BoundedPlan, RowsPlan):
        raise OperationError(f"{type(plan).__name__} is no plan; take one from session.prepare or session.plan_rows")
    factor = 1 if catalog.policy.neighbours is Neighbours.ADD_REMOVE else 2
    scans = list_scans(plan.block)
    units = all(catalog.table(scan.table).table.unit is not None for scan in scans)
    if not scans or plan.factor != factor or plan.units != units:
        raise OperationError("this plan was not made for this policy: its neighbours or its units are others")
    if isinstance(plan, RowsPlan):
        limits = [plan.rows]
    else:
        limits = [each for chosen in plan.sets for each in _list_limits(chosen.limits)]
        if any(measure.part in ON_GRIDS and measure.grid is None for measure in plan.measures):
            raise OperationError("a measure of values has no grid; take plans from session.prepare")
    if not all(type(each) is int and each >= 1 for each in limits):
        raise OperationError("limits are whole numbers of at least 1; take plans from session.prepare")


def _list_limits(limits: Limits) -> tuple[int, int, int]:
    return limits.rows, limits.groups, limits.rows_per_group
