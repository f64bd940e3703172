"""The audit on mechanisms right and wrong that all claim epsilon 0.1, 2 million outputs a trial, learning included.

    python bench/audit.py suite [TRIALS] [PATTERN] [FILE]
    python bench/audit.py power

Flags are at 95 % each; corrected ones hold all together (Holm). A regular expression chooses specimens by name.
Every trial has fresh randomness from the operating system: there are no seeds to choose from. Trials are written to a
file as they come, and those that it has already are not run again. Seconds are those of all processors together.

`power` asks of sparse vectors what the best event there is would show, by the formulas of their noise: by how many
deviations the pairs that certify exceed the claim, how likely the test then refutes it, and how far a bet grows.
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import astuple
from pathlib import Path
from typing import Any

from discreet.audit.blackbox.betting import LARGEST, PairCounts, choose_stake, find_log_wealth
from discreet.audit.blackbox.direct import DirectTest, find_deviations, special
from discreet.audit.blackbox.lower_bound import LowerBound
from discreet.audit.blackbox.outputs import MechanismFault
from discreet.audit.blackbox.patterns import list_changes
from discreet.audit.blackbox.search import make_search_aim
from discreet.audit.blackbox.staged import StagedTest
from discreet.audit.suite import sparse_vectors
from discreet.audit.suite.ratios import find_best
from discreet.audit.suite.specimens import EPSILON, Specimen
from discreet.audit.suite.trials import (
    SAMPLES,
    SpecimenTrial,
    SpecimenVerdict,
    judge,
    list_specimens,
    try_specimen,
)
from timing import markdown

TRIALS, DRAWN = 20, 50_000
HEADER = ["mechanism", "is", "claims", "flagged", "corrected", "median bound", "most seconds", "samples"]
BEST_HEADER = ["mechanism", "best pair", "epsilon", "event: likely", "unlikely", "deviations", "power", "log of a bet"]


def describe(verdict: SpecimenVerdict) -> list[str]:
    """Return a row of the table."""
    return [
        verdict.specimen.name,
        "right" if verdict.specimen.right else "wrong",
        f"{EPSILON:g}",
        f"{verdict.flagged} of {verdict.trials}",
        f"{verdict.corrected} of {verdict.trials}",
        f"{verdict.median:.4f}",
        f"{verdict.seconds:.1f}",
        f"{verdict.samples:,}",
    ]


def write_trial(trial: SpecimenTrial, number: int) -> dict[str, Any]:
    """Return a trial as plain data, with all that was counted."""
    bound = trial.bound
    tests = bound.evidence.tests if isinstance(bound.evidence, StagedTest) else ()
    return {
        "specimen": trial.specimen.name,
        "number": number,
        "epsilon": bound.epsilon,
        "mu": bound.mu,
        "event": bound.event,
        "samples": bound.samples,
        "fault": None if bound.fault is None else str(bound.fault),
        "counts": [list(astuple(test.counts)) for test in tests],
        "seeds": [test.seed for test in tests],
        "p": bound.find_p_value(EPSILON),
        "seconds": trial.seconds,
    }


def read_trial(line: dict[str, Any], specimen: Specimen) -> SpecimenTrial:
    """Return a trial that was written."""
    counted = zip(line["counts"], line["seeds"], strict=True)
    tests = tuple(DirectTest(PairCounts(*counts), seed) for counts, seed in counted)
    test = StagedTest(tests) if tests else None
    fault = None if line["fault"] is None else MechanismFault(line["fault"], None)
    bound = LowerBound(line["epsilon"], line["mu"], 0.0, 0.95, line["event"], line["samples"], fault, test)
    return SpecimenTrial(specimen, bound, line["seconds"])


def run_suite(count: int, pattern: str = "", file: str = "") -> list[SpecimenVerdict]:
    """Try every specimen so many times, in turn, telling each trial as it comes."""
    chosen = [each for each in list_specimens() if re.search(pattern, each.name)]
    kept = Path(file) if file else None
    lines = [json.loads(line) for line in kept.read_text().splitlines()] if kept is not None and kept.exists() else []
    done = {(line["specimen"], line["number"]): line for line in lines}
    trials: list[SpecimenTrial] = []
    for number in range(count):
        for specimen in chosen:
            if (specimen.name, number) in done:
                trials.append(read_trial(done[specimen.name, number], specimen))
                continue
            trials.append(try_specimen(specimen))
            line = write_trial(trials[-1], number)
            words = f"{trials[-1].bound}, p {line['p']:.2g}, {trials[-1].seconds:.1f} s"
            print(f"{specimen.name} {number + 1}: {words}", file=sys.stderr, flush=True)
            if kept is not None:
                with kept.open("a") as out:
                    out.write(json.dumps(line) + "\n")
    order = {each.name: place for place, each in enumerate(chosen)}
    return judge(sorted(trials, key=lambda trial: order[trial.specimen.name]))


def find_powers() -> list[list[str]]:
    """Return what the best event there is would show, for sparse vectors without a renewed threshold."""
    variants = {
        "1": [sparse_vectors.make_1()],
        "3": [sparse_vectors.make_3()],
        "4": [sparse_vectors.make_4()],
        "4, cutoff 3": [sparse_vectors.make_4(3)],
        "5": [sparse_vectors.make_5()],
        "6": [sparse_vectors.make_6()],
        "3 and 4, cutoff 2": list(sparse_vectors.PARALLEL),
    }
    aim = make_search_aim(SAMPLES, 0.0, 0.95, EPSILON)
    pairs, rows = list_changes(sparse_vectors.QUESTIONS), []
    for name, each in variants.items():
        best = find_best(each, pairs, aim, DRAWN)
        power = float(special.ndtr(best.excess - find_deviations(aim.miss)))
        counts = PairCounts.expect(best.likely, best.unlikely, aim.pairs)
        wealth = find_log_wealth(counts, choose_stake(counts, EPSILON, 0.0), EPSILON, 0.0)
        words = " and ".join("".join(map(str, given)) for given in best.pair)
        epsilon = "infinite" if best.epsilon >= LARGEST else f"{best.epsilon:.3f}"
        shown = [f"{best.likely:.4f}", f"{best.unlikely:.4f}", f"{best.excess:.1f}", f"{power:.4f}", f"{wealth:.1f}"]
        rows.append([f"sparse vector {name}", words, epsilon, *shown])
    return rows


def main() -> None:
    """Print a table."""
    if sys.argv[1:2] == ["power"]:
        print(markdown(BEST_HEADER, find_powers()))
    elif sys.argv[1:2] == ["suite"]:
        count = int(sys.argv[2]) if len(sys.argv) > 2 else TRIALS
        found = run_suite(count, *sys.argv[3:5])
        print(markdown(HEADER, [describe(each) for each in found]))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
