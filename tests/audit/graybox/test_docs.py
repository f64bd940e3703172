"""docs/replay.md: its example runs as it stands there, and prints what it says."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

from discreet.audit.graybox import FindingKind, replay

PAGE = (Path(__file__).parents[3] / "docs" / "replay.md").read_text()


def test_the_example_says_what_the_page_says() -> None:
    _, code, said, *_ = PAGE.split("```")
    text = code.removeprefix("python\n")
    told = PAGE.split("```")[3].strip("\n")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(text, "docs/replay.md", "exec"), {})
    assert printed.getvalue().strip("\n") == told
    assert said.strip() == "", "nothing stands between the example and what it prints"


def test_every_kind_of_finding_has_a_row() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| ")]
    words = {
        FindingKind.SENSITIVITY: "what goes into a mechanism",
        FindingKind.CALLS: "| calls",
        FindingKind.SHAPE: "| shapes",
        FindingKind.RESULT: "| results",
        FindingKind.ERROR: "| errors",
        FindingKind.NUMBER: "| numbers",
        FindingKind.UNSTEADY: "| the same database",
        FindingKind.TIME: "| time",
        FindingKind.HANG: "does not end",
    }
    assert words.keys() == set(FindingKind)
    for kind, word in words.items():
        assert any(word in row for row in rows), kind
    assert replay.__name__ in PAGE
