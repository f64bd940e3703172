"""The gaps between steps: named, passed in order, and watched by tests only."""

from __future__ import annotations

import re
from pathlib import Path

import discreet.ledger
from discreet.ledger import steps
from support.ledger import CAPS, TENTH, Home, ask, new, question


def test_nothing_watches_unless_a_test_does() -> None:
    seen: list[str] = []
    with steps.watch_steps(seen.append):
        steps.pass_step("charged")
    steps.pass_step("charged")
    assert seen == ["charged"]


def test_every_gap_in_the_code_is_named_in_the_list() -> None:
    sources = Path(discreet.ledger.__file__).parent.rglob("*.py")
    used = {name for source in sources for name in re.findall(r'\bpass_step\("([^"]+)"\)', source.read_text())}
    assert used == set(steps.STEPS)


def test_a_question_passes_the_gaps_in_order(home: Home) -> None:
    seen: list[str] = []
    with new(home, caps=CAPS) as ledger, steps.watch_steps(seen.append):
        ask(ledger, analyst="ann")
        assert seen == ["before charge", "charging", "charged", "before record", "recording", "recorded"]
        seen.clear()
        ask(ledger, analyst="bob")
        assert seen == ["before charge", "sharing", "charged"]
        ledger.charge(question("r"), TENTH, "ann").__exit__()
        seen.clear()
        ledger.charge(question("r"), TENTH, "ann")
        assert seen == ["before charge", "taking over", "charged"]
