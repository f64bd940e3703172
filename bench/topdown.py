"""Census releases on a generated state: the table of goals, each part on its own.

Parts: `epsilon`, `whole BLOCKS` (a whole release through a curator: seconds and memory), `errors BLOCKS REPLICATIONS`
(totals beside the raw measurement; up-and-down beside plain top-down), `margins BLOCKS REPLICATIONS` (intervals by
level, query and class of true size). Such as `.venv/bin/python bench/topdown.py whole 990 9900`; without arguments all
run small.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import numpy as np

from discreet.curator import Curator
from discreet.topdown.example.production import ANNOUNCED_EPSILON, DELTA, RHO, STRICT_DELTA
from discreet.topdown.example.state import GeneratedState, make_state
from discreet.topdown.making import run
from discreet.topdown.measure.asked import certify_epsilon
from discreet.topdown.planning.noise import plan_noise
from discreet.topdown.release.checking import check
from discreet.topdown.running.counts import SparseCounts
from discreet.topdown.running.estimating import estimate, fit_held, hand_out_basis, model_readings
from discreet.topdown.running.held_readings import HeldReading, simulate_readings
from discreet.topdown.running.problem import OBJECTIVES, UP_AND_DOWN, make_problem
from discreet.topdown.running.workers import SolverPool
from discreet.topdown.spec.reading import read_spec
from timing import markdown
from topdown_margins import ASKED, HEADER, Tallies, join_tallies, list_open, tally_once, tell_levels, tell_queries

PEOPLE = 450_000 / 9_900
"""For each block."""

SOLVED = 40
"""Of releases for margins, one in so many is solved for whole numbers: intervals do not need them."""


def build(folder: Path, blocks: int) -> GeneratedState:
    """Return a state of so many blocks, in the proportions of 9,900 in 300, 100 and 10."""
    sizes = (blocks, max(2, blocks * 300 // 9900), max(2, blocks * 100 // 9900), max(1, blocks * 10 // 9900))
    return make_state(folder, *sizes, round(blocks * PEOPLE))


class Drawn:
    """A state with its spec, its truth at every level, and readings of it, for estimates without a curator."""

    def __init__(self, folder: Path, blocks: int) -> None:
        state = build(folder, blocks)
        self.folder, self.spec = folder, read_spec(state.spec)
        self.problem = make_problem(self.spec)
        leaves = SparseCounts.of_dense(state.people.count_cells().astype(np.int64))
        geography = self.spec.geography
        self.truth = tuple(
            leaves.add_up(geography.ancestors[place], len(level)) for place, level in enumerate(geography.levels)
        )
        draws = plan_noise(self.spec).draws
        self.plans = [HeldReading(each.level, each.query, each.variance, each.sigma, Path()) for each in draws]
        self.model = model_readings(self.problem, self.plans)

    def draw(self, seed: int) -> list[HeldReading]:
        """Return noisy readings of the truth."""
        return simulate_readings(self.plans, self.truth, self.folder, np.random.default_rng(seed))


def show_epsilon() -> None:
    """Print the certified epsilon of the production settings beside the announced one."""
    rows = []
    for delta in (DELTA, STRICT_DELTA):
        high = certify_epsilon(RHO, delta).high
        over = f"{high / ANNOUNCED_EPSILON:.4f}" if delta == DELTA else "-"
        rows.append([f"{float(delta):g}", f"{high:.4f}", over])
    print(markdown(["delta", "certified epsilon", "over the announced 17.14"], rows))


def measure_whole(blocks: int) -> list[str]:
    """Return one line: seconds by stage of a whole release, processor seconds, memory, size on disk, the check."""
    with tempfile.TemporaryDirectory(prefix="census-") as name:
        state = build(Path(name) / "state", blocks)
        Curator.init(state.policy)
        marks: dict[str, float] = {}
        names = [level.name for level in read_spec(state.spec).geography.levels]

        def watch(stage: str, done: int, total: int) -> None:
            marks["levels" if stage in names else stage] = time.perf_counter()

        start = time.perf_counter()
        found = run(state.spec, watch=watch)
        whole = time.perf_counter() - start
        own, below = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
        stages, before = [], start
        for stage in ("measuring", "levels", "simulating errors", "writing tables"):
            stages.append(f"{marks.get(stage, before) - before:.1f}")
            before = marks.get(stage, before)
        processor = own.ru_utime + own.ru_stime + below.ru_utime + below.ru_stime
        workers = len(os.sched_getaffinity(0))
        memory = (own.ru_maxrss + workers * below.ru_maxrss) / 2**20
        disk = sum(path.stat().st_size for path in found.folder.rglob("*") if path.is_file()) / 2**20
        start = time.perf_counter()
        checked = check(found)
        gap = max(each["largest_gap"] for each in found.told["solves"])
        return [
            f"{blocks:,}",
            f"{found.told['people']:,}",
            str(workers),
            f"{whole:.1f}",
            *stages,
            f"{processor:.0f}",
            f"{memory:.2f}",
            f"{disk:.0f}",
            f"{gap:.1e}",
            f"{'exact' if checked.is_exact else 'wrong'}, {checked.rows:,} rows in {time.perf_counter() - start:.0f} s",
        ]


def show_whole(sizes: list[int]) -> None:
    """Run each size in a process of its own."""
    rows = []
    for size in sizes:
        line = [sys.executable, __file__, "--one", str(size)]
        rows.append(json.loads(subprocess.run(line, check=True, stdout=subprocess.PIPE, text=True).stdout))
    header = ["blocks", "people", "workers", "seconds", "measured", "levels", "simulated", "tables"]
    header += ["processor seconds", "memory, GB, at most", "disk, MB", "largest certified gap", "checked"]
    print(markdown(header, rows))


def show_errors(blocks: int, replications: int) -> None:
    """Print errors of totals beside the raw measurement, and up-and-down beside plain top-down, in the same draws."""
    with tempfile.TemporaryDirectory(prefix="census-") as name, SolverPool() as pool:
        drawn = Drawn(Path(name), blocks)
        levels = [level.name for level in drawn.spec.geography.levels]
        total, pair = drawn.spec.find_query("total"), drawn.spec.find_query("ethnicity x race")
        raw: dict[str, list[float]] = {level: [] for level in levels}
        off: dict[tuple[str, str], list[float]] = {(each, level): [] for each in OBJECTIVES for level in levels}
        spread = {key: list(value) for key, value in off.items()}
        for seed in range(replications):
            readings = drawn.draw(seed)
            fit = fit_held(drawn.problem, drawn.model, readings)
            for each in readings:
                if each.query.name == "total":
                    values = np.asarray(each.open().values, dtype=np.float64) - drawn.truth[each.level].answer(total)
                    raw[levels[each.level]].append(float(np.abs(values).mean()))
            for objective in OBJECTIVES:
                hand_out_basis(drawn.problem, drawn.model, pool, objective)
                found = estimate(drawn.problem, fit, readings, pool)
                for place, level in enumerate(levels):
                    here, there = found.counts[place], drawn.truth[place]
                    off[objective, level].append(float(np.abs(here.people - there.people).mean()))
                    spread[objective, level].append(float(np.abs(here.answer(pair) - there.answer(pair)).sum()))
        rows = []
        for level in levels[2:]:
            plain, both = ([*off[each, level]] for each in ("plain", UP_AND_DOWN))
            ratio = np.sum(spread[UP_AND_DOWN, level]) / np.sum(spread["plain", level])
            measured = np.mean(raw[level])
            rows.append(
                [
                    level,
                    f"{measured:.3f}",
                    f"{np.mean(plain) / measured:.3f}",
                    f"{np.mean(both) / measured:.3f}",
                    f"{ratio:.3f}",
                ]
            )
        print(f"{blocks:,} blocks, {replications} replications")
        header = ["level", "raw error of totals", "plain over raw", "up-and-down over raw"]
        print(markdown([*header, "L1 of ethnicity x race, up-and-down over plain"], rows))


def show_margins(blocks: int, replications: int) -> None:
    """Print how often intervals hold the truth, by level, query and class of true size, and how wide they are."""
    with tempfile.TemporaryDirectory(prefix="census-") as name, SolverPool() as pool:
        drawn = Drawn(Path(name), blocks)
        hand_out_basis(drawn.problem, drawn.model, pool)
        answers, tallies, done = list_open(drawn.problem, drawn.model, drawn.truth), Tallies(), 0
        with suppress(KeyboardInterrupt):  # what was found so far is told
            while done < replications:
                readings = drawn.draw(done)
                fit = fit_held(drawn.problem, drawn.model, readings)
                counts = estimate(drawn.problem, fit, readings, pool).counts if done % SOLVED == 0 else None
                tallies = join_tallies([tallies, tally_once(answers, fit, counts)])
                done += 1
    print(
        f"{blocks:,} blocks, {done} releases, {-(-done // SOLVED)} of them solved; answers that public facts leave open"
    )
    print(markdown(HEADER, tell_levels(tallies, [level.name for level in drawn.spec.geography.levels])))
    below = tell_queries(tallies, done)
    print(
        f"\nOf {below.classes} classes of level, query and true size {len(below.rows)} are below {ASKED:.0%}; "
        f"chance alone would put {below.expected} there; the worst is {below.worst:.1f} deviations of chance below 95 %"
    )
    print(markdown(["level", "query", "true size, from", "answers", "held", "off, deviations of chance"], below.rows))


def main() -> None:
    part, *numbers = sys.argv[1:] or ["all"]
    if part == "--one":
        print(json.dumps(measure_whole(int(numbers[0]))))
    if part in ("epsilon", "all"):
        show_epsilon()
    if part in ("whole", "all"):
        show_whole([int(each) for each in numbers] or [200])
    if part in ("errors", "all"):
        show_errors(*([int(each) for each in numbers] or [400, 2]))
    if part in ("margins", "all"):
        show_margins(*([int(each) for each in numbers] or [200, 4]))


if __name__ == "__main__":
    main()
