"""Ask generated questions of fresh worlds for as long as is told: `make fuzz SECONDS=600`.

Prints what was asked, and for the first violation the seed, the question and the rows of the changed unit.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parent.parent)


def main() -> int:
    from hostile.campaign import Tally, explored
    from hostile.judging import Violation
    from servers.guarded import open_folder

    parser = argparse.ArgumentParser(description="ask generated questions of generated neighbours")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=None, help="the first world; without it, a fresh one")
    parser.add_argument("--questions", type=int, default=35, help="about each world")
    given = parser.parse_args()
    first = random.SystemRandom().randrange(10**9) if given.seed is None else given.seed
    print(f"from world {first} on, {given.seconds:g} s", flush=True)
    tally, wrong = Tally(), None
    with open_folder("discreet-fuzz-") as folder:
        try:
            seeds, end = range(first, first + 10**6), time.monotonic() + given.seconds
            explored(seeds, given.questions, tally, folder=folder, deadline=end)
        except Violation as found:
            wrong = found
    print("\n".join(tally.lines()))
    if wrong is not None:
        print(f"VIOLATION: {wrong}")
    return 1 if wrong is not None else 0


if __name__ == "__main__":
    raise SystemExit(main())
