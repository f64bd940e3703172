"""The errors that synthetic tables are held against: the public reference's and the baselines', on public tables.

    DISCREET_DATA=folder .venv/bin/python bench/synthetic_reference.py [--seeds 10] [--charged] [--flat] [SECTION...]

Sections: `ranges`, `raw` (ranges again, a cell a cc), `contingency`, `nltcs`, `adult`; without one, all but `raw`. Each
number is a mean over the seeds with its standard error. `--charged` lets the reference spend what it says instead of
what it costs; `--flat` asks intervals of the cells in one line instead of boxes in two dimensions, as experiments with
the reference did. Everything takes the exact total as public and hides one replaced row, at pure epsilon unless
said. What is measured, and by whom, is said in synthetic_data.py, synthetic_mwem.py, synthetic_baselines.py and
synthetic_errors.py, whose own checks run first.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np

import synthetic_baselines as baselines
import synthetic_errors as errors
import synthetic_mwem as mwem
from synthetic_data import (
    CONTINGENCY,
    RANGES,
    RAW,
    Cells,
    Numbers,
    load_adult,
    load_contingency,
    load_nltcs,
    load_ranges,
)
from timing import markdown

Maker = Callable[[float, np.random.Generator], Numbers]
"""Makes a table for an epsilon; the counts are its own."""

RANGE_EPSILONS = (0.0125, 0.025, 0.1, 0.5)
TABLE_EPSILONS = (0.1, 0.3, 1.0, 3.0, 10.0)
BIG_EPSILONS = (0.1, 1.0, 10.0)
DELTA = 1e-9
OF_REFERENCE, OF_BASELINE = 0.6, 1.15
"""How much of the reference's squared error on ranges is allowed, and of the better baseline's."""

NLTCS_STATED = {0.1: 0.266, 1.0: 0.237, 10.0: 0.237}
"""Mean total variation of the reference that the goals state; it is that over marginals of exactly three columns."""

MST_STATED = {0.1: 0.926, 1.0: 0.269, 10.0: 0.203}
EXACT_STATED = 0.343


def measure(maker: Maker, score: Callable[[Numbers], tuple[float, ...]], epsilon: float, seeds: int) -> Numbers:
    """Return a line of errors for each seed."""
    return np.array([score(maker(epsilon, np.random.default_rng(seed))) for seed in range(seeds)])


def list_range_makers(cells: Cells, questions: mwem.Ranges, honest: bool = True) -> dict[str, Maker]:
    """Return who answers ranges: the reference, asked the same ranges, then the baselines."""
    counts = cells.counts
    makers: dict[str, Maker] = {
        "reference": lambda epsilon, random: mwem.run(questions, counts, epsilon, random, honest=honest)
    }
    if counts.ndim == 1:
        prefixes = mwem.list_prefixes(len(counts))
        makers["its prefixes"] = lambda epsilon, random: mwem.run(prefixes, counts, epsilon, random, honest=honest)
    makers["histogram"] = lambda epsilon, random: baselines.make_histogram(counts, epsilon, random)
    makers["tree"] = lambda epsilon, random: baselines.make_tree(counts, epsilon, random)
    if counts.ndim == 2:
        makers["tree, 3 x 3"] = lambda epsilon, random: baselines.make_tree(counts, epsilon, random, fan_out=3)
    return makers


def list_table_makers(cells: Cells, honest: bool = True) -> dict[str, Maker]:
    """Return who makes tables of bits: the reference from parities of at most three, then the baselines."""
    counts = cells.counts
    parities = mwem.Parities(counts.ndim, errors.WAYS)
    marginals = baselines.list_marginals(counts)
    return {
        "reference": lambda epsilon, random: mwem.run(parities, counts, epsilon, random, honest=honest),
        "histogram": lambda epsilon, random: baselines.make_histogram(counts, epsilon, random),
        "independent": lambda epsilon, random: baselines.multiply(
            baselines.make_independent(marginals, epsilon, random)
        ),
    }


def score_ranges(questions: mwem.Ranges, truth: Numbers, found: Numbers) -> tuple[float]:
    """Return the mean squared error of the ranges."""
    return (errors.find_squared(questions, truth, found),)


def score_table(truth: Numbers, found: Numbers) -> tuple[float, float, float, float, float]:
    """Return KL, the largest and mean total variation of all marginals up to three columns, and of exactly three."""
    three = errors.find_distance(truth, found)
    return errors.find_divergence(truth, found), *errors.find_variations(truth, found), three / 2, three


def show(found: Numbers) -> str:
    """Return a mean with its standard error."""
    mean = float(np.mean(found))
    if not np.isfinite(mean) or len(found) < 2:
        return f"{mean:.4g}"
    return f"{mean:.4g} ± {np.std(found, ddof=1) / np.sqrt(len(found)):.1g}"


def compare_ranges(names: tuple[str, ...], seeds: int, honest: bool, flat: bool) -> str:
    """Return the table of ranges: mean squared errors, and what the goals allow."""
    columns = ("reference", "its prefixes", "histogram", "tree", "tree, 3 x 3")
    lines = []
    for name in names:
        cells = load_ranges(name)
        cells = cells.flatten() if flat and cells.counts.ndim > 1 else cells
        questions = mwem.draw_ranges(cells.counts.shape)
        uniform = np.full(cells.counts.shape, cells.total / cells.counts.size)
        nothing = errors.find_squared(questions, cells.counts, uniform)

        for epsilon in RANGE_EPSILONS:
            found = {
                who: measure(maker, partial(score_ranges, questions, cells.counts), epsilon, seeds)[:, 0]
                for who, maker in list_range_makers(cells, questions, honest).items()
            }
            best = min(found[who].mean() for who in ("histogram", "tree"))
            allowed = min(OF_REFERENCE * found["reference"].mean(), OF_BASELINE * best)
            shown = [show(found[who]) if who in found else "" for who in columns]
            lines.append([cells.name, f"{epsilon:g}", *shown, f"{nothing:.4g}", f"{allowed:.4g}"])
    return markdown(["2000 ranges, mean squared error", "epsilon", *columns, "uniform", "allowed"], lines)


def compare_tables(tables: list[Cells], epsilons: tuple[float, ...], seeds: int, honest: bool) -> str:
    """Return the table of contingency tables: KL and total variations."""
    lines = []
    for cells in tables:
        for epsilon in epsilons:
            for who, maker in list_table_makers(cells, honest).items():
                found = measure(maker, partial(score_table, cells.counts), epsilon, seeds)
                stated = NLTCS_STATED[epsilon] if cells.name == "nltcs" and who == "reference" else ""
                lines.append([cells.name, f"{epsilon:g}", who, *(show(column) for column in found.T), f"{stated}"])
    measures = ["KL", "max TV, <= 3", "mean TV, <= 3", "mean TV, 3", "mean L1/n, 3", "stated TV, 3"]
    header = ["table", "epsilon", "who", *measures]
    return markdown(header, lines)


def compare_adult(seeds: int) -> str:
    """Return the table of independent columns on Adult: mean L1/n over all marginals of three columns.

    The stated figures are those of drawn rows, it seems: as many rows drawn from the exact one-ways come near them.
    """
    rows = load_adult()
    exact = baselines.list_marginals(rows)

    def score(marginals: list[Numbers]) -> float:
        return errors.find_distance_of(rows, lambda columns: baselines.multiply([marginals[each] for each in columns]))

    def draw(random: np.random.Generator) -> float:
        drawn = [random.choice(len(marginal), rows.total, p=marginal / rows.total) for marginal in exact]
        return errors.find_distance_of(rows, replace(rows, values=np.stack(drawn, axis=1)).project)

    noiseless = score(exact)
    sampled = np.array([draw(random) for random in map(np.random.default_rng, range(seeds))])
    lines = []
    for epsilon in BIG_EPSILONS:
        pure, gaussian = np.array(
            [
                (
                    score(baselines.make_independent(exact, epsilon, random)),
                    score(baselines.make_gaussian(exact, epsilon, DELTA, random)),
                )
                for random in map(np.random.default_rng, range(seeds))
            ]
        ).T
        stated = [f"{EXACT_STATED}", f"{MST_STATED[epsilon]}"]
        lines.append([f"{epsilon:g}", show(pure), show(gaussian), f"{noiseless:.4f}", show(sampled), *stated])
    header = ["adult, epsilon", "independent, pure", f"independent, delta {DELTA:g}", "exact one-ways", "sampled"]
    return markdown([*header, "stated exact", "stated MST"], lines)


def list_sections(wanted: list[str], seeds: int, honest: bool, flat: bool) -> Iterator[str]:
    """Yield the tables as they are done."""
    makers: dict[str, Callable[[], str]] = {
        "ranges": lambda: compare_ranges(RANGES, seeds, honest, flat),
        "raw": lambda: compare_ranges((RAW,), seeds, honest, flat),
        "contingency": lambda: compare_tables(
            [load_contingency(name) for name in CONTINGENCY], TABLE_EPSILONS, seeds, honest
        ),
        "nltcs": lambda: compare_tables([load_nltcs()], BIG_EPSILONS, seeds, honest),
        "adult": lambda: compare_adult(seeds),
    }
    unknown = sorted(set(wanted) - set(makers))
    if unknown:
        raise SystemExit(f"{', '.join(unknown)}: these sections exist: {', '.join(makers)}")
    for name in wanted or [name for name in makers if name != "raw"]:
        begin = time.perf_counter()
        table = makers[name]()
        yield f"## {name}\n\n{table}\n\n{seeds} seeds, {time.perf_counter() - begin:.0f} s\n"


def main() -> None:
    parser = argparse.ArgumentParser(description="errors of the public reference and of baselines")
    parser.add_argument("sections", nargs="*")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--charged", action="store_true")
    parser.add_argument("--flat", action="store_true")
    asked = parser.parse_args()
    for part in (mwem, baselines, errors):
        part.check()
    for section in list_sections(asked.sections, asked.seeds, not asked.charged, asked.flat):
        print(section, flush=True)


if __name__ == "__main__":
    main()
