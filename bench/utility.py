"""How far answers are off, beside OpenDP and PipelineDP at the same price and the same bounds, in one run.

Run by `make bench`; alone: `.venv-peers/bin/python bench/utility.py [WORD...]` (only questions with these words). The
exit status is 1 where discreet errs clearly more than the better peer, or an interval holds the truth too rarely.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import ours
from cases import AGGREGATES, SOURCE, Case, cases, private_cases
from timing import markdown

ALLOWED = 1.05
"""The mean absolute error may be this much larger than the better peer's, and no more."""

RELEASES = 2_000
MANY = 10_000
"""Releases of one number without a key, where they are quick."""

SURE = 300
"""People under a private key from which on everybody keeps it; errors are compared there."""

COVERED = 20_000
CHUNK = 4_000
SLOW = ("mean", "median")
"""Aggregates whose intervals take long: without keys, one chunk of them is enough beside those by key."""

COUNTED = ("count", "sum")
BOOTSTRAP = 1_000


@dataclass(frozen=True)
class Cell:
    """Mean absolute errors in one case: ours (None where it is not answered yet), each peer's, and the ratio."""

    case: Case
    ours: float | None
    opendp: float
    pipelinedp: float
    ratio: tuple[float, float, float] | None

    @property
    def verdict(self) -> str:
        """Whether the ratio is within what is allowed, where its interval decides that."""
        if self.ratio is None:
            return "not answered yet"
        _, low, high = self.ratio
        return "met" if high <= ALLOWED else "MISSED" if low > ALLOWED else "undecided"


@dataclass(frozen=True)
class Covered:
    """How often intervals at 95 % held the truth."""

    case: Case
    inside: int
    total: int
    steps: float
    width: float
    error: float

    @property
    def share(self) -> float:
        """How many of them did."""
        return self.inside / self.total

    @property
    def asked(self) -> str:
        """What is asked of it."""
        if self.case.aggregate not in COUNTED:
            return ">= 94 %"
        return "95 to 96 %" if self.steps > 10 else ">= 95 %"

    @property
    def met(self) -> bool:
        """Whether that holds, but for three standard deviations of chance."""
        chance = 3 * np.sqrt(0.05 * 0.95 / self.total)
        low, high = (0.95, 0.96 if self.steps > 10 else 1.0) if self.case.aggregate in COUNTED else (0.94, 1.0)
        return bool(low - chance <= self.share <= high + chance)


def times(case: Case) -> int:
    """Return how often to release: every key is a release, and slow ones get no more than is asked."""
    keys = max(len(case.keys), 1)
    if case.private or (case.aggregate == "median" and keys > 1):
        return max(50, -(-RELEASES // keys))
    return RELEASES if keys > 1 or case.aggregate == "median" else MANY


def measure(case: Case) -> Cell:
    """Release many times with every library."""
    import peer_opendp
    import peer_pipelinedp

    rounds = times(case)
    peers = {
        name: min((errors(case, found) for found in peer.releases(case, rounds).values()), key=np.mean)
        for name, peer in (("opendp", peer_opendp), ("pipelinedp", peer_pipelinedp))
    }
    best = min(peers.values(), key=np.mean)
    found = ours.releases(case, rounds)
    mine = None if found is None else errors(case, found)
    return Cell(
        case,
        None if mine is None else float(np.mean(mine)),
        float(np.mean(peers["opendp"])),
        float(np.mean(peers["pipelinedp"])),
        None if mine is None else ratio(mine, best),
    )


def errors(case: Case, found: np.ndarray) -> np.ndarray:
    """Return each release's absolute error, averaged over its keys; no value is the middle of what it could be."""
    found = found if case.private else np.where(np.isnan(found), case.upper / 2, found)
    distances = np.abs(found - case.truths)
    if case.private:
        distances = distances[:, case.units >= SURE]
    averaged: np.ndarray = np.nanmean(distances, axis=1)
    return averaged


def ratio(mine: np.ndarray, best: np.ndarray) -> tuple[float, float, float]:
    """Return the ratio of mean errors with its bootstrap interval at 95 %."""
    if not best.any():
        whole = 1.0 if not mine.any() else np.inf
        return whole, whole, whole
    draw = np.random.default_rng(1)

    def means(each: np.ndarray) -> np.ndarray:
        return np.array([each[draw.integers(0, len(each), len(each))].mean() for _ in range(BOOTSTRAP)])

    with np.errstate(divide="ignore", invalid="ignore"):
        low, high = np.nanquantile(means(mine) / means(best), [0.025, 0.975])
    return float(mine.mean() / best.mean()), float(low), float(high)


def keep(case: Case) -> list[str]:
    """Return the share of keys that each library keeps, as a row."""
    import peer_opendp
    import peer_pipelinedp

    shares = {}
    for name, peer in (("opendp", peer_opendp), ("pipelinedp", peer_pipelinedp)):
        ways = {way: float(np.mean(kept)) for way, kept in peer.kept(case, 200).items()}
        way, share = max(ways.items(), key=lambda each: each[1])
        shares[name] = f"{share:.1%} ({way})"
    found = ours.releases(replace(case, aggregate="units"), 200)
    mine = "not answered yet" if found is None else f"{np.mean(~np.isnan(found)):.1%}"
    return [case.name, f"{len(case.keys)}", mine, shares["opendp"], shares["pipelinedp"]]


def chunks_of(case: Case) -> int:
    """Return how many chunks of releases to look at."""
    return 1 if case.aggregate in SLOW and case.key is None else COVERED // CHUNK


def cover(case: Case) -> tuple[Case, int, int, float, float, float]:
    """Count the intervals of one chunk that hold the truth."""
    return (case, *ours.coverage(case, CHUNK))


def coverage_cases() -> list[Case]:
    """Return what intervals are measured on: wide noise, without keys and by key."""
    kinds = (*AGGREGATES[:4], "deviation", "median")
    return [Case("adult", kind, "hours_per_week", 98, 0.05, key) for key in (None, "occupation") for kind in kinds]


def together(work: Callable[[Any], Any], tasks: Iterable[Any]) -> list[Any]:
    """Do the work on all cores, the order of the tasks kept."""
    with multiprocessing.get_context("fork").Pool(os.cpu_count()) as pool:
        return list(pool.imap(work, tasks))


def chosen(found: list[Case], words: list[str]) -> list[Case]:
    return [case for case in found if all(word in case.name for word in words)]


def compare(words: list[str]) -> tuple[str, bool]:
    """Return the table of errors, and whether nothing is missed."""
    cells: list[Cell] = together(measure, chosen(cases(), words))
    rows = [
        [
            cell.case.name,
            "-" if cell.ours is None else f"{cell.ours:.4g}",
            f"{cell.opendp:.4g}",
            f"{cell.pipelinedp:.4g}",
            "-" if cell.ratio is None else "**{:.2f}** [{:.2f}, {:.2f}]".format(*cell.ratio),
            cell.verdict,
        ]
        for cell in cells
    ]
    header = ["question", "discreet", "OpenDP", "PipelineDP", "ours / better [95 %]", f"<= {ALLOWED}"]
    return markdown(header, rows), all(cell.verdict != "MISSED" for cell in cells)


def covering(words: list[str]) -> tuple[str, bool]:
    """Return the table of intervals, and whether nothing is missed."""
    wanted = chosen(coverage_cases(), words)
    chunks = together(cover, [case for case in wanted for _ in range(chunks_of(case))])
    found = []
    for case in wanted:
        mine = [chunk for chunk in chunks if chunk[0] == case]
        inside, total = (sum(each[place] for each in mine) for place in (1, 2))
        width, error = (float(np.mean([each[place] for each in mine])) for place in (4, 5))
        found.append(Covered(case, inside, total, mine[0][3], width, error))
    rows = [
        [
            each.case.name,
            f"{each.total:,}",
            f"{each.share:.2%}",
            each.asked,
            "met" if each.met else "MISSED",
            f"{each.width:.4g}",
            f"{each.error:.4g}",
        ]
        for each in found
    ]
    header = ["question", "releases", "held the truth", "asked", "", "median width", "mean error"]
    return markdown(header, rows), all(each.met for each in found)


def sections(words: list[str]) -> Iterator[tuple[str, bool]]:
    """Yield the tables as they are done, and whether everything asked of each is met."""
    table, met = compare(words)
    yield (
        (
            "## Utility\n\n"
            f"Mean absolute error over at least {RELEASES:,} releases of each question (each key is one), beside\n"
            "OpenDP's measurements and PipelineDP's combiners on the same exact answers, at the same price, bounds\n"
            "and limits, the better of their noises; the ratio is to the better peer, with a bootstrap interval.\n"
            f"Whole numbers from 0 to a public bound; nobody is over the limits. {SOURCE}.\n\n{table}\n"
        ),
        met,
    )
    counts = [case for case in chosen(private_cases(), words) if case.aggregate == "count"]
    table = markdown(["question", "keys", "discreet", "OpenDP", "PipelineDP"], together(keep, counts))
    head = "Keys taken from the data, kept by a question for keys and counts of people (each peer's best way)"
    yield f"{head}:\n\n{table}\n", True
    table, met = covering(words)
    yield f"Intervals of discreet at 95 %, how often they held the truth:\n\n{table}\n", met


def report() -> str:
    """Return this file's part of the results."""
    return "\n".join(text for text, _ in sections([]))


if __name__ == "__main__":
    good = True
    for text, met in sections(sys.argv[1:]):
        print(text, flush=True)
        good = good and met
    raise SystemExit(0 if good else 1)
