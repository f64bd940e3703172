"""Frequencies of candidates, from counts of noisy bits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.base import check
from discreet.base.grid import Floats
from discreet.base.later import Later
from discreet.base.wide import Ints
from discreet.local.rappor.candidates import Candidates
from discreet.local.rappor.model import Design, Fit
from discreet.local.rappor.rates import estimate_rates
from discreet.local.rappor.regression import fit_frequencies
from discreet.local.rappor.selection import choose_model
from discreet.local.rappor.significance import find_freedom, find_p_values, find_quantile, find_significant
from discreet.noise.coin import Bools

linalg = Later("scipy.linalg")
special = Later("scipy.special")


@dataclass(frozen=True, eq=False)
class DecodedCandidates:
    """How frequent each candidate is in the population that reports come from.

    `raw` is a candidate's least-squares estimate together with all `modelled` ones; it is not bounded. Where all
    candidates are modelled it is unbiased, given that hashes are random. Where there are too many for that, those that
    the non-negative lasso selects are modelled, and so it is where none of the others is frequent.
    `consistent` is what is not negative and adds up to at most 1: better to look at, and biased.
    """

    names: tuple[str, ...]
    reports: int
    confidence: float
    raw: Floats
    errors: Floats
    """The standard errors of `raw`; infinite for a candidate whose bits are those of modelled ones."""
    p_values: Floats
    """How likely an estimate this high would be for a candidate that nobody has."""
    consistent: Floats
    modelled: Bools
    total: float
    """The sum of the frequencies of all modelled candidates."""
    total_error: float
    misfit: float
    """How many times more rates vary around the model than noise explains: far above 1, frequent texts are missing."""
    rows_apart: int
    """Bits that only texts which are not listed explain; they are left out."""
    shift: float
    """How far one malicious report moves a modelled estimate at most, and k of them k times as much, while the same
    rows and candidates are chosen. One that makes a row be left out, or taken back, can move it by much more."""

    @property
    def unallocated(self) -> float:
        """The share of reports of which no modelled candidate is the text."""
        return 1 - self.total

    @property
    def low(self) -> Floats:
        """Where each candidate's own interval begins."""
        return self.raw - find_quantile(self.confidence) * self.errors

    @property
    def high(self) -> Floats:
        """Where each candidate's own interval ends."""
        return self.raw + find_quantile(self.confidence) * self.errors

    @property
    def all_low(self) -> Floats:
        """Where the intervals begin that hold all frequencies at once."""
        return self.raw - find_quantile(self.confidence, len(self.raw)) * self.errors

    @property
    def all_high(self) -> Floats:
        """Where the intervals end that hold all frequencies at once."""
        return self.raw + find_quantile(self.confidence, len(self.raw)) * self.errors

    @property
    def detectable(self) -> float:
        """The least frequency that is significant (Bonferroni, at one less the confidence) half of the times."""
        return float(-special.ndtri((1 - self.confidence) / len(self.raw)) * np.median(self.errors))

    def find_significant(self, level: float = 0.05, control: str = "bonferroni") -> Bools:
        """Say which candidates are there at all: "bonferroni" or "fdr" (see `significance`)."""
        return find_significant(self.p_values, level, control)


def decode(candidates: Candidates, counts: Ints, confidence: float = 0.95) -> DecodedCandidates:
    """Return how frequent each candidate is, given each cohort's reports and counts of its bits."""
    check.confidence(confidence)
    rates = estimate_rates(candidates.rappor, counts)
    fit = choose_model(Design.build(candidates, rates))
    count = len(fit.chosen)
    raw, errors = _add_others(fit)
    raw[fit.chosen] = fit.estimates[:count]
    errors[fit.chosen] = np.sqrt(fit.variances[:count])
    consistent, modelled = np.zeros(len(candidates)), np.zeros(len(candidates), dtype=bool)
    consistent[fit.chosen] = fit_frequencies(fit.gram, fit.gram @ fit.estimates)[:count]
    modelled[fit.chosen] = True
    freedom = find_freedom(fit.misfit, candidates.rappor.hashes * int(np.count_nonzero(rates.reports)))
    return DecodedCandidates(
        candidates.names,
        int(rates.reports.sum()),
        float(confidence),
        raw,
        errors,
        find_p_values(raw, errors, freedom),
        consistent,
        modelled,
        float(fit.estimates[:count].sum()),
        float(np.sqrt(fit.total_variance)),
        fit.misfit,
        int(np.count_nonzero(~fit.kept)),
        _find_shift(fit),
    )


def _add_others(fit: Fit) -> tuple[Floats, Floats]:
    """Return each candidate's estimate and standard error if it were added, alone, to those that are modelled."""
    design, residual = fit.design, fit.residual * fit.kept
    products, squares = design.correlate(residual), design.sum_squares(fit.kept.astype(np.float64))
    explained = np.zeros(len(design.candidates))
    if len(fit.gram):
        root = linalg.cholesky(fit.gram, lower=True)
        within = linalg.solve_triangular(root, (fit.columns * fit.kept[:, None]).T, lower=True)
        scaled, flat = (within * design.scales).T, within @ (design.scales * design.background)
        for part, block in design.candidates.write_blocks():
            explained[part] = ((block @ scaled - flat) ** 2).sum(axis=1)
    left = squares - explained
    alone = left > 1e-7 * squares.max()
    left = np.where(alone, left, 1.0)
    raw, kept = np.where(alone, products / left, 0.0), fit.kept.astype(np.float64)
    after = design.sum_squares(residual**2) - 2 * raw * design.sum_powers(3, residual)
    after += raw**2 * design.sum_powers(4, kept)
    errors = np.sqrt(np.maximum(max(1.0, fit.misfit), after / left) / left)
    return raw, np.where(alone, errors, np.inf)


def _find_shift(fit: Fit) -> float:
    """Return how far one report moves an estimate: it changes all bits of its cohort, as it likes."""
    rappor = fit.design.candidates.rappor
    reach = np.abs(fit.influence * fit.design.scales).reshape(-1, rappor.cohorts, rappor.bits).sum(axis=2)
    single = np.maximum(fit.design.reports, 1) * abs(float(rappor.set_if_true - rappor.set_if_false))
    return float((reach / single)[: len(fit.chosen)].max(initial=0.0))
