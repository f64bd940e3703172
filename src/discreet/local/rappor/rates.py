"""From counts of noisy bits to how often each bit was set in the Bloom filters, with variances."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from discreet.base.errors import ParameterError
from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.local.client.rappor import Rappor


@dataclass(frozen=True, eq=False)
class BitRates:
    """How often each bit of each cohort was set, unbiased; a cohort without reports has infinite variances."""

    reports: Ints
    """The reports of each cohort."""
    shares: Floats
    """Of each cohort's reports, the share whose Bloom filter has the bit set: a line for each cohort."""
    variances: Floats

    @property
    def weights(self) -> Floats:
        """What each bit counts for: one over its variance; nothing, where there are no reports."""
        return 1 / self.variances


def estimate_rates(rappor: Rappor, counts: Ints) -> BitRates:
    """Return the rates that counts show: (v / n - p*) / (q* - p*) for v set bits of n reports.

    People fall into cohorts at random, so a set bit is a coin with the chance r = p* + (q* - p*) t, where t is the
    rate of the population, and the estimate's variance is r (1 - r) / (n (q* - p*)^2).
    """
    held = check_counts(rappor, counts)
    own, stray = float(rappor.set_if_true), float(rappor.set_if_false)
    reports = held[:, :1].astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        seen = np.where(reports > 0, held[:, 1:] / reports, stray)
        spread = np.clip(seen, min(own, stray), max(own, stray))
        variances = spread * (1 - spread) / (reports * (own - stray) ** 2)
    return BitRates(held[:, 0], (seen - stray) / (own - stray), variances)


def check_counts(rappor: Rappor, counts: object) -> Ints:
    """Return counts that reports can have: for each cohort how many there are, then how many set each bit."""
    shape = (rappor.cohorts, rappor.bits + 1)
    found = np.asarray(counts)
    if found.shape != shape:
        told = f"{shape[0]} lines of {shape[1]} numbers: each cohort's reports, then its count of every bit"
        raise ParameterError("counts", found.shape, told)
    if found.dtype.kind not in "iu":
        raise ParameterError("counts", str(found.dtype), "whole numbers")
    if found.min() < 0 or found.max() >= 1 << 53:
        raise ParameterError("counts", int(found.min() if found.min() < 0 else found.max()), "from 0 to 2^53")
    held = found.astype(np.int64)
    cohort, place = np.unravel_index(int(np.argmax(held[:, 1:] - held[:, :1])), (shape[0], rappor.bits))
    if held[cohort, place + 1] > held[cohort, 0]:
        told = f"at most {held[cohort, 0]}, the reports of cohort {cohort}: the first number of a line counts them"
        raise ParameterError(f"the count of bit {place}", int(held[cohort, place + 1]), told)
    if not held[:, 0].any():
        raise ParameterError("counts", 0, "of at least one report: there is nothing to decode")
    return held


def read_counts(rappor: Rappor, path: Path) -> Ints:
    """Return the counts of a file: a line for each cohort, its reports first."""
    with path.open(newline="", encoding="utf-8") as file:
        try:
            lines = [[int(cell) for cell in cells] for cells in csv.reader(file) if cells]
        except ValueError:
            raise ParameterError("the file of counts", path.name, "whole numbers, separated by commas") from None
    if len({len(line) for line in lines}) != 1:
        raise ParameterError("the file of counts", path.name, "lines of the same length, one for each cohort")
    return check_counts(rappor, np.array(lines, dtype=np.int64))


def read_parameters(path: Path) -> Rappor:
    """Return the mechanism of a parameter file: the names k, h, m, p, q, f, and below them their values."""
    with path.open(newline="", encoding="utf-8") as file:
        lines = [cells for cells in csv.reader(file) if cells]
    if len(lines) != 2 or [cell.strip() for cell in lines[0]] != ["k", "h", "m", "p", "q", "f"] or len(lines[1]) != 6:
        raise ParameterError("the file of parameters", path.name, "two lines: k,h,m,p,q,f and their values")
    try:
        whole, parts = [int(cell) for cell in lines[1][:3]], [float(cell) for cell in lines[1][3:]]
    except ValueError:
        raise ParameterError("the file of parameters", lines[1], "three whole numbers and three others") from None
    return Rappor.take(whole[0], whole[1], whole[2], parts[0], parts[1], parts[2])
