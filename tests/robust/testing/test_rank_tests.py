"""Tests by ranks through the door: one charge each, one person in one cell, refusals before it and none after it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from curator.door.test_wings import kinds
from discreet.base.errors import DiscreetError
from discreet.curator import Curator
from discreet.robust import (
    PopulationTest,
    kolmogorov_smirnov_test,
    kruskal_wallis_test,
    mann_whitney_test,
    wilcoxon_test,
)
from discreet.robust.asking import AskingTerms
from discreet.robust.people import find_people
from discreet.robust.testing.binning import check_cuts, count_bins, list_edges, write_bins
from support.clinic import Visit, open_clinic

WARDS = ("north", "south", "icu")

ROWS: list[Visit] = [
    (patient, 30 + 7 * (patient // 3) % 51, 1000.0 + 400 * (patient % 3) + 13 * (patient % 50), WARDS[patient % 3])
    for patient in range(1_500)
    for _ in range(1 + patient % 2)
]
"""Wards whose costs are 400 apart; ages are symmetric around 55 and have nothing to do with wards."""

AGES = [11 / 51, *[10 / 51] * 4]
CUTS = [1200.0, 1500.0, 1800.0, 2100.0]
PAIR: dict[str, Any] = {"by": "ward", "between": ["icu", "north"]}


def ask_all(curator: Curator, column: str, epsilon: float, cuts: list[float] | None) -> list[PopulationTest]:
    how: dict[str, Any] = {"epsilon": epsilon, "cuts": cuts}
    return [
        kruskal_wallis_test(curator, "visits", column, by="ward", **how),
        mann_whitney_test(curator, "visits", column, **PAIR, **how),
        kolmogorov_smirnov_test(curator, "visits", column, **PAIR, **how),
    ]


def test_ranks_through_the_door(tmp_path: Path) -> None:
    with open_clinic(tmp_path, ROWS, epsilon=500.0) as curator:
        small = [
            *ask_all(curator, "cost", 5, CUTS),
            kolmogorov_smirnov_test(curator, "visits", "cost", shares=[0.2] * 5, cuts=CUTS, epsilon=5),
            wilcoxon_test(curator, "visits", "cost - 2000", cuts=[-600, -300, 0, 300, 600], epsilon=5),
        ]
        assert [found.p_value < 0.001 for found in small] == [True] * 5
        assert small[2].receipt.paid == "free", "the same cells as those of the test before it"
        assert kinds(curator) == ["CREATE", *["CHARGE", "MEASURE", "RECORD"] * 4]
        large = [
            *ask_all(curator, "age", 5, [40, 50, 60, 70]),
            kolmogorov_smirnov_test(curator, "visits", "age", shares=AGES, cuts=[40, 50, 60, 70], epsilon=5),
            wilcoxon_test(curator, "visits", "age - 55", epsilon=5),
        ]
        assert [found.p_value > 0.002 for found in large] == [True] * 5
        assert [len(found.groups) for found in large] == [3, 2, 2, 1, 1]
        assert all(abs(group.count - 500) < 40 for group in small[0].groups)
        (above,) = small[1].effects
        assert above.low <= above.estimate <= above.high <= 1
        assert above.low > 0.9
        assert [len(found.effects) for found in small] == [3, 1, 1, 1, 1]
        again = mann_whitney_test(curator, "visits", "cost", **PAIR, cuts=CUTS, confidence=0.9, epsilon=5)
        assert (again.receipt.paid, again.p_value) == ("free", small[1].p_value)
        for found in (*small, *large):
            text = " ".join(str(found).split())
            for words in ("tested:", "p ", "within one bin count as ties", "epsilon 5", str(found.receipt), "people:"):
                assert words in text
            assert json.loads(json.dumps(found.to_dict()))["p_value"] == found.p_value


def count(curator: Curator, column: str, **how: Any) -> Any:
    session = curator.session()
    given: dict[str, Any] = {"per_unit": "mean", "cuts": None, "terms": AskingTerms(150), **how}
    return count_bins(session, find_people(session, "visits", None), column, **given).cells


def test_each_person_is_in_one_cell_and_who_has_no_value_or_two_groups_in_none(tmp_path: Path) -> None:
    """At this epsilon noise is 0, but for one draw in 1e60."""
    rows: list[Visit] = [
        *((patient, 40, 1000.0 * (patient % 5), WARDS[patient % 2]) for patient in range(20)),
        *((patient, 40, 1000.0 * (patient % 5), WARDS[patient % 2]) for patient in range(10)),
        *((patient, 40, 4500.0, ward) for patient in range(20, 25) for ward in ("north", "south")),
        *((patient, 40, value, "north") for patient, value in ((30, None), (31, float("nan")))),
    ]
    with open_clinic(tmp_path, rows, epsilon=1_000.0) as curator:
        assert count(curator, "cost", by="ward", groups=("north", "south")).tolist() == [[4, 2, 2, 2, 0]] * 2
        assert count(curator, "cost").tolist() == [[8, 4, 4, 4, 5]]
        assert count(curator, "cost", per_unit="sum", cuts=[0, 2_000, 4_000]).tolist() == [[4, 6, 6, 9]]


def test_bins_around_zero_are_mirror_images(tmp_path: Path) -> None:
    rows: list[Visit] = [(age, age, 1.0, "icu") for age in range(50, 61)]
    with open_clinic(tmp_path, rows, epsilon=1_000.0) as curator:
        cells = [
            count(curator, "age - 55", mirrored=True, cuts=cuts).tolist()[0]
            for cuts in ([-3, 0, 3], [-3, 3], [0], [-4.0, -1.0, 1.0, 4.0])
        ]
        assert cells == [[2, 3, 1, 3, 2], [2, 7, 2], [5, 1, 5], [1, 3, 3, 3, 1]]


def test_default_cuts_are_equal_parts() -> None:
    assert check_cuts(None, (0.0, 10.0)) == (2.0, 4.0, 6.0, 8.0)
    assert check_cuts(None, (-3.0, 50.0), mirrored=True) == (-2.0, -1.0, 0.0, 1.0, 2.0)
    assert list_edges((-1.0, 1.0), True) == [("<", -1.0), ("<=", 1.0)]
    assert write_bins(list_edges((0.0,), True), {}) == (
        "CASE WHEN value < $cut_0 THEN 0 WHEN value <= $cut_1 THEN 1 WHEN value > $cut_1 THEN 2 END AS bin"
    )


@pytest.mark.many
@pytest.mark.parametrize(
    "rows",
    [
        [],
        [(1, 40, 100.0, "north")],
        [(p, 40, float("nan"), "icu") for p in range(9)],
        [(p, 40, 1.0, "icu") for p in range(99)],
    ],
    ids=["nobody", "one person", "no values", "one bin and one ward"],
)
def test_no_data_raises_after_the_charge(rows: list[Visit], tmp_path: Path) -> None:
    with open_clinic(tmp_path, rows, epsilon=500.0) as curator:
        for epsilon in (0.02, 5):
            for found in (
                *ask_all(curator, "cost", epsilon, None),
                kolmogorov_smirnov_test(curator, "visits", "cost", shares=[0.2] * 5, epsilon=epsilon),
                wilcoxon_test(curator, "visits", "cost - 50", epsilon=epsilon),
            ):
                assert 0 < found.p_value <= 1
                assert found.enough or (found.p_value == 1 and "too few people to say" in str(found))


def test_bad_input_is_refused_before_a_charge(tmp_path: Path) -> None:
    with open_clinic(tmp_path, ROWS) as curator:
        how: dict[str, Any] = {"epsilon": 1}

        def pair(**more: Any) -> object:
            return mann_whitney_test(curator, "visits", "cost", **{**PAIR, **how, **more})

        wrong: list[tuple[str, Callable[[], object]]] = [
            ("cuts", lambda: pair(cuts=[])),
            ("cuts", lambda: pair(cuts=[1000, 1000])),
            ("cuts", lambda: pair(cuts=[2000, 1000])),
            ("cuts", lambda: pair(cuts=[-1, 1000])),
            ("cuts", lambda: pair(cuts=[1000, 5000])),
            ("cuts", lambda: pair(cuts="costs")),
            ("cuts", lambda: pair(cuts=[float("nan")])),
            ("cuts", lambda: pair(cuts=list(range(60)))),
            ("between", lambda: pair(between=["icu", "icu"])),
            ("between", lambda: pair(between=["icu"])),
            ("per_unit", lambda: pair(per_unit="median")),
            ("cut_0", lambda: pair(params={"cut_0": 3})),
            ("groups", lambda: kruskal_wallis_test(curator, "visits", "cost", by="ward", groups=["icu", "icu"], **how)),
            ("groups", lambda: kruskal_wallis_test(curator, "visits", "cost", by="doctor", **how)),
            ("column", lambda: kruskal_wallis_test(curator, "visits", "3", by="ward", **how)),
            ("text", lambda: kruskal_wallis_test(curator, "visits", "ward", by="ward", **how)),
            ("shares", lambda: kolmogorov_smirnov_test(curator, "visits", "cost", **how)),
            ("shares", lambda: kolmogorov_smirnov_test(curator, "visits", "cost", shares=[0.5, 0.5], **PAIR, **how)),
            ("shares", lambda: kolmogorov_smirnov_test(curator, "visits", "cost", shares=[0.5, 0.5], **how)),
            ("shares", lambda: kolmogorov_smirnov_test(curator, "visits", "cost", shares=[0.5, 0.4], cuts=[9], **how)),
            ("shares", lambda: kolmogorov_smirnov_test(curator, "visits", "cost", shares=[1.0, 0.0], cuts=[9], **how)),
            ("signs", lambda: wilcoxon_test(curator, "visits", "cost", **how)),
            ("cuts", lambda: wilcoxon_test(curator, "visits", "cost - 900", cuts=[-20, 10], **how)),
            ("cuts", lambda: wilcoxon_test(curator, "visits", "cost - 900", cuts=[-900, 900], **how)),
        ]
        for match, ask in wrong:
            with pytest.raises(DiscreetError, match=match):
                ask()
        assert curator.session().budget.total.spent == 0
