"""Bounds found privately."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet.base.errors import DiscreetError
from discreet.curator.curator import Curator
from discreet.curator.release.noise import release
from discreet.curator.release.released import Released
from discreet.engines.result import ExactResult
from discreet.mechanisms import Laplace
from discreet.plan.bounded import BoundedPlan
from discreet.query.draws import Draws
from support.clinic import Visit, open_clinic


def ask_nine_times(curator: Curator, name: str, epsilon: float) -> list[str]:
    """Return what is told at nine epsilons from this one on, each with noise of its own.

    Some empty bin stands out once in two hundred times: in five of nine with a chance of 4e-10.
    """
    return [str(curator.bounds(name, epsilon=epsilon * (1 + place / 16))) for place in range(9)]


def test_bounds_are_found_over_powers_of_two_and_charged(tmp_path: Path) -> None:
    rows: list[Visit] = [(patient, 30, 70.0 + patient % 900, "icu") for patient in range(3000)]
    with open_clinic(tmp_path / "often", rows, epsilon=100) as curator:
        told = ask_nine_times(curator, "visits.cost", 1.0)
        assert told.count("cost = { lower = 64, upper = 1024 }") >= 5
    with open_clinic(tmp_path, rows) as curator:
        assert curator.bounds("visits.cost", epsilon=1.0).receipt.charge.epsilon == 1
        assert curator.bounds("visits.cost", epsilon=1.0).receipt.paid == "free"
        for name in ("visits.ward", "wards.beds", "visits.nothing", "cost"):
            with pytest.raises(DiscreetError):
                curator.bounds(name, epsilon=1.0)


@pytest.mark.many
@pytest.mark.parametrize("digits", [(9, 2), (18, 9), (37, 20), (38, 0)])
def test_bounds_of_decimals_are_found_too(tmp_path: Path, digits: tuple[int, int]) -> None:
    values = pa.array([Decimal(70 + place % 50) for place in range(3000)], pa.decimal128(*digits))
    pq.write_table(pa.table({"id": range(3000), "v": values}), tmp_path / "t.parquet")
    policy = '[budget]\nepsilon = 100\n[tables.t]\nsource = "t.parquet"\nunit = "id"\nmax_rows = 1'
    (tmp_path / "policy.toml").write_text(policy)
    Curator.init(tmp_path / "policy.toml")
    with Curator.open(tmp_path / "policy.toml") as curator:
        assert ask_nine_times(curator, "t.v", 5).count("v = { lower = 64, upper = 128 }") >= 5


@pytest.mark.parametrize("name", ["visits", "visits.", ".cost", ""])
def test_a_name_without_a_table_or_a_column_is_refused(tmp_path: Path, name: str) -> None:
    with open_clinic(tmp_path) as curator, pytest.raises(DiscreetError, match=r"write TABLE\.COLUMN"):
        curator.bounds(name, epsilon=1)


def test_bounds_of_nothing_are_seldom_invented(tmp_path: Path) -> None:
    with open_clinic(tmp_path, [], epsilon=100) as curator:
        found = ask_nine_times(curator, "visits.cost", 0.5)
        assert sum("nothing stands out" in each for each in found) >= 5


@pytest.mark.parametrize(("neighbours", "rows"), [("add-remove", 3), ("replace", 6)])
def test_the_noise_is_for_all_rows_of_a_unit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, neighbours: str, rows: int
) -> None:
    seen: list[Draws] = []

    def watched(plan: BoundedPlan, exact: ExactResult, draws: Draws) -> Released:
        seen.append(draws)
        return release(plan, exact, draws)

    monkeypatch.setattr("discreet.curator.door.desk.release", watched)
    with open_clinic(tmp_path, neighbours=neighbours) as curator:
        found = curator.bounds("visits.cost", epsilon=0.5)
    assert [draws.noises for draws in seen] == [(Laplace(rows / 0.5),)]
    assert found.receipt.charge.epsilon == Fraction(1, 2)


def test_a_unit_with_a_row_in_every_bin_moves_all_bins_together_by_its_rows_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each bin rounded by itself would add one for every row of some units, however few they may keep."""
    seen: list[tuple[Draws, ExactResult]] = []

    def watched(plan: BoundedPlan, exact: ExactResult, draws: Draws) -> Released:
        seen.append((draws, exact))
        return release(plan, exact, draws)

    monkeypatch.setattr("discreet.curator.door.desk.release", watched)
    for patient in range(30, 36):
        everywhere: list[Visit] = [
            (patient, 30, sign * 1.5 * 2.0**power, "icu") for power in range(-10, 39) for sign in (1, -1)
        ]
        with open_clinic(tmp_path / str(patient), everywhere) as curator:
            curator.bounds("visits.cost", epsilon=1.0)
    assert len(seen) == 6
    for draws, exact in seen:
        assert draws.noises == (Laplace(3.0),)
        assert 0 < sum(count for row in exact.sets[0].sums for count in row) <= 3
