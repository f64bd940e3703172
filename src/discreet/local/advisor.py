"""The advisor: which mechanism suits a number of items, an epsilon and a size of reports, and why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.local.client import (
    ClientError,
    DirectResponse,
    HadamardBit,
    ItemMechanism,
    LocalHashing,
    ProjectiveResponse,
    SubsetSelection,
    UnaryEncoding,
)
from discreet.local.client.mechanism import count_bytes
from discreet.local.client.report import MOST_PAYLOAD

NEAR = 1.05
"""A mechanism errs about as little as the best one if its variance is at most so many times as large."""

MOST_WORK = 10**10
"""Steps of counting and decoding that one computer does in a minute or a few."""

MOST_COUNTS = 1 << 26

CALIBRATIONS: tuple[Callable[[float, int], ItemMechanism], ...] = (
    DirectResponse.calibrate,
    UnaryEncoding.calibrate,
    SubsetSelection.calibrate,
    ProjectiveResponse.calibrate,
    HadamardBit.calibrate,
    LocalHashing.calibrate,
)


@dataclass(frozen=True)
class Candidate:
    """A mechanism, and what speaks for or against it."""

    mechanism: ItemMechanism
    variance: float
    """The variance of the estimate of an absent item, times the number of reports."""
    bytes: int
    """Bytes of a report beside those that all mechanisms send: seed and payload."""
    work: int
    """About how many steps counting and decoding take."""
    against: str = ""
    """Why it was not chosen."""


@dataclass(frozen=True)
class Advice:
    """The mechanism to take, the reason in words, and all candidates, the chosen one first."""

    mechanism: ItemMechanism
    reason: str
    candidates: tuple[Candidate, ...]


def advise(epsilon: float, size: int, most_bytes: int | None = None, reports: int = 1_000_000) -> Advice:
    """Return which mechanism to take for some items: the least error first, then the shortest reports.

    All candidates have the same guarantee. Of those whose reports have at most `most_bytes`, and whose counting takes
    minutes at most, it is the one with the shortest reports among all that err about as little as the best of them.
    """
    check.integer("reports", reports, least=1)
    check.integer("size", size, least=2)
    limit = MOST_PAYLOAD if most_bytes is None else check.integer("most_bytes", most_bytes, least=1, most=MOST_PAYLOAD)
    found = [each for each in (_weigh(make, epsilon, size, reports) for make in CALIBRATIONS) if each is not None]
    able = [each for each in found if each.bytes <= limit and each.work <= MOST_WORK]
    if not able:
        fewest = min((each.bytes for each in found if each.work <= MOST_WORK), default=None)
        wanted = f"at least {fewest}" if fewest is not None else "left out, and fewer items: all take too long to count"
        raise ParameterError("most_bytes", most_bytes, wanted)
    least = min(each.variance for each in able)
    near = [each for each in able if each.variance <= NEAR * least]
    chosen = min(near, key=lambda each: (each.bytes, each.work, each.variance))
    others = [_argue(each, chosen, NEAR * least, limit) for each in found if each is not chosen]
    others.sort(key=lambda each: (each.variance, each.bytes))
    return Advice(chosen.mechanism, _explain(chosen, able, others), (chosen, *others))


def _weigh(
    calibrate: Callable[[float, int], ItemMechanism], epsilon: float, size: int, reports: int
) -> Candidate | None:
    """Return a candidate, or None where there is no such mechanism for so many items."""
    try:
        mechanism = calibrate(epsilon, size)
    except ClientError:
        if not 0 < epsilon <= 10:
            raise
        return None
    if mechanism.payload_size > MOST_PAYLOAD or mechanism.size > MOST_COUNTS:
        return None
    seed = count_bytes(mechanism.seeds - 1) if mechanism.seeds > 1 else 0
    return Candidate(mechanism, mechanism.variance(), seed + mechanism.payload_size, count_work(mechanism, reports))


def count_work(mechanism: ItemMechanism, reports: int) -> int:
    """Return about how many steps it takes to count some reports and to decode the counts."""
    if isinstance(mechanism, LocalHashing):
        return reports * mechanism.size
    if isinstance(mechanism, UnaryEncoding | SubsetSelection):
        return reports * mechanism.payload_size + mechanism.size
    if isinstance(mechanism, ProjectiveResponse):
        cells = int(mechanism.prime**mechanism.length)
        return reports + cells * cells.bit_length()
    if isinstance(mechanism, HadamardBit):
        return reports + mechanism.seeds * mechanism.seeds.bit_length()
    return reports + mechanism.size


def _argue(other: Candidate, chosen: Candidate, near: float, limit: int) -> Candidate:
    """Return a candidate with the reason why it was not chosen."""
    if other.bytes > limit:
        against = f"{other.bytes:,} bytes are too many"
    elif other.work > MOST_WORK:
        against = "takes too long to count"
    elif other.variance > near:
        against = f"errs {100 * ((other.variance / chosen.variance) ** 0.5 - 1):.3g} % more"
    else:
        against = "errs as little, and sends " + ("as much" if other.bytes == chosen.bytes else "more")
    return Candidate(other.mechanism, other.variance, other.bytes, other.work, against)


def _explain(chosen: Candidate, able: list[Candidate], others: list[Candidate]) -> str:
    """Say in words why a candidate was chosen."""
    best = min(able, key=lambda each: each.variance)
    sends = f"{chosen.bytes} byte{'s' if chosen.bytes > 1 else ''}"
    words = [f"{chosen.mechanism.kind}: it errs least of all that fit, and sends {sends} a report"]
    if best is not chosen:
        more = 100 * ((chosen.variance / best.variance) ** 0.5 - 1)
        words = [
            f"{chosen.mechanism.kind}: it errs {more:.1f} % more than {best.mechanism.kind}, the best, "
            f"and sends {sends} a report instead of {best.bytes:,}"
        ]
    kinds = {each.mechanism.kind for each in able}
    missed = [each for each in others if each.mechanism.kind not in kinds and each.variance * NEAR < chosen.variance]
    if missed:
        less = 100 * (1 - (missed[0].variance / chosen.variance) ** 0.5)
        words.append(f"{missed[0].mechanism.kind} would err {less:.0f} % less, but: {missed[0].against}")
    return "; ".join(words)
