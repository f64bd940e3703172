"""The audit on mechanisms right and wrong that all claim epsilon 0.1, 2 million outputs a trial, learning included.

    python bench/audit.py suite [TRIALS] [PATTERN]

Flags are at 95 % each; corrected ones hold all together (Holm). A regular expression chooses specimens by name.
Every trial has fresh randomness from the operating system: there are no seeds to choose from.
"""

from __future__ import annotations

import re
import sys

from discreet.audit.suite.specimens import EPSILON
from discreet.audit.suite.trials import SpecimenTrial, SpecimenVerdict, judge, list_specimens, try_specimen
from timing import markdown

TRIALS = 20
HEADER = ["mechanism", "is", "claims", "flagged", "corrected", "median bound", "slowest, s", "samples"]


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


def run_suite(count: int, pattern: str = "") -> list[SpecimenVerdict]:
    """Try every specimen so many times, telling each as it comes."""
    trials: list[SpecimenTrial] = []
    for specimen in list_specimens():
        if re.search(pattern, specimen.name):
            for number in range(count):
                trials.append(try_specimen(specimen))
                found = trials[-1]
                words = f"{found.bound}, p {found.bound.find_p_value(EPSILON):.2g}, {found.seconds:.1f} s"
                print(f"{specimen.name} {number + 1}: {words}", file=sys.stderr, flush=True)
    return judge(trials)


def main() -> None:
    """Print a table."""
    if sys.argv[1:2] != ["suite"]:
        sys.exit(__doc__)
    count = int(sys.argv[2]) if len(sys.argv) > 2 else TRIALS
    found = run_suite(count, *sys.argv[3:4])
    print(markdown(HEADER, [describe(each) for each in found]))


if __name__ == "__main__":
    main()
