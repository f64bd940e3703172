"""Two variables at once: how often texts of two lists go together, from pairs of reports."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.base.grid import Floats
from discreet.base.later import Later
from discreet.local.client import OTHER
from discreet.local.oracles.oracle import Batch
from discreet.local.rappor.candidates import Candidates
from discreet.local.rappor.decoding import decode
from discreet.local.rappor.mixture import find_covariance, fit_mixture
from discreet.local.rappor.oracle import RapporOracle, unpack
from discreet.local.rappor.rates import estimate_rates
from discreet.local.rappor.significance import find_quantile

special = Later("scipy.special")

MOST_CELLS = 1600


@dataclass(frozen=True, eq=False)
class Association:
    """How often texts of two lists go together: the likeliest joint distribution, with standard errors.

    Each list ends with all other texts. Standard errors are those of large numbers of reports, for frequencies that
    are not near 0.
    """

    first: tuple[str, ...]
    second: tuple[str, ...]
    reports: int
    confidence: float
    frequencies: Floats
    """A line for each text of the first list, a column for each of the second; they add up to 1."""
    errors: Floats
    missing: float
    """What the log-likelihood lacks of its maximum at most."""
    p_value: float
    """How likely a gain in likelihood over two independent variables would be this large, were they independent."""

    @property
    def low(self) -> Floats:
        """Where each pair's own interval begins."""
        return np.maximum(self.frequencies - find_quantile(self.confidence) * self.errors, 0.0)

    @property
    def high(self) -> Floats:
        """Where each pair's own interval ends."""
        return np.minimum(self.frequencies + find_quantile(self.confidence) * self.errors, 1.0)


def associate(
    first: Candidates, second: Candidates, batches: tuple[Batch, Batch], confidence: float = 0.95
) -> Association:
    """Return how often texts of two lists go together (Fanti, Pihur, Erlingsson 2016, by EM).

    Line i of both batches is of one person. Pairs of which one report is not sound are left out.
    """
    check.confidence(confidence)
    if len(batches[0]) != len(batches[1]):
        raise ParameterError("batches", [len(each) for each in batches], "as many first reports as second ones")
    cells = (len(first) + 1) * (len(second) + 1)
    if cells > MOST_CELLS:
        raise ParameterError("candidates", cells, f"at most {MOST_CELLS} pairs of texts: list the frequent ones alone")
    good = RapporOracle(first.rappor).count(batches[0]).good & RapporOracle(second.rappor).count(batches[1]).good
    if not good.any():
        raise ParameterError("batches", 0, "of at least one pair of sound reports")
    left, right = (
        find_likelihoods(candidates, Batch(batch.seeds[good], batch.payloads[good]))
        for candidates, batch in zip((first, second), batches, strict=True)
    )
    joint = fit_mixture(left, right)
    apart = [fit_mixture(each, np.ones((len(each), 1))) for each in (left, right)]
    gain = joint.log_likelihood - sum(each.log_likelihood + each.missing for each in apart)
    variances = np.diag(find_covariance(left, right, joint.frequencies)).reshape(joint.frequencies.shape)
    return Association(
        (*first.names, OTHER),
        (*second.names, OTHER),
        int(good.sum()),
        float(confidence),
        joint.frequencies,
        np.sqrt(np.maximum(variances, 0.0)),
        joint.missing,
        float(special.chdtrc(len(first) * len(second), max(0.0, 2 * gain))),
    )


def find_likelihoods(candidates: Candidates, batch: Batch) -> Floats:
    """Return how likely each report is under each candidate and under all other texts, over that of an empty filter.

    A candidate's bits are set with the chance q* instead of p*. Other texts set each bit as often as the reports show
    when the candidates' share is taken away, drawn towards the background as far as that is uncertain.
    """
    rappor = candidates.rappor
    own, stray = float(rappor.set_if_true), float(rappor.set_if_false)
    bits, count = unpack(rappor, batch).astype(np.float64), len(candidates)
    rows = candidates.write_columns(np.arange(count)).reshape(rappor.cohorts, rappor.bits, count)
    chances = stray + (own - stray) * _find_others(candidates, batch).reshape(rappor.cohorts, rappor.bits)
    found = np.empty((len(bits), count + 1))
    for cohort in np.unique(batch.seeds):
        lines = np.flatnonzero(batch.seeds == cohort)
        seen, columns = bits[lines], rows[cohort]
        ones = seen @ columns
        missed = columns.sum(axis=0) - ones
        found[lines, :count] = ones * np.log(own / stray) + missed * np.log((1 - own) / (1 - stray))
        other = chances[cohort]
        found[lines, count] = seen @ np.log(other / stray) + (1 - seen) @ np.log((1 - other) / (1 - stray))
    return np.asarray(np.exp(found - found.max(axis=1, keepdims=True)))


def _find_others(candidates: Candidates, batch: Batch) -> Floats:
    """Return how often texts that are not listed set each row."""
    counts = RapporOracle(candidates.rappor).count(batch).counts
    frequencies = decode(candidates, counts).consistent
    rates, background = estimate_rates(candidates.rappor, counts), candidates.background
    share = max(1 - float(frequencies.sum()), 1e-6)
    left = rates.shares.reshape(-1) - candidates.write_columns(np.arange(len(candidates))) @ frequencies
    spread = background * (1 - background)
    trust = spread / (spread + rates.variances.reshape(-1) / share**2)
    return np.clip(background + trust * (left / share - background), 0.0, 1.0)
