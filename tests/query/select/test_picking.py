"""Which questions choose keys by a score, and which release values and order them."""

from __future__ import annotations

from pathlib import Path

import pytest

from discreet.plan.question import Pick
from support.clinic import open_clinic

GROUPED = "FROM visits GROUP BY ward"


@pytest.mark.many
@pytest.mark.parametrize(
    ("question", "pick"),
    [
        (f"SELECT ward {GROUPED} ORDER BY COUNT(*) DESC LIMIT 1", Pick(1, True, ordered=True)),
        (f"SELECT ward {GROUPED} ORDER BY SUM(cost) LIMIT 2", Pick(2, False, ordered=True)),
        (f"SELECT UPPER(ward) AS w {GROUPED} ORDER BY COUNT(age) DESC, w LIMIT 1", Pick(1, True, ordered=True)),
        ("SELECT MODE(ward) FROM visits", Pick()),
        ("SELECT quantity, LOWER(MODE(ward)) FROM visits GROUP BY quantity", Pick(each=True)),
        (f"SELECT ARG_MIN(ward, s) FROM (SELECT ward, SUM(age) AS s {GROUPED})", Pick(1, False, ordered=True)),
        (f"SELECT ward, COUNT(*) AS n {GROUPED} ORDER BY n DESC LIMIT 1", None),
        (f"SELECT ward {GROUPED} ORDER BY COUNT(*) DESC", None),
        (f"SELECT ward {GROUPED} ORDER BY COUNT(*) DESC LIMIT 0", None),
        (f"SELECT ward {GROUPED} ORDER BY ward, COUNT(*) LIMIT 1", None),
        (f"SELECT ward {GROUPED} ORDER BY COUNT(*) + 1 LIMIT 1", None),
        (f"SELECT ward {GROUPED} ORDER BY COUNT(*), SUM(age) LIMIT 1", None),
        (f"SELECT ward {GROUPED} ORDER BY AVG(age) DESC LIMIT 1", None),
        (f"SELECT ward {GROUPED} HAVING COUNT(*) > 3 ORDER BY COUNT(*) DESC LIMIT 1", None),
        ("SELECT ward FROM visits GROUP BY ROLLUP (ward) ORDER BY COUNT(*) DESC LIMIT 1", None),
    ],
)
def test_keys_alone_by_one_sum_are_a_choice(tmp_path: Path, question: str, pick: Pick | None) -> None:
    with open_clinic(tmp_path) as curator:
        prepared = curator.prepare(question, 1)
    assert prepared.question.pick == pick
    if pick is None or pick.count == 1:
        assert (prepared.priced.choice is None) is (pick is None)


def test_what_leaves_no_key_out_chooses_none(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        prepared = curator.prepare(f"SELECT ward {GROUPED} ORDER BY COUNT(*) DESC LIMIT 3", 1)
        clamped = curator.prepare(f"SELECT ward {GROUPED} ORDER BY SUM(cost) DESC LIMIT 1", 1, clamping=True)
    assert prepared.priced.choice is None
    assert clamped.priced.choice is None, "clamped values are counted beside it, and a choice is released alone"
