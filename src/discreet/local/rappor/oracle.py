"""The collector's side of RAPPOR: reports of each cohort, and how many of them set each bit."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from discreet.base.wide import Ints
from discreet.local.client.rappor import SHARES, Rappor
from discreet.local.oracles.oracle import Batch, Counted, Oracle, find_padded, sum_bits, toss
from discreet.noise import bits
from discreet.noise.coin import Bools

AT_ONCE = 1 << 22
"""Bits that are tossed together."""


class RapporOracle(Oracle[Rappor]):
    """Counts, for each cohort, its reports and how many set each bit: a line of the reference's file of counts."""

    @property
    def shape(self) -> tuple[int, ...]:
        """A line for each cohort: its reports, then a count for each bit."""
        return (self.mechanism.cohorts, self.mechanism.bits + 1)

    def encode(self, values: Any) -> Batch:
        """Return a report for each text (as bytes), each of another person, who reports once."""
        texts = list(values)
        cohorts = choose_cohorts(self.mechanism.cohorts, len(texts))
        payloads = np.empty((len(texts), self.mechanism.payload_size), dtype=np.uint8)
        step = max(1, AT_ONCE // self.mechanism.bits)
        for start in range(0, len(texts), step):
            part = slice(start, start + step)
            noisy = add_noise(self.mechanism, set_bits(self.mechanism, texts[part], cohorts[part]))
            payloads[part] = np.packbits(noisy, axis=1, bitorder="little")
        return Batch(cohorts, payloads)

    def count(self, batch: Batch) -> Counted:
        """Return the counts of each cohort's sound reports."""
        mechanism = self.mechanism
        good = find_padded(batch.payloads, mechanism.bits) & (batch.seeds >= 0) & (batch.seeds < mechanism.cohorts)
        cohorts, payloads = batch.seeds[good], batch.payloads[good]
        counts = np.zeros(self.shape, dtype=np.int64)
        counts[:, 0] = np.bincount(cohorts, minlength=mechanism.cohorts)
        order, ends = np.argsort(cohorts, kind="stable"), np.cumsum(counts[:, 0])
        for cohort in np.flatnonzero(counts[:, 0]):
            own = order[ends[cohort] - counts[cohort, 0] : ends[cohort]]
            counts[cohort, 1:] = sum_bits(payloads[own], mechanism.bits)
        return Counted(counts, good)


def unpack(rappor: Rappor, batch: Batch) -> Bools:
    """Return the bits of reports, a line for each."""
    return np.unpackbits(batch.payloads, axis=1, count=rappor.bits, bitorder="little").view(bool)


def set_bits(rappor: Rappor, texts: Iterable[bytes], cohorts: Ints) -> Bools:
    """Return the Bloom filters of texts in cohorts; every text is hashed once for each cohort."""
    known: dict[tuple[bytes, int], tuple[int, ...]] = {}
    found = np.zeros((len(cohorts), rappor.bits), dtype=bool)
    for line, key in enumerate(zip(texts, cohorts.tolist(), strict=True)):
        if key not in known:
            known[key] = rappor.find_places(*key)
        found[line, known[key]] = True
    return found


def add_noise(rappor: Rappor, true: Bools) -> Bools:
    """Return noisy Bloom filters: permanent noise and a report's own, exact coins both."""
    chance = (1 << 64) // SHARES * rappor.f
    replaced, fair = toss(chance, true.size), toss(1 << 63, true.size)
    permanent = np.where(replaced, fair, true.reshape(-1))
    kept, strayed = toss(rappor.q, true.size), toss(rappor.p, true.size)
    return np.where(permanent, kept, strayed).reshape(true.shape)


def choose_cohorts(cohorts: int, count: int) -> Ints:
    """Return a cohort for each person, each equally likely."""
    limit = (1 << 64) - (1 << 64) % cohorts
    found = np.empty(count, dtype=np.int64)
    missing = np.arange(count)
    while len(missing):
        words = bits.words(len(missing))
        good = words <= np.uint64(limit - 1)
        found[missing[good]] = (words[good] % np.uint64(cohorts)).astype(np.int64)
        missing = missing[~good]
    return found
