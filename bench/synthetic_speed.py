"""The speed of synthetic tables: ten rounds of parities on many columns, and passes over all cells beside plain numpy.

Alone: `.venv/bin/python bench/synthetic_speed.py`. Seconds are of the processor, so that what else runs does not count,
and there is one thread, since threads that wait for each other count too.

A round of parities scores all of them against the fit so far and fits what was measured, with the weight of the prior
chosen from the answers (`kappa`). Counted in full: the family is made, its exact answers are counted from the rows, and
ten rounds are scored and fitted. Exact answers stand for noisy ones, since noise takes no time here.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np
from numpy.typing import NDArray

from discreet.families import DenseTable, Domain, Parities, RowTable
from discreet.families.hadamard import transform
from discreet.families.passes import spread_all
from discreet.synthetic.fit.quotient import QuotientFit, fit_quotient
from families import butterflies
from timing import markdown

ROUNDS = 10
ROWS = 20_000
PARITIES = ((20, 3, 0.1), (100, 3, 1.0), (1000, 2, 15.0))
TABLES: tuple[tuple[tuple[int, ...], int], ...] = (((2,) * 18, 3), ((8,) * 6, 2), ((5, 3, 16, 10, 9, 7, 20), 2))
BITS = (18, 20, 22)
VARIANCE = 100.0


@dataclass
class Spent:
    """Seconds by step."""

    made: float = 0.0
    counted: float = 0.0
    scored: float = 0.0
    fitted: float = 0.0

    @property
    def total(self) -> float:
        """Return all of them."""
        return self.made + self.counted + self.scored + self.fitted


def make_rows(columns: int) -> RowTable:
    """Return rows of biased bits, of which some depend on others."""
    generator = np.random.default_rng(columns)
    bits = generator.random((columns, ROWS)) < generator.uniform(0.2, 0.8, (columns, 1))
    for place in range(1, columns, 3):
        bits[place] ^= bits[place - 1]
    return RowTable(Domain((2,) * columns), tuple(bits.astype(np.uint8)))


def run_rounds(columns: int, order: int) -> Spent:
    """Return what ten rounds took, by step."""
    rows, spent = make_rows(columns), Spent()
    clock = time.process_time()

    def lap() -> float:
        nonlocal clock
        before, clock = clock, time.process_time()
        return clock - before

    family = Parities.up_to(rows.domain, order)
    sets = family.list_sets()
    spent.made += lap()
    truth = family.join_answers(rows)
    spent.counted += lap()
    masks: list[int] = []
    answers: list[float] = []
    fit: QuotientFit | None = None
    for _ in range(ROUNDS):
        estimates = np.zeros(family.groups) if fit is None else fit.answer_sets(sets)
        gaps = np.abs(truth - estimates)
        gaps[0] = 0
        group = int(gaps.argmax())
        masks.append(family.masks[group])
        answers.append(float(truth[group]))
        spent.scored += lap()
        begin = None if fit is None else fit.theta
        fit = fit_quotient(columns, masks, np.array(answers), [VARIANCE] * len(masks), ROWS, start=begin)
        spent.fitted += lap()
    assert fit is not None
    if not fit.report.converged or not np.allclose([fit.answer(mask) for mask in masks], answers, atol=0.02 * ROWS):
        raise SystemExit(f"{columns} columns: the fit is not at what was measured")
    return spent


def report_parities() -> str:
    lines = []
    for columns, order, asked in PARITIES:
        runs = sorted((run_rounds(columns, order) for _ in range(3)), key=lambda each: each.total)
        best, middle = runs[0], runs[1]
        steps = [f"{each:.3f}" for each in (middle.made, middle.counted, middle.scored, middle.fitted, middle.total)]
        verdict = "yes" if middle.total < asked else f"NO (best {best.total:.3f})"
        lines.append([f"{columns}, <= {order}-way", *steps, f"{asked:g}", verdict])
    return markdown(["columns", "made", "counted", "scored", "fitted", "in all (s)", "asked", "met"], lines)


def find_seconds(work: Callable[[], Any], rounds: int = 3) -> float:
    """Return the least seconds of the processor."""
    found = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return min(found)


def spread_plainly(sizes: tuple[int, ...], tables: dict[tuple[int, ...], NDArray[Any]]) -> NDArray[Any]:
    """Return the sum of all tables over all cells, one after the other."""
    found = np.zeros(sizes)
    for columns, table in tables.items():
        found += table.reshape([size if place in columns else 1 for place, size in enumerate(sizes)])
    return found


def report_passes() -> str:
    lines = []

    def compare(what: str, plain: Callable[[], Any], ours: Callable[[], Any]) -> None:
        slow, fast = find_seconds(plain), find_seconds(ours, 9)
        lines.append([what, f"{slow:.4f}", f"{fast:.4f}", f"{slow / fast:.1f}", "yes" if slow >= 3 * fast else "NO"])

    for sizes, order in TABLES:
        domain = Domain(sizes)
        table = np.random.default_rng(3).random(sizes)
        sets = list(combinations(domain.columns, order))
        source = DenseTable(domain, table)
        tables = source.project_all(sets)

        def project(table: NDArray[Any] = table, sets: list[tuple[int, ...]] = sets) -> dict[Any, NDArray[Any]]:
            axes = range(table.ndim)
            return {each: table.sum(axis=tuple(place for place in axes if place not in each)) for each in sets}

        if not all(np.allclose(tables[each], found) for each, found in project().items()):
            raise SystemExit(f"{sizes}: the sums differ")
        if not np.allclose(spread_all(sizes, tables), spread_plainly(sizes, tables)):
            raise SystemExit(f"{sizes}: the spread differs")
        name = " x ".join(map(str, sizes)) if len(set(sizes)) > 1 else f"{sizes[0]}^{len(sizes)}"
        compare(f"{len(sets):,} sums of {name} cells", project, lambda s=source, w=sets: s.project_all(w))  # type: ignore[misc]
        compare(
            f"{len(sets):,} tables spread over {name}",
            lambda z=sizes, t=tables: spread_plainly(z, t),  # type: ignore[misc]
            lambda z=sizes, t=tables: spread_all(z, t),  # type: ignore[misc]
        )
    for bits in BITS:
        numbers = np.random.default_rng(bits).random(1 << bits)
        if not np.allclose(butterflies(numbers), transform(numbers)):
            raise SystemExit(f"2^{bits}: the transforms differ")
        compare(f"transform of 2^{bits}", lambda n=numbers: butterflies(n), lambda n=numbers: transform(n))  # type: ignore[misc]
    return markdown(["pass", "plain numpy (s)", "ours (s)", "times", "at least 3"], lines)


if __name__ == "__main__":
    for report in (report_parities, report_passes):
        print(report(), end="\n\n", flush=True)
