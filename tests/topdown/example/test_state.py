"""A generated state is skewed like a real one, has all its files, and keeps what its public files say."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from discreet.base.errors import ParameterError
from discreet.policy import load
from discreet.privacy import Neighbours
from discreet.topdown.example.people import SHAPE
from discreet.topdown.example.production import KINDS, LEVELS, RACES, STRICT_DELTA
from discreet.topdown.example.state import GeneratedState, make_state
from discreet.topdown.planning.noise import plan_noise
from discreet.topdown.spec.census_spec import CensusSpec
from discreet.topdown.spec.invariants import Invariant
from discreet.topdown.spec.reading import read_spec

PEOPLE = 40_000
SIZES = (990, 30, 10, 3, PEOPLE)
"""Blocks, block groups, tracts, counties and people."""


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> GeneratedState:
    return make_state(tmp_path_factory.mktemp("state"), *SIZES)


@pytest.fixture(scope="module")
def spec(state: GeneratedState) -> CensusSpec:
    return read_spec(state.spec)


def count(state: GeneratedState, spec: CensusSpec) -> np.ndarray:
    """Return the truth by block in the geography's own order."""
    order = np.argsort(state.places.codes[-1].astype(str))
    assert tuple(state.places.codes[-1][order].astype(str)) == spec.geography.leaves.areas
    return state.people.count_cells()[order].astype(np.int64)


def test_the_spec_has_the_settings_of_2020(spec: CensusSpec) -> None:
    assert tuple(level.name for level in spec.geography.levels) == LEVELS
    assert [len(level) for level in spec.geography.levels] == [1, 1, 3, 10, 30, 990]
    assert spec.schema.shape == SHAPE == (8, 2, 2, 63)
    assert spec.schema.cells == 2016
    assert spec.schema.impossible.sum() == 126
    assert len(spec.queries) == 11
    assert spec.find_query("institution").size == 3
    assert len(RACES) == len(set(RACES)) == 63
    assert spec.allocation.rho == Fraction(293764, 114921)
    assert spec.allocation.levels[1] == Fraction(1440, 4099)
    totals = [shares.get("total") for shares in spec.allocation.queries]
    assert totals == [
        None,
        Fraction(3773, 4097),
        Fraction(3126, 4097),
        Fraction(1567, 4102),
        Fraction(1705, 4099),
        Fraction(5, 4097),
    ]
    assert spec.allocation.queries[5]["detailed"] == Fraction(3945, 4097)
    assert plan_noise(spec).certify().high <= 0.961 * 17.14


def test_the_policy_is_of_people_who_may_be_replaced(state: GeneratedState) -> None:
    policy = load(state.policy)
    assert policy.neighbours is Neighbours.REPLACE
    assert policy.table("people").max_rows == 1
    assert policy.delta * PEOPLE <= Fraction(1, 100)


def test_the_private_table_has_a_row_for_each_person(state: GeneratedState) -> None:
    table = pq.read_table(state.folder / "people.parquet")
    assert table.column_names == ["person", "block", "kind", "voting_age", "ethnicity", "race"]
    assert table.num_rows == PEOPLE
    assert sorted(table["person"].to_pylist()) == list(range(1, 40_001))
    assert set(table["block"].to_pylist()) <= set(state.places.codes[-1].tolist())
    kinds = np.array(table["kind"].to_pylist())
    assert np.array_equal(kinds, np.array(KINDS)[state.people.values[0]])


def test_everybody_keeps_what_the_public_files_say(state: GeneratedState, spec: CensusSpec) -> None:
    cells = count(state, spec)
    assert not cells[:, spec.schema.impossible.reshape(-1)].any()
    checked: list[Invariant] = []
    for place, known in enumerate(spec.known):
        level = spec.geography.ancestors[place]
        areas = np.zeros((len(spec.geography.levels[place]), cells.shape[1]), dtype=np.int64)
        np.add.at(areas, level, cells)
        for each in known:
            answers = each.query.answer(areas)
            assert (answers == each.values).all() if each.exact else (answers >= each.values).all()
            assert each.most is None or (answers <= each.most).all()
            checked.append(each)
    assert len(checked) == 8


def test_it_is_skewed_like_real_areas(state: GeneratedState, spec: CensusSpec) -> None:
    cells = count(state, spec)
    people = cells.sum(axis=1)
    assert 0.25 < (people == 0).mean() < 0.5
    assert people.max() > 8 * people.mean()
    kinds = spec.find_query("kind").answer(cells)
    assert 0.01 < kinds[:, 1:].sum() / people.sum() < 0.06
    assert (kinds[:, 1:].sum(axis=1) > 0).mean() < 0.06
    assert (kinds[:, 1:].sum(axis=0) > 0).all()
    tracts = np.zeros((10, cells.shape[1]), dtype=np.int64)
    np.add.at(tracts, spec.geography.ancestors[3], cells)
    races = spec.find_query("race").answer(tracts)
    shares = races / races.sum(axis=1, keepdims=True)
    assert shares[:, 0].max() - shares[:, 0].min() > 0.3
    assert 0.02 < races[:, 6:].sum() / races.sum() < 0.15
    voting = spec.find_query("voting age").answer(cells).sum(axis=0)
    assert 0.7 < voting[1] / voting.sum() < 0.85


def test_the_same_seed_makes_the_same_state(state: GeneratedState, tmp_path: Path) -> None:
    again = make_state(tmp_path / "again", *SIZES)
    other = make_state(tmp_path / "other", *SIZES, seed=5)
    assert np.array_equal(again.people.cells, state.people.cells)
    assert np.array_equal(again.places.codes[-1], state.places.codes[-1])
    assert not np.array_equal(other.people.cells, state.people.cells)
    for name in ("census.toml", "policy.toml", "facilities.csv", "state_totals.csv"):
        assert (again.folder / name).read_text() == (state.folder / name).read_text()


def test_other_prices_and_regrouped_blocks_can_be_asked_for(tmp_path: Path) -> None:
    made = make_state(tmp_path, *SIZES, rho=Fraction(1, 3), delta=STRICT_DELTA, regroup=True)
    spec = read_spec(made.spec)
    assert (spec.allocation.rho, spec.allocation.delta) == (Fraction(1, 3), Fraction(1, 10**11))
    groups = spec.geography.levels[4]
    sizes = np.bincount(spec.geography.leaves.parents)
    assert 25 < sizes.mean() < 36
    assert len(groups) == len(sizes)
    assert len(spec.spine.find_published("Block group").areas) == 30


def test_a_small_state_and_one_without_people_enough(tmp_path: Path) -> None:
    made = make_state(tmp_path / "small", blocks=3, block_groups=1, tracts=1, counties=1, people=7)
    assert read_spec(made.spec).geography.leaves.areas == tuple(made.places.codes[-1].astype(str))
    assert made.people.count_cells().sum() == 7
    with pytest.raises(ParameterError, match="people must be at least 7: each facility holds somebody"):
        make_state(tmp_path / "few", blocks=3, block_groups=1, tracts=1, counties=1, people=6)
    with pytest.raises(ParameterError, match="at least as many areas of each level as of the one above it"):
        make_state(tmp_path / "odd", blocks=3, block_groups=4, tracts=1, counties=1, people=60)
    assert not (tmp_path / "few").exists()
