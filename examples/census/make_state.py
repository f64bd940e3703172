"""Generate a state and plan its release: `.venv/bin/python examples/census/make_state.py FOLDER [BLOCKS]`."""

from __future__ import annotations

import sys
from pathlib import Path

from discreet.topdown.example.state import make_state
from discreet.topdown.planning.expected_errors import plan_errors
from discreet.topdown.spec.reading import read_spec

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "census-state")
blocks = int(sys.argv[2]) if len(sys.argv) > 2 else 9_900

# Sizes of a small state, in the proportions of a real one: a block group has some 33 blocks, a block some 45 people.
state = make_state(
    folder,
    blocks=blocks,
    block_groups=max(1, blocks // 33),
    tracts=max(1, blocks // 99),
    counties=max(1, blocks // 990),
    people=blocks * 45,
)
spec = read_spec(state.spec)
print(spec, end="\n\n")
print(plan_errors(spec))
