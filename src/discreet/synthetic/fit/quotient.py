"""The quotient form: parities of any number of columns, fitted on the span of the measured ones.

With a uniform prior, p_theta(x) is the uniform distribution times a function of the measured parities of x. They are
all products of a basis of r of them, whose values z (r bits) are uniform under the prior; so p_theta is given by
shares of 2^r values of z, and uniform among the rows x that have the same. Therefore, exactly and for any
number of columns:

- a parity in the span is an entry of the Walsh-Hadamard transform of p(z);
- a parity outside the span has mean 0;
- a random row is a random z, random bits in the columns without a pivot, and the bits that z then demands.

Basis parities that no measured parity connects are independent, and are fitted apart: what is limited is the rank of
one connected part, not how many parities were measured.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from discreet.base.errors import ParameterError
from discreet.base.grid import Floats
from discreet.families.domain import CellTable, ColumnSet, Domain
from discreet.families.family import Vector
from discreet.families.hadamard import transform
from discreet.synthetic.fit.kappa import count_determined, settle
from discreet.synthetic.fit.newton import TOLERANCE, FitReport, climb
from discreet.synthetic.fit.objective import LEAST_TOTAL, write_objective
from discreet.synthetic.fit.parity import ParityForm
from discreet.synthetic.fit.span import BitRows, Span, list_bits, unpack

MOST_RANK = 26
"""The rank of one connected part: its table has 2^rank cells."""


@dataclass(frozen=True, slots=True, eq=False)
class QuotientPart:
    """Connected parities of the basis, by place: the distribution of their values, and the means of their products."""

    places: list[int]
    shares: Floats
    parities: Floats


@dataclass(frozen=True, eq=False)
class QuotientFit:
    """A distribution on bits, known by its parities."""

    columns: int
    span: Span
    parts: tuple[QuotientPart, ...]
    theta: dict[int, float]
    report: FitReport
    determined: float
    """How many directions the answers determine better than the prior does: see `kappa`."""
    distance: float
    """KL(shares || prior), in nats."""

    @property
    def domain(self) -> Domain:
        """The columns, of two values each."""
        return Domain((2,) * self.columns)

    def answer(self, mask: int) -> float:
        """Return the expected parity of a mask, times the total."""
        residue, made = self.span.reduce(mask)
        return 0.0 if residue else float(self._multiply(unpack([made], self.span.rank))[0])

    def answer_sets(self, sets: NDArray[np.int64]) -> Floats:
        """Return the expected parities, times the total, of many sets: a line of columns each, filled up with -1."""
        residues, made = self._reduced
        found = np.zeros(len(sets))
        inside = np.flatnonzero(self._supported[sets].all(axis=1))
        lines = sets[inside]
        left, bits = residues[lines[:, 0]], made[lines[:, 0]]
        for place in range(1, lines.shape[1]):
            left = left ^ residues[lines[:, place]]
            bits = bits ^ made[lines[:, place]]
        spanned = ~left.any(axis=1)
        found[inside[spanned]] = self._multiply(bits[spanned])
        return found

    def project(self, columns: ColumnSet) -> CellTable:
        """Return the expected counts of these columns, from the parities of all their subsets."""
        if columns:
            self.domain.check_size(columns)
        masks = np.zeros(1, dtype=object)
        for place in columns:
            masks = np.stack([masks, masks ^ (1 << place)], axis=1).ravel()
        parities = np.array([self.answer(int(mask)) for mask in masks])
        return (transform(parities) / len(parities)).reshape((2,) * len(columns))

    def sample(self, rows: int, generator: np.random.Generator) -> BitRows:
        """Return random rows, a line of bits each. Rows are drawn from public numbers: any generator will do."""
        values = np.zeros((rows, self.span.rank), dtype=np.uint8)
        for part in self.parts:
            drawn = np.searchsorted(np.cumsum(part.shares), generator.random(rows), side="right")
            drawn = drawn.clip(0, len(part.shares) - 1)
            values[:, part.places] = drawn[:, None] >> np.arange(len(part.places)) & 1
        table = generator.integers(0, 2, size=(rows, self.columns), dtype=np.uint8)
        for pivot, row, made in self.span.list_equations():
            others = [place for place in list_bits(row) if place != pivot]
            wanted = np.bitwise_xor.reduce(values[:, list_bits(made)], axis=1)
            table[:, pivot] = wanted ^ np.bitwise_xor.reduce(table[:, others], axis=1)
        return table

    def _multiply(self, bits: BitRows) -> Floats:
        """Return the products of basis parities, by lines of bits, times the total."""
        found = np.full(len(bits), self.report.total)
        for part in self.parts:
            found *= part.parities[bits[:, part.places] @ (1 << np.arange(len(part.places)))]
        return found

    @cached_property
    def _supported(self) -> NDArray[np.bool_]:
        """Whether the basis looks at each column; the line at the end is for -1, no column."""
        return np.append(unpack([self.span.support], self.columns)[0], 1).astype(bool)

    @cached_property
    def _reduced(self) -> tuple[BitRows, BitRows]:
        """Each column reduced by the span: what is left, in the columns of the basis only, and what it is made of."""
        reduced = [
            self.span.reduce(1 << column) if self._supported[column] else (0, 0) for column in range(self.columns)
        ]
        residues = unpack([residue for residue, _ in reduced] + [0], self.columns)
        made = unpack([parts for _, parts in reduced] + [0], self.span.rank)
        return residues[:, self._supported[:-1]], made


def fit_quotient(
    columns: int,
    masks: Sequence[int],
    answers: Vector,
    variances: Sequence[float],
    total: float,
    kappa: float | None = None,
    start: Mapping[int, float] | None = None,
    tolerance: float = TOLERANCE,
) -> QuotientFit:
    """Return the estimate from the noisy parities of masks, in any order. `start` holds thetas of an earlier fit.

    `kappa` is how much the prior weighs; where it is left out, what the answers make most likely (see `kappa`).
    """
    if not all(0 <= mask < 1 << columns for mask in masks):
        raise ParameterError("masks", "a mask with other columns", f"masks of {columns} columns")
    if not len(masks) == len(answers) == len(variances):
        raise ParameterError("answers", len(answers), f"an answer and a variance for each of {len(masks)} masks")
    sums, weights = _merge(masks, answers, variances)
    span = Span(sorted(sums))
    problems = [_write_part(span, places, sums, weights) for places in span.find_components(sums)]

    def attempt(weight: float, earlier: QuotientFit | None) -> QuotientFit:
        begin = (start or {}) if earlier is None else earlier.theta
        theta: dict[int, float] = {}
        parts, reports, determined, distance = [], [], 0.0, 0.0
        for problem in problems:
            objective = write_objective(problem.answers, problem.variances, total, weight)
            thetas = np.array([begin.get(mask, 0.0) for mask in problem.masks])
            found, point, report = climb(problem.form, objective, thetas, tolerance)
            theta |= dict(zip(problem.masks, found.tolist(), strict=True))
            parts.append(QuotientPart(problem.places, point.shares, point.parities))
            reports.append(report)
            determined += count_determined(problem.form.few, objective, point)
            distance += max(float(found @ point.means) - point.log_z, 0.0)
        report = _join_reports(reports, max(float(total), LEAST_TOTAL), weight)
        return QuotientFit(columns, span, tuple(parts), theta, report, determined, distance)

    return settle(attempt) if kappa is None else attempt(kappa, None)


@dataclass(frozen=True, slots=True, eq=False)
class PartProblem:
    """What was measured of one connected part, and its form."""

    places: list[int]
    masks: list[int]
    answers: list[Floats]
    variances: list[float]
    form: ParityForm


def _write_part(span: Span, places: list[int], sums: Mapping[int, float], weights: Mapping[int, float]) -> PartProblem:
    if len(places) > MOST_RANK:
        raise ParameterError(
            "masks",
            f"{len(places)} connected parities of which none is a product of others",
            f"such that at most {MOST_RANK} are connected: their table has 2^{MOST_RANK} cells",
        )
    known = sum(1 << place for place in places)
    chosen = [mask for mask in sums if span.reduce(mask)[1] & known]
    local = unpack([span.reduce(mask)[1] for mask in chosen], span.rank)[:, places]
    form = ParityForm(len(places), local.astype(np.int64) @ (1 << np.arange(len(places))))
    answers = [np.array([sums[mask] / weights[mask]]) for mask in chosen]
    return PartProblem(places, chosen, answers, [1 / weights[mask] for mask in chosen], form)


def _merge(
    masks: Sequence[int], answers: Vector, variances: Sequence[float]
) -> tuple[dict[int, float], dict[int, float]]:
    """Return, for each distinct mask, the sum of its answers by inverse variance, and of the inverse variances.

    The mask of no columns is the total, which no distribution changes: it is left out.
    """
    sums: dict[int, float] = {}
    weights: dict[int, float] = {}
    for mask, answer, variance in zip(masks, answers.tolist(), variances, strict=True):
        if mask:
            sums[mask] = sums.get(mask, 0.0) + float(answer) / variance
            weights[mask] = weights.get(mask, 0.0) + 1 / variance
    return sums, weights


def _join_reports(reports: Sequence[FitReport], total: float, kappa: float) -> FitReport:
    """Return one report of parts that were fitted apart."""
    return FitReport(
        max((each.steps for each in reports), default=0),
        sum(each.products for each in reports),
        max((each.residual for each in reports), default=0.0),
        sum(each.gap for each in reports),
        all(each.converged for each in reports),
        kappa,
        total,
    )
