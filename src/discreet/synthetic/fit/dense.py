"""The dense form: a distribution as a table of all cells, up to 2^26 of them.

A pass takes each distinct column set once, however many measurements look at it. Memory: the logarithms, a step's
change of them, the probabilities and one or two tables to work in.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from discreet.base.errors import ParameterError
from discreet.base.grid import Floats
from discreet.families.domain import CellTable, ColumnSet, DenseTable, Domain
from discreet.families.passes import spread_all
from discreet.synthetic.fit.cells import MeasuredCells, take_cells
from discreet.synthetic.fit.contrasts import Contrast
from discreet.synthetic.fit.dealing import deal_cells
from discreet.synthetic.fit.kappa import count_determined, settle
from discreet.synthetic.fit.newton import TOLERANCE, FitForm, FitReport, Scaling, climb, scale_each
from discreet.synthetic.fit.objective import Measured
from discreet.synthetic.fit.parity import ParityForm, TiltedBits
from discreet.synthetic.fit.questions import Questions, ThetaKey, write_questions

MOST_ENTRIES = 1 << 24
"""Entries of the matrix of all questions by all cells, where it is written out."""

MOST_TABLE = 1 << 22
"""Cells that a strategy measures one by one. Tables of up to 2^26 cells can be fitted; noise on each would be all."""

MOST_WORK = 1 << 28
"""Multiplications that a whole covariance may take."""


@dataclass(frozen=True, slots=True, eq=False)
class DenseFit:
    """A fitted table: shares that add up to 1, the thetas that made it, and how the fit ended."""

    domain: Domain
    shares: CellTable
    theta: dict[ThetaKey, Floats]
    report: FitReport
    determined: float
    """How many directions the answers determine better than the prior does: see `kappa`."""
    distance: float
    """KL(shares || prior), in nats."""

    def project(self, columns: ColumnSet) -> CellTable:
        """Return the expected counts of these columns: shares times the total."""
        return np.asarray(DenseTable(self.domain, self.shares).project(columns) * self.report.total)

    def sample(self, rows: int, generator: np.random.Generator) -> NDArray[np.int64]:
        """Return rows, a line of values each, in random order: each cell as often as its share says, rounded."""
        cells = deal_cells(self.shares.reshape(1, -1), np.zeros(rows, dtype=np.int64), generator)
        return np.stack(np.unravel_index(cells, self.domain.sizes), axis=1)


def fit_dense(
    domain: Domain,
    measured: Sequence[Measured],
    total: float,
    kappa: float | None = None,
    prior: CellTable | None = None,
    start: Mapping[ThetaKey, Floats] | None = None,
    tolerance: float = TOLERANCE,
) -> DenseFit:
    """Return the estimate from these measurements, in any order; without measurements, the prior.

    `kappa` is how much the prior weighs; where it is left out, what the answers make most likely (see `kappa`).
    `prior` holds public weights, none negative (uniform where there is none). `start` holds the thetas of an earlier
    fit with the same first measurements: a warm start reaches the same optimum sooner.
    """
    domain.check_size()
    logarithms = None if prior is None else take_logarithms(domain, prior)

    def attempt(weight: float, earlier: DenseFit | None) -> DenseFit:
        begin = (start or {}) if earlier is None else earlier.theta
        return _fit_at(domain, measured, total, weight, logarithms, begin, tolerance)

    return settle(attempt) if kappa is None else attempt(kappa, None)


def _fit_at(
    domain: Domain,
    measured: Sequence[Measured],
    total: float,
    kappa: float,
    logarithms: CellTable | None,
    start: Mapping[ThetaKey, Floats],
    tolerance: float,
) -> DenseFit:
    """Return the estimate at one kappa."""
    cells, others = take_cells(domain, measured, total, kappa)
    questions = write_questions(domain, measured, others)
    objective = questions.write_objective(total, kappa)
    form = _choose_form(questions, logarithms, cells)
    theta, point, report = climb(form, objective, questions.join(start), tolerance)
    shares = point.shares.reshape(domain.sizes)
    determined = count_determined(form.few, objective, point) + (cells.count_determined(shares) if cells else 0.0)
    return DenseFit(domain, shares, questions.split(theta), report, determined, _find_distance(shares, logarithms))


def _find_distance(shares: CellTable, logarithms: CellTable | None) -> float:
    """Return KL(shares || prior)."""
    prior = -math.log(shares.size) if logarithms is None else logarithms
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = shares * (np.log(shares) - prior)
    return max(float(terms.sum(where=shares > 0)), 0.0)


def take_logarithms(domain: Domain, prior: CellTable) -> CellTable:
    """Return the logarithms of a prior's shares, minus infinity where it has none."""
    weights = np.asarray(prior, dtype=np.float64)
    if weights.shape != domain.sizes or not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
        raise ParameterError("prior", weights.shape, f"weights >= 0 of shape {domain.sizes}, not all 0")
    with np.errstate(divide="ignore"):
        logarithms = np.log(weights / weights.max())
    logarithms -= math.log((weights / weights.max()).sum())
    return np.asarray(logarithms)


def _choose_form(
    questions: Questions, logarithms: CellTable | None, cells: MeasuredCells | None
) -> FitForm[TiltedTable | TiltedBits]:
    """Return the form for some questions: where all are parities of bits, that of parities."""
    sizes = questions.domain.sizes
    if cells is not None or set(sizes) != {2} or not all(isinstance(each, Contrast) for each in questions.groups):
        return DenseForm(questions, logarithms, cells)
    masks = [sum(1 << (len(sizes) - 1 - place) for place in each.columns) for each in questions.groups]
    return ParityForm(len(sizes), np.array(masks, dtype=np.int64), None if logarithms is None else logarithms.ravel())


class DenseForm:
    """Distributions as tables of all cells."""

    def __init__(self, questions: Questions, logarithms: CellTable | None, cells: MeasuredCells | None = None) -> None:
        self.questions = questions
        self.cells = cells
        self._logarithms = logarithms

    @property
    def few(self) -> bool:
        """Whether the matrix of all questions by all cells is small enough to be written out."""
        answers, cells = self.questions.answers, self.questions.domain.cells
        return answers * cells <= MOST_ENTRIES and answers**2 * cells <= MOST_WORK

    @cached_property
    def matrix(self) -> Floats:
        """All questions by all cells, written out."""
        return self.questions.write_matrix()

    def spread(self, theta: Floats) -> Floats:
        """Return the table of the exponents Q^T theta."""
        return spread_all(self.questions.domain.sizes, self.questions.spread_back(theta))

    def tilt(self, exponents: Floats) -> TiltedTable:
        """Return the distribution proportional to prior * exp(exponents): all in logarithms, nothing overflows."""
        if self._logarithms is None:
            tilted = exponents - math.log(self.questions.domain.cells)
        else:
            tilted = exponents + self._logarithms
        if self.cells is not None:
            shares, slopes, log_z = self.cells.tilt(tilted)
            return TiltedTable(self, shares, slopes, log_z)
        top = float(tilted.max())
        tilted -= top
        np.exp(tilted, out=tilted)
        total = float(tilted.sum())
        tilted /= total
        return TiltedTable(self, tilted, tilted, top + math.log(total))


class TiltedTable:
    """A distribution as a table, with means and covariances of the questions.

    `slopes` say how fast each share grows with its exponent, before all are scaled to add up to 1: the shares
    themselves, or less where cells were measured. Covariances are those under the slopes.
    """

    def __init__(self, form: DenseForm, shares: CellTable, slopes: CellTable, log_z: float) -> None:
        self._form = form
        self.shares = shares
        self.log_z = log_z
        self._slopes = slopes
        self._mass = float(slopes.sum())
        self._tables = self._project(shares)
        self.means = form.questions.answer(self._tables)

    def _project(self, table: CellTable) -> dict[ColumnSet, CellTable]:
        return DenseTable(self._form.questions.domain, table).project_all(self._form.questions.column_sets)

    @cached_property
    def _slope_tables(self) -> dict[ColumnSet, CellTable]:
        return self._tables if self._slopes is self.shares else self._project(self._slopes)

    @cached_property
    def _slope_means(self) -> Floats:
        return self._form.questions.answer(self._slope_tables) / self._mass

    def multiply(self, values: Floats) -> Floats:
        """Return the covariances times values: by one pass out and one back."""
        table = self._form.spread(values)
        table -= float(values @ self._slope_means)
        table *= self._slopes
        return self._form.questions.answer(self._project(table))

    def find_variances(self) -> Floats:
        """Return the variance of each question, or something near it."""
        return self._form.questions.answer_squares(self._slope_tables) - self._mass * self._slope_means**2

    def write_scaling(self, slack: Floats) -> Scaling:
        """Return what scales each question by its own variance."""
        return scale_each(self.find_variances(), slack)

    def find_covariance(self) -> Floats:
        """Return the covariances, from the matrix of questions less their means."""
        centred = self._form.matrix - self._slope_means[:, None]
        return np.asarray((centred * self._slopes.ravel()) @ centred.T)
