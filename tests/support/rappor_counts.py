"""Counts that RAPPOR's collector would have, drawn at once for any number of people."""

from __future__ import annotations

import numpy as np

from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.local.rappor.candidates import Candidates


def draw_counts(
    candidates: Candidates, frequencies: Floats, people: int, generator: np.random.Generator, others: int = 1
) -> Ints:
    """Return counts of people who have candidates with these frequencies, and else one of some unlisted texts.

    A bit's count is the sum of two binomials, given how many people of the cohort set it.
    """
    rappor, listed = candidates.rappor, np.flatnonzero(frequencies)
    rows = candidates.write_columns(listed).reshape(rappor.cohorts, rappor.bits, len(listed))
    chances = np.append(frequencies[listed], np.full(others, max(0.0, 1 - frequencies.sum()) / others))
    counts = np.zeros((rappor.cohorts, rappor.bits + 1), dtype=np.int64)
    counts[:, 0] = generator.multinomial(people, np.full(rappor.cohorts, 1 / rappor.cohorts))
    for cohort, reports in enumerate(counts[:, 0]):
        unlisted = np.zeros((rappor.bits, others))
        for hashed in generator.integers(0, rappor.bits, (rappor.hashes, others)):
            unlisted[hashed, np.arange(others)] = 1
        sizes = generator.multinomial(reports, chances / chances.sum())
        true = (np.concatenate([rows[cohort], unlisted], axis=1) @ sizes).astype(np.int64)
        kept = generator.binomial(true, float(rappor.set_if_true))
        counts[cohort, 1:] = kept + generator.binomial(reports - true, float(rappor.set_if_false))
    return counts


def fall(count: int, present: int, mass: float = 1.0) -> Floats:
    """Return frequencies that fall by a tenth from one candidate to the next, and are 0 beyond the present ones."""
    found = np.where(np.arange(count) < present, 0.9 ** np.arange(count), 0.0)
    return np.asarray(found / found.sum() * mass)
