"""Two engines' exact results side by side: the same whole numbers, or off by a grid step for each row of a curve."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor

from conformance.asking import Case
from conformance.data import ROWS
from discreet.engines.engines import Engines
from discreet.engines.result import ExactResult, GroupedSums
from discreet.plan.bounded import BoundedPlan
from support.hospital import bounded

AT_ONCE = 4
"""So many questions wait for a cluster at the same time."""


def ran(
    engines: dict[str, Engines], cases: Iterable[Case], at_once: int = 1
) -> dict[Case, tuple[BoundedPlan, ExactResult]]:
    """Return the plan and the exact numbers of every question."""

    def one(case: Case) -> tuple[BoundedPlan, ExactResult]:
        plan = bounded(engines[case.world], case.text).plan
        return plan, engines[case.world].run(plan).result()

    listed = list(cases)
    with ThreadPoolExecutor(at_once) as pool:
        return dict(zip(listed, pool.map(one, listed), strict=True))


def differences(
    one: dict[Case, tuple[BoundedPlan, ExactResult]], other: dict[Case, tuple[BoundedPlan, ExactResult]]
) -> Iterator[str]:
    """Say of which questions the plans or the numbers differ."""
    for case, (plan, exact) in one.items():
        told = f"{case.line}: {case.text}"
        found_plan, found = other[case]
        if plan != found_plan:
            yield f"{told}\n  other plans"
        elif not (_close(exact, found) if case.close else exact == found):
            yield f"{told}\n  {exact}\n  {found}"


def _close(one: ExactResult, other: ExactResult) -> bool:
    """Say whether all sums are within a grid step for each row; squares and products of points move further."""
    return all(_near(a, b) for a, b in zip(one.sets, other.sets, strict=True))


def _near(one: GroupedSums, other: GroupedSums) -> bool:
    pairs = zip(one.sums, other.sums, strict=True)
    return one.keys == other.keys and all(
        abs(x - y) <= ROWS for mine, theirs in pairs for x, y in zip(mine, theirs, strict=True)
    )
