"""`[tables.T.online]`: which columns, the most that histograms cost, and what is refused with what to write instead."""

from __future__ import annotations

from fractions import Fraction

import pytest

from discreet.policy import load
from discreet.policy.facts import describe_policy
from discreet.policy.model import DeclaredOnline
from support.policies import read, refusal

TABLE = """[budget]
epsilon = 1.0
[tables.visits]
unit = "person"
max_rows = 3
{more}
[tables.visits.columns]
ward = {{ values = ["north", "south"] }}
age = {{ lower = 0, upper = 9 }}
day = {{ lower = 2026-01-01, upper = 2026-01-31 }}
note = {{ longest = 9 }}
many = {{ lower = 0, upper = 100_000 }}
[tables.visits.online]
{online}
"""


def write(online: str, more: str = "") -> str:
    return TABLE.format(online=online, more=more)


def test_it_names_columns_and_the_most_that_histograms_cost() -> None:
    found = read(write('columns = ["ward", "age", "day"]\nepsilon = 0.5')).table("visits").online
    assert found == DeclaredOnline(("ward", "age", "day"), Fraction(1, 2), Fraction(19, 20))
    found = read(write('columns = ["ward"]\nepsilon = 0.5\nconfidence = 0.999')).table("visits").online
    assert found is not None
    assert found.confidence == Fraction(999, 1000)


def test_it_is_off_unless_it_is_written_and_part_of_what_a_policy_says() -> None:
    text = write('columns = ["ward"]\nepsilon = 0.5')
    without = text[: text.index("[tables.visits.online]")]
    assert read(without).table("visits").online is None
    assert "online" not in describe_policy(read(without))["tables"]["visits"]
    said = describe_policy(read(text))["tables"]["visits"]["online"]
    assert said == {"columns": ["ward"], "epsilon": "0.5", "confidence": "0.95"}
    assert load is not None


@pytest.mark.parametrize(
    ("online", "more", "wrong"),
    [
        ("epsilon = 0.5", "", "columns: names none"),
        ('columns = ["ward"]', "", "epsilon: is missing"),
        ('columns = ["ward"]\nepsilon = 0', "", "epsilon: is 0"),
        ('columns = ["note"]\nepsilon = 1', "", "has no declared values"),
        ('columns = ["gone"]\nepsilon = 1', "", "has no declared values"),
        ('columns = ["person"]\nepsilon = 1', "", "has no declared values"),
        ('columns = ["many"]\nepsilon = 1', "", "100,002 cells"),
        ('columns = ["ward"]\nepsilon = 1\nconfidence = 1.5', "", "confidence: is 1.5"),
        ('columns = ["ward"]\nepsilon = 1', "max_groups = 2", "max_groups and max_rows_per_group cut them"),
        ('columns = ["ward"]\nepsilon = 1\ncolumn = 3', "", "is not known"),
    ],
)
def test_what_is_wrong_is_refused_with_a_remedy(online: str, more: str, wrong: str) -> None:
    line = refusal(write(online, more))
    assert line.startswith("tables.visits.online")
    assert wrong in line
