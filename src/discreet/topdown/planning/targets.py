"""From wanted errors to shares of rho: the least rho that reaches them, in exact fractions.

Without a model every wanted error is that of the raw measurement, and the least rho is a sum: a query at a level needs
d^2 / (2 sigma^2) with the largest sigma that it allows. Shares are whole numbers of a common denominator, dealt out one
by one to whoever has least of what it needs: no other whole numbers need less rho in all (moving one from any of them
leaves somebody with a larger quotient of need and number).

With a model the estimates of a release err less than its measurements, so that less rho will do. Needs are then lowered
where an estimate is better than wanted, and raised where it is worse, until all are about as wanted; the least rho
that was seen to reach all of them is returned, so what is returned is reached, and never dearer than without.
"""

from __future__ import annotations

import heapq
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from typing import Any

from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.base.search import least_float
from discreet.base.showing import ShownAsText
from discreet.families.family import PARTITION
from discreet.policy.exact import write_number
from discreet.policy.problems import join_path
from discreet.topdown.planning.expected_errors import CensusPlan, ErrorModel, plan_errors
from discreet.topdown.planning.noise import plan_noise
from discreet.topdown.planning.rounded_variance import compute_rounded_variance
from discreet.topdown.spec.allocation import Allocation
from discreet.topdown.spec.census_spec import CensusSpec, Targets

DENOMINATOR = 4096
STEPS_OF_RHO = 10**6
"""A rho that is found is a whole number of such parts, rounded up."""

ROUNDS = 12
"""How often needs are corrected by what a model says."""

SURPLUS = 1 + 1e-6
"""By how much needs are raised beyond what would just do: rounding noise to whole numbers errs a little more."""

Needs = dict[tuple[int, str], Fraction]
"""What part of rho each query at each level needs."""


@dataclass(frozen=True, repr=False)
class TargetPlan(ShownAsText):
    """Shares of rho for wanted errors, and what they will lead to."""

    allocation: Allocation
    levels: tuple[str, ...]
    wanted: Targets
    plan: CensusPlan

    @property
    def rho(self) -> Fraction:
        """The least rho that reaches every wanted error in this way."""
        return self.allocation.rho

    def to_toml(self) -> str:
        """Return the sections of a census spec that say so: `[budget]` and `[levels]`."""
        delta = write_number(self.allocation.delta)
        lines = ["[budget]", f'rho = "{self.rho}"', f"delta = {delta}" if "/" not in delta else f'delta = "{delta}"']
        for name, share, queries in zip(self.levels, self.allocation.levels, self.allocation.queries, strict=True):
            lines += ["", f"[{join_path(['levels', name])}]", f'share = "{share}"']
            lines += [f"[{join_path(['levels', name, 'queries'])}]"] if queries else []
            lines += [f'{join_path([query])} = "{part}"' for query, part in queries.items()]
        return "\n".join(lines) + "\n"

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON values: exact numbers as texts."""
        return {
            "rho": str(self.rho),
            "levels": {
                name: {"share": str(share), "queries": {query: str(part) for query, part in queries.items()}}
                for name, share, queries in zip(
                    self.levels, self.allocation.levels, self.allocation.queries, strict=True
                )
            },
            "wanted": [[level, query, float(error)] for (level, query), error in self.wanted.items()],
            "plan": self.plan.to_dict(),
        }

    def __str__(self) -> str:
        return f"{self.plan}\n\n{self.to_toml()}"


def plan_targets(
    spec: CensusSpec,
    wanted: Targets | None = None,
    model: ErrorModel | None = None,
    denominator: int = DENOMINATOR,
    public: Container[tuple[int, str]] = (),
) -> TargetPlan:
    """Return the shares, and the least rho, with which each wanted error is reached; by default the spec's targets.

    Wanted are standard deviations of one answer, by the names of level and query. What nobody wants is not measured,
    nor what is `public` already, by place of a level and name.
    """
    wanted = spec.targets if wanted is None else wanted
    needs = {key: need for key, need in _find_needs(spec, wanted).items() if key not in public}
    if not needs:
        told = ", ".join(f"{level}/{query}" for level, query in wanted)
        raise ParameterError("targets", told, "some of numbers that are not public already: these have no error")
    parts = check.integer("denominator", denominator, least=1)
    best = _share_out(spec, needs, parts)
    if model is not None:
        best = _correct(spec, wanted, model, needs, parts, best)
    planned = plan_errors(replace(spec, allocation=best), model=model, public=public)
    return TargetPlan(best, tuple(level.name for level in spec.geography.levels), dict(wanted), planned)


def apportion(needs: Sequence[Fraction], total: int) -> list[int]:
    """Return whole numbers of at least 1 with this sum whose largest quotient of need and number is the least.

    >>> apportion([Fraction(3), Fraction(1)], 8)
    [6, 2]
    """
    if total < len(needs) or not needs or min(needs) <= 0:
        raise ParameterError("denominator", total, f"at least {len(needs)}: every share is above 0")
    numbers = [1] * len(needs)
    waiting = [(-need, place) for place, need in enumerate(needs)]
    heapq.heapify(waiting)
    for _ in range(total - len(needs)):
        _, place = waiting[0]
        numbers[place] += 1
        heapq.heapreplace(waiting, (-needs[place] / numbers[place], place))
    return numbers


def _find_needs(spec: CensusSpec, wanted: Targets) -> Needs:
    """Return what each wanted error needs of rho, if nothing else is measured."""
    if not wanted:
        raise ParameterError("targets", "nothing", "wanted errors by level and query, as in [targets.County] total = 5")
    moved = PARTITION.bound_l2_squared(spec.rows, spec.factor)
    needs: Needs = {}
    for (level, query), error in wanted.items():
        place, name = spec.geography.find_level(level), spec.find_query(query).name
        sigma = _find_sigma(level, query, error)
        needs[place, name] = Fraction(moved) / (2 * Fraction(sigma) ** 2)
    return needs


def _find_sigma(level: str, query: str, error: Fraction | float) -> float:
    """Return the largest sigma whose rounded noise has at most this deviation."""
    most = Fraction(check.real(f"targets.{level}.{query}", error, above=0, most=1e12)) ** 2
    sigma, _ = least_float(lambda each: each > 0 and compute_rounded_variance(each) > most)
    return sigma


def _share_out(spec: CensusSpec, needs: Mapping[tuple[int, str], Fraction], denominator: int) -> Allocation:
    """Return the shares of a common denominator with the least rho that gives each its need."""
    queries: list[dict[str, Fraction]] = []
    levels: dict[int, Fraction] = {}
    for place in range(len(spec.geography.levels)):
        names = [query.name for query in spec.queries if (place, query.name) in needs]
        inside = [needs[place, name] for name in names]
        numbers = apportion(inside, denominator) if inside else []
        queries.append({name: Fraction(number, denominator) for name, number in zip(names, numbers, strict=True)})
        if inside:
            levels[place] = max(need * denominator / number for need, number in zip(inside, numbers, strict=True))
    dealt = dict(zip(levels, apportion(list(levels.values()), denominator), strict=True))
    rho = max(need * denominator / dealt[place] for place, need in levels.items())
    shares = tuple(Fraction(dealt.get(place, 0), denominator) for place in range(len(queries)))
    rounded = Fraction(ceil(rho * STEPS_OF_RHO), STEPS_OF_RHO)
    return Allocation(rounded, spec.allocation.delta, shares, tuple(queries))


def _correct(
    spec: CensusSpec, wanted: Targets, model: ErrorModel, needs: Needs, denominator: int, best: Allocation
) -> Allocation:
    """Return the allocation of the least rho, of those tried, that a model says reaches every wanted error."""
    errors = {(spec.geography.find_level(level), query): float(error) for (level, query), error in wanted.items()}
    for _ in range(ROUNDS):
        ratios = _compare(spec, errors, model, _share_out(spec, needs, denominator))
        raised = Fraction((max(ratios.values()) * SURPLUS) ** 2)
        tried = _share_out(spec, {key: need * raised for key, need in needs.items()}, denominator)
        if tried.rho < best.rho and max(_compare(spec, errors, model, tried).values()) <= 1:
            best = tried
        needs = {key: need * Fraction(ratios[key]) ** 2 for key, need in needs.items()}
    return best


def _compare(
    spec: CensusSpec, errors: Mapping[tuple[int, str], float], model: ErrorModel, tried: Allocation
) -> dict[tuple[int, str], float]:
    """Return how many times the wanted error each estimate has, at most 2 and at least a half."""
    found = model(spec, plan_noise(replace(spec, allocation=tried)))
    return {key: min(max(found[key] / error, 0.5), 2.0) for key, error in errors.items()}
