"""The collector's side of RAPPOR for texts that nobody listed: their three parts, and counts of the whole texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from discreet.base.errors import ParameterError
from discreet.local.client import RapporStrings
from discreet.local.client.rappor_strings import PARTS
from discreet.local.oracles.oracle import Batch, Counted, Oracle
from discreet.local.rappor.oracle import RapporOracle, add_noise, choose_cohorts, set_bits
from discreet.noise.coin import Bools


class RapporStringsOracle(Oracle[RapporStrings]):
    """Counts the reports of whole texts, as `RapporOracle` does: candidates can be decoded from these.

    Texts that nobody listed cannot: which fragments go together shows in the reports themselves (`find_strings`).
    """

    @property
    def shape(self) -> tuple[int, ...]:
        """A line for each cohort: its reports, then a count for each bit of the whole texts."""
        return RapporOracle(self.mechanism.part).shape

    def encode(self, values: Any) -> Batch:
        """Return a report for each text (as bytes), each of another person, who reports once."""
        return encode_strings(self.mechanism, list(values))

    def count(self, batch: Batch) -> Counted:
        """Return the counts of whole texts; a report counts if all its parts are sound."""
        good = find_sound(self.mechanism, batch)
        whole = Batch(batch.seeds[good] % self.mechanism.cohorts, batch.payloads[good, : self._width])
        return Counted(RapporOracle(self.mechanism.part).count(whole).counts, good)

    @property
    def _width(self) -> int:
        return self.mechanism.part.payload_size


def encode_strings(mechanism: RapporStrings, texts: Sequence[bytes]) -> Batch:
    """Return a report for each text, each of another person, who reports once: for simulations."""
    seeds = choose_cohorts(mechanism.seeds, len(texts))
    chosen = [mechanism.choose_parts(text, mechanism.split(seed)[0]) for text, seed in zip(texts, seeds, strict=True)]
    cohorts = seeds % mechanism.cohorts
    parts = [
        add_noise(mechanism.part, set_bits(mechanism.part, [each[number] for each in chosen], cohorts))
        for number in range(PARTS)
    ]
    packed = [np.packbits(noisy, axis=1, bitorder="little") for noisy in parts]
    return Batch(seeds, np.concatenate(packed, axis=1))


def find_sound(mechanism: RapporStrings, batch: Batch) -> Bools:
    """Say which reports have a seed that there is, and no bit set beyond the last of a part."""
    oracle, width = RapporOracle(mechanism.part), mechanism.part.payload_size
    if batch.payloads.shape[1:] != (PARTS * width,):
        raise ParameterError("batch", batch.payloads.shape[1:], f"payloads of {PARTS * width} bytes")
    nobody = np.zeros(len(batch), dtype=np.int64)
    parts = [oracle.count(Batch(nobody, each)).good for each in np.split(batch.payloads, PARTS, axis=1)]
    return parts[0] & parts[1] & parts[2] & (batch.seeds >= 0) & (batch.seeds < mechanism.seeds)
