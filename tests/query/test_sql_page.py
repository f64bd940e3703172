"""Every function on the page about SQL has an example that is answered."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from discreet.plan.functions import FUNCTIONS
from support.hospital import answered, engine_of, sums

PAGE = (Path(__file__).parents[2] / "docs" / "sql.md").read_text()
LISTED = PAGE.split("## Functions")[1].split("### What is refused")[0]
EXAMPLES = [
    example for line in LISTED.splitlines() if line.startswith("|") for example in re.findall(r"`(SELECT [^`]*)`", line)
]


def test_the_page_has_an_example_on_every_line_of_its_functions() -> None:
    lines = [
        line for line in LISTED.splitlines() if line.startswith("|") and not line.startswith(("|---", "| function"))
    ]
    assert len(lines) == len(EXAMPLES) > 45
    assert all(len(re.findall(r"(?<!\\)\|", line)) == 4 for line in lines)


@pytest.mark.many
@pytest.mark.parametrize("example", EXAMPLES)
def test_every_example_is_answered(example: str) -> None:
    (found,) = sums(answered(engine_of(), example))
    assert 0 <= found[0] <= 4


def test_every_named_function_is_on_the_page() -> None:
    words = {row.word for row in FUNCTIONS.values() if row.word.replace("_", "").isalpha()}
    assert sorted(word for word in words if word not in PAGE) == []
