"""The estimate over a whole tree: seconds and memory by the number of the smallest areas.

Alone: `.venv/bin/python bench/topdown_gls.py 1000 10000`. The schema is that of the redistricting tables of 2020: 8 x 2
x 2 x 63 cells and eleven queries at each level. Values, noise around generated counts, lie in files. Each size runs in
a process of its own, with one thread; seconds are of the processor, and memory is the process's most, what it looked at
of the files included, beside what it began with.
"""

from __future__ import annotations

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from discreet.topdown.estimate.level_values import add_rows
from discreet.topdown.estimate.tree_fit import fit_readings
from discreet.topdown.estimate.tree_model import model_tree
from discreet.topdown.readings import LevelReading
from discreet.topdown.spec.geography import Geography, Level
from discreet.topdown.spec.queries import Query, QueryPart
from discreet.topdown.spec.schema import Attribute, CensusSchema
from timing import markdown

SHAPE = {"facility": 8, "adult": 2, "hispanic": 2, "race": 63}
SCHEMA = CensusSchema(tuple(Attribute(name, tuple(range(size))) for name, size in SHAPE.items()))
INSTITUTIONS = (0, 1, 1, 1, 1, 2, 2, 2)
SIZES = (1_000, 2_000)


def list_queries() -> list[Query]:
    """Return the eleven queries of the redistricting tables."""
    whole = {name: QueryPart(place, tuple(range(size))) for place, (name, size) in enumerate(SHAPE.items())}
    asked = [
        "", "race", "hispanic", "adult", "facility", "hispanic race", "adult race", "adult hispanic",
        "adult hispanic race", "facility adult hispanic race",
    ]  # fmt: skip
    queries = [Query(names or "total", SCHEMA, tuple(whole[name] for name in names.split())) for names in asked]
    return [*queries, Query("institutions", SCHEMA, (QueryPart(0, INSTITUTIONS),))]


def make_geography(leaves: int, generator: np.random.Generator) -> Geography:
    """Return a tree of five levels: some 33 smallest areas to a group, three groups to a tract, ten tracts a county."""
    counts = [1, max(1, leaves // 990), max(1, leaves // 99), max(1, leaves // 33), leaves]
    levels = [Level("state", ("0",), np.zeros(1, dtype=np.int64))]
    for name, above, count in zip(("county", "tract", "group", "block"), counts, counts[1:], strict=False):
        extra = generator.integers(0, above, count - above)
        parents = np.sort(np.concatenate([np.arange(above), extra])).astype(np.int64)
        levels.append(Level(name, tuple(map(str, range(count))), parents))
    return Geography(tuple(levels))


def make_readings(geography: Geography, folder: Path, generator: np.random.Generator) -> list[LevelReading]:
    """Return noisy counts of every query at every level, in files: narrow numbers, as most counts are small."""
    found = []
    for place, level in enumerate(geography.levels):
        people = 45.0 * len(geography.leaves) / len(level)
        for query in list_queries():
            variance = 30.0 if query.size == SCHEMA.cells else 200.0
            width = np.int16 if place == len(geography.levels) - 1 else np.int64
            path = folder / f"{place} {query.name}.npy"
            values = np.lib.format.open_memmap(path, mode="w+", dtype=width, shape=(len(level), query.size))
            for start in range(0, len(level), 1000):
                counts = generator.poisson(people / query.size, values[start : start + 1000].shape)
                values[start : start + 1000] = np.rint(counts + generator.normal(0, variance**0.5, counts.shape))
            found.append(LevelReading(place, query, variance, np.load(path, mmap_mode="r")))
    return found


def read_peak() -> float:
    """Return the most memory that this process held since it was last told to forget, in MB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


def measure(leaves: int, folder: Path) -> str:
    """Return one line of results: seconds for the model, both passes, all smallest areas, all variances; MB."""
    generator = np.random.default_rng(leaves)
    geography = make_geography(leaves, generator)
    readings = make_readings(geography, folder, generator)
    Path("/proc/self/clear_refs").write_text("5")
    before = read_peak()
    times = [time.process_time()]
    model = model_tree(geography, SCHEMA, readings)
    times.append(time.process_time())
    fit = fit_readings(model, readings)
    times.append(time.process_time())
    last = len(geography.levels) - 1
    worst = 0.0
    bounds = geography.leaves.bound_children(len(geography.levels[last - 1]))
    for parent in range(0, len(bounds) - 1, 32):
        stop = min(parent + 32, len(bounds) - 1)
        children = fit.final(last, slice(bounds[parent], bounds[stop]))
        sums = add_rows(children, bounds[parent:stop] - bounds[parent], np.float64)
        worst = max(worst, float(np.abs(sums - fit.final(last - 1, slice(parent, stop))).max()))
    times.append(time.process_time())
    for query in list_queries():
        for level in range(last + 1):
            model.variances(level, query, slice(0, 1))
    times.append(time.process_time())
    histograms = np.ones((min(leaves, 1000), SCHEMA.cells))
    fit.precision(last).apply(histograms, slice(0, len(histograms)))
    apply = (time.process_time() - times[-1]) / len(histograms)
    taken = [f"{stop - start:.2f}" for start, stop in pairwise(times)]
    held = sum(each.values.nbytes for each in readings) / 2**20
    return f"{leaves}|{'|'.join(taken)}|{1e6 * apply:.0f}|{held:.0f}|{read_peak() - before:.0f}|{worst:.1e}"


def main() -> None:
    if sys.argv[1:2] == ["--one"]:
        with TemporaryDirectory() as folder:
            print(measure(int(sys.argv[2]), Path(folder)))
        return
    rows = []
    for size in map(int, sys.argv[1:] or SIZES):
        run = [sys.executable, __file__, "--one", str(size)]
        rows.append(subprocess.run(run, check=True, capture_output=True, text=True).stdout.strip().split("|"))
    header = ["smallest areas", "model, s", "up and down, s", "every smallest area, s", "variances, s"]
    print(markdown([*header, "one product with P, us", "readings, MB", "memory beside them, MB", "worst sum"], rows))


if __name__ == "__main__":
    main()
