"""How far a release will be off, query by query and level by level, before it is paid for: nothing is read.

What is known without data is the noise. A raw measurement errs by the deviation of its own noise. What is published
is estimated from all measurements together and errs less; an `ErrorModel` says by how much, where one is given.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite, sqrt
from typing import Any, Protocol

from discreet.base.showing import ShownAsText
from discreet.policy.exact import write_number
from discreet.topdown.planning.budget_outlook import BudgetOutlook
from discreet.topdown.planning.noise import CensusNoise, PlannedDraw, plan_noise
from discreet.topdown.spec.allocation import write_epsilon, write_rho
from discreet.topdown.spec.census_spec import CensusSpec

Deviations = Mapping[tuple[int, str], float]
"""Standard deviations of one answer, by the place of a level and the name of a query."""


class ErrorModel(Protocol):
    """Says how far estimates from all measurements of a release err: the seam for generalised least squares."""

    def __call__(self, spec: CensusSpec, noise: CensusNoise) -> Deviations:
        """Return the deviation of the estimate of one answer of each query at each level, measured there or not.

        Where answers or areas of one level differ, the largest; infinite where measurements do not determine them. It
        falls when any noise falls.
        """


@dataclass(frozen=True)
class PlannedError:
    """What is expected of one query at one level."""

    level: str
    areas: int
    """Those that stand in for a level that was skipped are not counted."""
    query: str
    answers: int
    rho: Fraction
    """Its exact part of rho; 0 where it is not measured."""
    sigma: float | None
    raw: float | None
    """The standard deviation of one measured answer, rounding included."""
    estimated: float | None
    """That of its estimate from all measurements, where a model says it and they determine it."""
    is_public: bool = False
    """Whether public numbers fix every answer in every one of these areas: a part of rho for it buys nothing."""
    stand_ins: int = 0
    """Areas that stand in for the level where it is skipped, and are measured with it: of these nothing is public."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON values: exact numbers as texts."""
        return {
            "level": self.level,
            "areas": self.areas,
            "query": self.query,
            "answers": self.answers,
            "rho": str(self.rho),
            "sigma": self.sigma,
            "raw": self.raw,
            "estimated": self.estimated,
            "public": self.is_public,
        }


@dataclass(frozen=True, repr=False)
class CensusPlan(ShownAsText):
    """What a release costs and how far it will be off: free, from public facts alone."""

    rho: Fraction
    spent: Fraction
    """What the noise loses of rho exactly: scales are rounded up, so at most all of it."""
    delta: Fraction
    epsilon: float
    """Certified, at that delta."""
    errors: tuple[PlannedError, ...]
    guarantee: tuple[str, ...] = ()
    budget: BudgetOutlook | None = None
    """Whether it fits what is left, where that was looked up."""
    note: str = ""
    """What else is to be known before a run."""

    def find(self, level: str, query: str) -> PlannedError:
        """Return what is expected of a query at a level."""
        return next(each for each in self.errors if (each.level, each.query) == (level, query))

    @property
    def wasted(self) -> tuple[PlannedError, ...]:
        """What is measured although it is public already."""
        return tuple(each for each in self.errors if each.is_public and each.rho)

    @property
    def undetermined(self) -> dict[str, list[str]]:
        """By level, the queries that no measurement determines, where a model says so: they have no margins."""
        found: dict[str, list[str]] = {}
        if any(each.estimated is not None for each in self.errors):
            for each in self.errors:
                if each.estimated is None:
                    found.setdefault(each.level, []).append(each.query)
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON values: exact numbers as texts."""
        return {
            "rho": str(self.rho),
            "spent": str(self.spent),
            "wasted": str(sum((each.rho for each in self.wasted), Fraction(0))),
            "delta": str(self.delta),
            "epsilon": self.epsilon,
            "errors": [each.to_dict() for each in self.errors],
            "undetermined": self.undetermined,
            "guarantee": list(self.guarantee),
            "budget": None if self.budget is None else self.budget.to_dict(),
            "note": self.note or None,
        }

    def __str__(self) -> str:
        epsilon = write_epsilon(self.epsilon)
        head = f"rho {write_rho(self.rho)}: epsilon {epsilon} at delta {write_number(self.delta)}, certified"
        shown = [each for each in self.errors if each.raw is not None or each.estimated is not None]
        before = [str(each) for each in (self.budget, self.note and f"note: {self.note}") if each]
        lines = [head, *before, "", *write_errors(shown, self.rho)]
        for level, queries in self.undetermined.items():
            where = f"no measurement determines {', '.join(queries)} in every area of {level}"
            lines += ["", f"{where}: published without margins where none does"]
        lines += ["", *write_wasted(self.wasted, self.rho)] if self.wasted else []
        return "\n".join([*lines, *(["", *self.guarantee] if self.guarantee else [])])


def plan_errors(
    spec: CensusSpec,
    noise: CensusNoise | None = None,
    model: ErrorModel | None = None,
    public: Container[tuple[int, str]] = (),
) -> CensusPlan:
    """Return what a release of this spec costs and how far it will be off; nothing is charged.

    `public` are those queries, by place of their level and name, that public numbers answer already.
    """
    noise = plan_noise(spec) if noise is None else noise
    estimated = {} if model is None else model(spec, noise)
    found = []
    for place, level in enumerate(spec.geography.levels):
        for query in spec.queries:
            draw: PlannedDraw | None = noise.find(place, query.name)
            found.append(
                PlannedError(
                    level.name,
                    int((~spec.spine.stand_ins[place]).sum()),
                    query.name,
                    query.size,
                    Fraction(0) if draw is None else draw.rho,
                    None if draw is None else draw.sigma,
                    None if draw is None else sqrt(draw.variance),
                    _take_finite(estimated.get((place, query.name))),
                    (place, query.name) in public,
                    int(spec.spine.stand_ins[place].sum()),
                )
            )
    certified = noise.certify(spec.allocation.delta).high
    return CensusPlan(spec.allocation.rho, noise.spent, spec.allocation.delta, certified, tuple(found), spec.guarantee)


def write_wasted(wasted: Sequence[PlannedError], rho: Fraction) -> list[str]:
    """Say which part of rho is spent on what is public already, and what to do about it."""
    share = sum((each.rho for each in wasted), Fraction(0)) / rho
    return [
        f"{float(share):.2%} of rho buys nothing: what it measures is public already, by the invariants",
        *(f"  {each.level} / {each.query}: {float(each.rho / rho):.2%}{_describe_rest(each)}" for each in wasted),
        "  take these queries out of the spec: give their shares to others, which then err less, or lower rho by them",
    ]


def write_errors(errors: list[PlannedError], rho: Fraction) -> list[str]:
    """Return a table of expected errors as lines of text: standard deviations of one answer."""
    with_estimates = any(each.estimated is not None for each in errors)
    heads = ["level", "areas", "query", "answers", "share of rho", "raw error", "estimate's"]
    rows = [
        [
            each.level,
            f"{each.areas:,}",
            each.query,
            f"{each.answers:,}",
            f"{float(each.rho / rho):.3%}",
            _show_error(each.raw),
            _show_error(each.estimated),
        ]
        for each in errors
    ]
    lines = [row if with_estimates else row[:-1] for row in [heads, *rows]]
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    left = (0, 2)
    return [
        "  ".join(
            text.ljust(width) if column in left else text.rjust(width)
            for column, (text, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]


def _take_finite(deviation: float | None) -> float | None:
    """Return a deviation, or None where measurements do not determine the answers."""
    return deviation if deviation is not None and isfinite(deviation) else None


def _describe_rest(error: PlannedError) -> str:
    """Say what a part of rho still buys where some areas only stand in for the level."""
    if not error.stand_ins:
        return ""
    return (
        f", which buys one more count of {error.stand_ins:,} that skip{'s' if error.stand_ins == 1 else ''} the level"
    )


def _show_error(deviation: float | None) -> str:
    return "-" if deviation is None else f"{deviation:,.2f}"
