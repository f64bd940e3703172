"""Frequencies of candidates, from counts of noisy bits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.base import check
from discreet.base.grid import Floats
from discreet.base.later import Later
from discreet.base.wide import Ints
from discreet.local.oracles.oracle import Bools
from discreet.local.rappor.candidates import Candidates
from discreet.local.rappor.rates import Rates, estimate_rates
from discreet.local.rappor.regression import Design, drop_dependent, fit_frequencies, select
from discreet.local.rappor.significance import find_p_values, find_quantile, find_significant

linalg = Later("scipy.linalg")
special = Later("scipy.special")

ROOM = 0.5
"""Of the rows, the share that frequencies may be fitted to at once: more candidates are first selected from."""


@dataclass(frozen=True, eq=False)
class Decoded:
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
    shift: float
    """How far one malicious report moves an estimate at most; k of them move it by k times as much."""

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


def decode(candidates: Candidates, counts: Ints, confidence: float = 0.95) -> Decoded:
    """Return how frequent each candidate is, given each cohort's reports and counts of its bits.

    Standard errors are the largest of three: those of the noise and of the people sampled into cohorts; these times
    the root of the misfit; and those that the residuals of a candidate's own rows show (MacKinnon, White 1985, "HC2"),
    so that a frequent text which is not listed lends no significance to candidates that share some of its bits.
    """
    check.confidence(confidence)
    rates = estimate_rates(candidates.rappor, counts)
    design = Design.build(candidates, rates)
    modelled = _choose_modelled(design)
    columns = design.write_columns(modelled)
    independent = drop_dependent(columns.T @ columns)
    modelled, columns = modelled[independent], columns[:, independent]
    gram = columns.T @ columns
    root = linalg.cholesky(gram, lower=True) if len(gram) else gram
    inverse = linalg.cho_solve((root, True), np.eye(len(gram))) if len(gram) else gram
    influence = inverse @ columns.T
    estimates = influence @ design.target
    residual = design.target - columns @ estimates
    misfit = float(residual @ residual) / max(1, design.used - len(modelled))
    variances = inverse + _add_sampling(design, rates, modelled, estimates, influence)
    inflation = max(1.0, misfit)
    leverage = np.einsum("ij,ji->i", columns, influence)
    seen = influence**2 @ (residual**2 / np.maximum(1 - leverage, 0.05))
    raw, errors = _add_others(design, residual, columns, root, inflation)
    raw[modelled] = estimates
    errors[modelled] = np.sqrt(np.maximum(np.diag(variances) * inflation, seen))
    consistent = np.zeros(len(candidates))
    consistent[modelled] = fit_frequencies(gram, columns.T @ design.target)
    flags = np.zeros(len(candidates), dtype=bool)
    flags[modelled] = True
    return Decoded(
        candidates.names,
        int(rates.reports.sum()),
        float(confidence),
        raw,
        errors,
        find_p_values(raw, errors),
        consistent,
        flags,
        float(estimates.sum()),
        float(np.sqrt(variances.sum() * inflation)),
        misfit,
        _find_shift(design, rates, influence),
    )


def _choose_modelled(design: Design) -> Ints:
    """Return all candidates where rows are plenty, else those that the lasso selects."""
    count, most = len(design.candidates), int(ROOM * design.used)
    if count <= most:
        return np.arange(count)
    return select(design, float(-special.ndtri(1 / count)), most)


def _add_sampling(design: Design, rates: Rates, modelled: Ints, estimates: Floats, influence: Floats) -> Floats:
    """Return what people's falling into cohorts at random adds to the covariance of estimates.

    Bits i and j of one report's Bloom filter have the covariance P(i and j) - P(i) P(j): the same people set both bits
    of a text. A rate's own variance has this part already; here are the covariances of different bits.
    """
    bits = design.candidates.rappor.bits
    rows = design.candidates.write_columns(modelled)
    held = np.clip(estimates, 0.0, 1.0)
    found = np.zeros((len(modelled), len(modelled)))
    for cohort, reports in enumerate(rates.reports):
        if reports:
            part = slice(cohort * bits, (cohort + 1) * bits)
            own = rows[part]
            joint = (own * held) @ own.T - np.outer(own @ held, own @ held)
            np.fill_diagonal(joint, 0.0)
            weighed = influence[:, part] * design.scales[part]
            found += weighed @ joint @ weighed.T / reports
    np.fill_diagonal(found, np.maximum(np.diag(found), 0.0))
    return found


def _add_others(
    design: Design, residual: Floats, columns: Floats, root: Floats, inflation: float
) -> tuple[Floats, Floats]:
    """Return each candidate's estimate and standard error if it were added, alone, to those that are modelled."""
    products = design.correlate(residual)
    squares = design.sum_squares(np.ones(design.candidates.rows))
    explained = np.zeros(len(design.candidates))
    if columns.shape[1]:
        within = linalg.solve_triangular(root, columns.T, lower=True)
        scaled, flat = (within * design.scales).T, within @ (design.scales * design.background)
        for part, block in design.candidates.write_blocks():
            explained[part] = ((block @ scaled - flat) ** 2).sum(axis=1)
    left = squares - explained
    alone = left > 1e-7 * squares
    left = np.where(alone, left, 1.0)
    seen = design.sum_squares(residual**2) / left
    errors = np.sqrt(np.maximum(inflation, seen) / left)
    return np.where(alone, products / left, 0.0), np.where(alone, errors, np.inf)


def _find_shift(design: Design, rates: Rates, influence: Floats) -> float:
    """Return how far one report moves an estimate: it changes all bits of its cohort, as it likes."""
    rappor = design.candidates.rappor
    reach = np.abs(influence * design.scales).reshape(len(influence), rappor.cohorts, rappor.bits).sum(axis=2)
    single = np.maximum(rates.reports, 1) * abs(float(rappor.set_if_true - rappor.set_if_false))
    return float((reach / single).max(initial=0.0))
