"""A census through the door: one charge, one record, read a run of areas at a time, and resumed after any crash."""

from __future__ import annotations

import math
import os
import signal
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from curator.door.test_wings import kill_in_child, kinds
from discreet.base.errors import BudgetError, DiscreetError, LedgerError, ParameterError
from discreet.curator import Curator
from discreet.curator.door import levels
from discreet.curator.door.operation import declare, identify
from discreet.ledger.steps import watch_steps
from discreet.noise.bits import replayed
from discreet.topdown.measure.asked import AskedQuery, certify_epsilon
from discreet.topdown.measure.measurement import CensusMeasurement, hash_geography, prepare_measurement
from discreet.topdown.measure.measurements import CensusMeasurements
from discreet.topdown.planning.rounded_variance import compute_rounded_variance
from discreet.topdown.readings import LevelReading
from discreet.topdown.spec.geography import Geography, Level
from discreet.topdown.spec.queries import Query, QueryPart
from discreet.topdown.spec.schema import Attribute, CensusSchema
from support.sampling import GeneratorBits
from topdown.measure.small_census import (
    ADULT,
    BLOCKS,
    DETAIL,
    GEOGRAPHY,
    ODD,
    PEOPLE,
    SCHEMA,
    SEX_AGE,
    TOTAL,
    Person,
    count_exactly,
    list_asked,
    open_census,
)

EXACT = Fraction(10**3)
"""So much rho for each query that noise of its sigma, 0.03 at most, is never rounded to anything but 0."""

RHO = Fraction(3)


def prepare(curator: Curator, asked: Sequence[AskedQuery] | None = None, **how: Any) -> CensusMeasurement:
    given: dict[str, Any] = {"table": "people", "area": "block", "geography": GEOGRAPHY, "schema": SCHEMA}
    return prepare_measurement(
        curator.session(), **given | {"asked": list_asked(RHO) if asked is None else asked} | how
    )


def perform(curator: Curator, operation: CensusMeasurement, **how: Any) -> tuple[CensusMeasurements, str]:
    found, receipt = curator.session().perform(operation, operation.describe(), **how)
    return found, receipt.paid


def values(readings: Sequence[LevelReading]) -> list[list[list[int]]]:
    return [each.values.tolist() for each in readings]


@pytest.fixture(autouse=True)
def _cut_finely(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let parts have at most two areas in detail."""
    monkeypatch.setattr(levels, "MOST_ANSWERS", 24)


def exactly(queries: Sequence[Query] = (TOTAL, ADULT, SEX_AGE, DETAIL)) -> list[AskedQuery]:
    return [AskedQuery(level, query, EXACT) for level in range(3) for query in queries]


@pytest.mark.parametrize("area", ["block", "number"])
@pytest.mark.parametrize("unit", ['unit = "person"\nmax_rows = 1', "rows_are_units = true"])
def test_people_of_declared_areas_and_values_are_counted_and_no_other_row(tmp_path: Path, area: str, unit: str) -> None:
    numbered = tuple(str(10 * place) for place in range(len(BLOCKS)))
    leaves = replace(GEOGRAPHY.leaves, areas=numbered if area == "number" else BLOCKS)
    geography = Geography((*GEOGRAPHY.levels[:-1], leaves))
    with open_census(tmp_path, unit=unit, epsilon=1e9) as curator:
        found, paid = perform(curator, prepare(curator, exactly(), area=area, geography=geography))
    assert paid == "charged"
    nobody = ODD[-1] if unit == "rows_are_units = true" else None
    counted = [*PEOPLE, *([nobody] if nobody else [])]
    if area == "number":  # in that column those of no block have no area either
        assert [each[1] for each in ODD if each[1] in BLOCKS] == ["01"] * 6
    for each in found:
        exact = count_exactly(each.level, each.query, counted)
        assert np.array_equal(each.read().values, exact), (each.level, each.query.name)
    assert [len(each.parts) for each in found if each.level == 2] == [1, 1, 2, 4]


def test_it_is_charged_once_recorded_small_and_found_again(tmp_path: Path) -> None:
    with open_census(tmp_path) as curator:
        operation = prepare(curator)
        found, paid = perform(curator, operation)
        first = values(found.read_all())
        assert paid == "charged"
        assert perform(curator, prepare(curator))[1] == "free"
        assert values(perform(curator, prepare(curator))[0].read_all()) == first
        spent = curator.ledger.spent().spent
        assert RHO * (1 - Fraction(1, 10**12)) < spent[1] <= RHO
        parts = sum(len(each.parts) for each in found)
        assert kinds(curator) == ["CREATE", "CHARGE", *["MEASURE"] * parts, "RECORD"]
        (record,) = (entry for entry in curator.ledger.entries() if entry.kind == "RECORD")
        assert record.body["bytes"] < 80 * parts + 100, "names, and no number"
        fresh, again = perform(curator, operation, fresh=True)
        assert again == "charged"
        assert values(fresh.read_all()) != first
        assert curator.ledger.verify().ok
    with open_census(tmp_path) as curator:
        later, paid = perform(curator, prepare(curator))
        assert paid == "free"
        assert values(later.read_all()) in (first, values(fresh.read_all()))


def test_readings_are_near_the_truth_and_say_how_near(tmp_path: Path) -> None:
    with open_census(tmp_path) as curator:
        found, _ = perform(curator, prepare(curator))
    wrong = 0
    for each, reading in zip(found, found.read_all(), strict=True):
        off = reading.values - count_exactly(each.level, each.query)
        assert reading.variance == each.variance == compute_rounded_variance(each.noise.sigma)
        assert np.abs(off).max() < 8 * reading.variance**0.5
        wrong += int((off != 0).sum())
    assert wrong > 50
    assert [(each.level, each.query.name) for each in found] == [
        (level, name) for level in range(3) for name in ("total", "adult", "detail")
    ]


def test_any_run_of_areas_can_be_read_and_a_part_at_a_time(tmp_path: Path) -> None:
    with open_census(tmp_path) as curator:
        asked: list[str] = []
        operation = prepare(curator)

        def read_part(name: str) -> bytes:
            asked.append(name)
            return operation.read_part(name)

        found, _ = perform(curator, replace(operation, read_part=read_part))
        assert not asked, "nothing is read before it is needed"
        detail = found.find_level(2)[-1]
        whole = detail.read().values
        assert len(asked) == len(detail.parts) == 4
        for first in range(8):
            for last in range(first, 8):
                part = detail.read(first, last)
                assert np.array_equal(part.values, whole[first:last])
                assert part.values.shape == (last - first, 12)
        asked.clear()
        pieces = list(detail.split(1))
        assert [first for first, _ in pieces] == list(range(7))
        assert np.array_equal(np.concatenate([each.values for _, each in pieces]), whole)
        assert len(asked) <= 4
        assert [each.values.shape for each in found.read_level(1, 1, 3)] == [(2, 1), (2, 2), (2, 12)]
        assert found.check() > 0
        with pytest.raises(ParameterError, match="a run of areas"):
            detail.read(3, 8)


def test_a_part_that_is_gone_is_an_error_and_no_new_draw(tmp_path: Path) -> None:
    with open_census(tmp_path) as curator:
        found, _ = perform(curator, prepare(curator))
        name = found[0].parts[0].name
        (tmp_path / ".discreet" / "results" / name).unlink()
        again, paid = perform(curator, prepare(curator))
        assert paid == "free"
        with pytest.raises(LedgerError, match="not drawn again"):
            again[0].read()
        with pytest.raises(LedgerError, match="not drawn again"):
            again.check()


def test_the_identity_of_a_census_never_changes(tmp_path: Path) -> None:
    with open_census(tmp_path) as curator:
        assert identify(prepare(curator), "1") == GOLDEN
        assert identify(prepare(curator, delta=1e-9), "1") == GOLDEN_CERTIFIED


GOLDEN = "f76132acdaa6103cd145c1a61023b938de146961fc63827f5657b6f66e87afa8"
GOLDEN_CERTIFIED = "5d041a435b5fc2f89bf7fd5265e9e4e4a60e26b7d875a2e6980c6a5e0ae2f0c3"


def _rename(query: Query) -> Query:
    return replace(query, name=f"{query.name}!", schema=replace(SCHEMA, zeros=({"sex": frozenset({0})},)))


def test_names_and_impossible_combinations_are_no_part_of_it(tmp_path: Path) -> None:
    named = Geography(tuple(replace(level, name=f"{level.name}!") for level in GEOGRAPHY.levels))
    asked = [replace(each, query=_rename(each.query)) for each in list_asked(RHO)]
    with open_census(tmp_path) as curator:
        first = values(perform(curator, prepare(curator))[0].read_all())
        again, paid = perform(curator, prepare(curator, asked, geography=named, schema=asked[0].query.schema))
        assert paid == "free"
        assert values(again.read_all()) == first


MOVED = Geography((*GEOGRAPHY.levels[:2], Level("block", BLOCKS, np.array([0, 0, 1, 1, 2, 2, 2]))))
SWAPPED = Geography((*GEOGRAPHY.levels[:2], replace(GEOGRAPHY.leaves, areas=(*BLOCKS[:5], "zz10", "zz9"))))
OTHER_GROUPS = Query("adult", SCHEMA, (QueryPart(1, (0, 0, 1)),))


@pytest.mark.parametrize(
    ("asked", "how"),
    [
        (None, {"geography": MOVED}),
        (None, {"geography": SWAPPED}),
        (list_asked(RHO)[:-1], {}),
        (list_asked(RHO * 2), {}),
        (list_asked(RHO, (TOTAL, OTHER_GROUPS, DETAIL)), {}),
        (None, {"delta": 1e-9}),
    ],
    ids=["parents", "names", "queries", "rho", "groups", "certified"],
)
def test_what_shapes_the_result_is_part_of_its_identity(
    tmp_path: Path, asked: list[AskedQuery] | None, how: dict[str, Any]
) -> None:
    with open_census(tmp_path) as curator:
        assert identify(prepare(curator, asked, **how), "1") != identify(prepare(curator), "1")


def test_geographies_with_other_names_or_parents_have_other_hashes() -> None:
    joined = replace(GEOGRAPHY.leaves, areas=("01", "021", "x", *BLOCKS[3:]))
    every = [GEOGRAPHY, MOVED, SWAPPED, Geography((*GEOGRAPHY.levels[:2], joined))]
    assert len({hash_geography(each) for each in every}) == 4


def test_a_certified_census_is_charged_its_epsilon_at_its_delta(tmp_path: Path) -> None:
    with open_census(tmp_path) as curator:
        operation = prepare(curator, delta=1e-10)
        _, receipt = curator.session().perform(operation)
        wanted = certify_epsilon(RHO, 1e-10)
        assert wanted.low * (1 - 1e-9) <= receipt.charge.epsilon <= wanted.high * (1 + 1e-9)
        assert receipt.charge.delta == Fraction(1, 10**10)
        assert wanted.high < float(RHO) + 2 * (float(RHO) * math.log(10**10)) ** 0.5 - 0.5, "less than rho comes to"


TEN = (BLOCKS[0], "f", 0, True)


@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
@pytest.mark.parametrize(
    "changed",
    [
        (50, "zz9", "m", 1, True),
        (50, "A", "f", 0, False),
        (50, "nowhere", "m", 1, True),
        (50, None, None, None, None),
    ],
)
def test_neighbours_differ_in_what_one_person_may_move_and_in_nothing_else(
    tmp_path: Path, neighbours: str, changed: Person
) -> None:
    """The same recorded randomness over both: every answer but one, or two, is the same."""
    rows = [*PEOPLE, (50, *TEN)]
    others = [*PEOPLE, changed] if neighbours == "replace" else list(PEOPLE)
    told = []
    for name, people in (("one", rows), ("other", others)):
        with open_census(tmp_path / name, people, neighbours=neighbours) as curator:
            with replayed(GeneratorBits(7)):
                found, paid = perform(curator, prepare(curator))
            seen = (paid, kinds(curator), curator.ledger.spent().spent, [each.parts[-1].last for each in found])
            told.append((seen, found.read_all(), prepare(curator).charge))
    (seen, one, charge), (also, other, same) = told
    assert seen == also
    assert charge == same
    moved = Fraction(0)
    for a, b, noise in zip(
        one, other, [each.make_noise(prepare_unit(neighbours)) for each in list_asked(RHO)], strict=True
    ):
        apart = int(((a.values - b.values) ** 2).sum())
        assert apart <= (2 if neighbours == "replace" else 1)
        moved += Fraction(apart) / (2 * Fraction(noise.sigma) ** 2)
    assert 0 < moved <= charge.rho


class _Unit:
    rows = 1

    def __init__(self, factor: int) -> None:
        self.factor = factor


def prepare_unit(neighbours: str) -> Any:
    return _Unit(2 if neighbours == "replace" else 1)


def test_people_over_their_limit_move_no_more_than_it(tmp_path: Path) -> None:
    """A person with nine rows, of which two are kept: all in one answer at the top, so two, and not nine."""
    unit = 'unit = "person"\nmax_rows = 2'
    heavy = [(77, BLOCKS[place % 7], "f", place % 3, True) for place in range(9)]
    with open_census(tmp_path / "one", [*PEOPLE, *heavy], unit=unit, epsilon=1e9) as curator:
        one = perform(curator, prepare(curator, exactly()))[0].read_all()
    with open_census(tmp_path / "other", PEOPLE, unit=unit, epsilon=1e9) as curator:
        operation = prepare(curator, exactly())
        assert operation.plan.rows == 2
        other = perform(curator, operation)[0].read_all()
    assert all(int((a.values - b.values).sum()) == 2 for a, b in zip(one, other, strict=True))


GAPS = ["before part", "part kept", "before journal", "journaling", "journaled", "before record", "recording"]


def die_at(gap: str, times: int) -> Callable[[str], None]:
    left = [times]

    def watch(step: str) -> None:
        if step == gap:
            left[0] -= 1
            if left[0] < 0:
                os.kill(os.getpid(), signal.SIGKILL)

    return watch


@pytest.mark.parametrize(
    ("gap", "times"),
    [("part kept", 7), *(pytest.param(gap, 0 if "record" in gap else 3, marks=pytest.mark.long) for gap in GAPS)],
)
def test_killed_anywhere_it_is_resumed_with_the_same_measurements_and_one_charge(
    tmp_path: Path, gap: str, times: int
) -> None:
    open_census(tmp_path).close()

    def killed() -> None:
        with open_census(tmp_path) as curator, watch_steps(die_at(gap, times)):
            perform(curator, prepare(curator))

    kill_in_child(killed)
    with open_census(tmp_path) as curator:
        operation = prepare(curator)
        request = curator.session()._request(declare(operation), "")
        with curator.ledger.charge(request, operation.charge) as claim:
            before = [row.result.decode() for row in curator.ledger.runs.read_journal(claim)]
        kept = [curator.ledger.parts.read(name) for name in before]
        found, paid = perform(curator, operation)
        names = [part.name for each in found for part in each.parts]
        assert paid == "free"
        assert names[: len(before)] == before, "what was journaled is not drawn again"
        assert [curator.session().read_part(name) for name in before] == kept
        assert len(before) == (len(names) if "record" in gap else times + (gap == "journaled"))
        assert kinds(curator).count("CHARGE") == kinds(curator).count("RECORD") == 1
        assert kinds(curator).count("MEASURE") == len(names)
        assert curator.ledger.spent().spent[1] <= RHO
        for each in found:
            off = each.read().values - count_exactly(each.level, each.query)
            assert np.abs(off).max() < 8 * each.variance**0.5
        assert curator.ledger.verify().ok


def test_a_ledger_on_postgresql_keeps_parts_and_goes_on_after_a_crash(
    tmp_path: Path, postgres: Any, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CENSUS_LEDGER", postgres.dsn(database))

    def stop(step: str) -> None:
        if step == "part kept":
            stopped.append(step)
            if len(stopped) == 6:
                raise LedgerError("the server is gone")

    stopped: list[str] = []
    with open_census(tmp_path, ledger="CENSUS_LEDGER") as curator:
        with watch_steps(stop), pytest.raises(DiscreetError, match="without a new charge"):
            perform(curator, prepare(curator))
        assert kinds(curator).count("MEASURE") == 5
    with open_census(tmp_path, ledger="CENSUS_LEDGER") as curator:
        found, paid = perform(curator, prepare(curator))
        assert paid == "free"
        names = [part.name for each in found for part in each.parts]
        assert kinds(curator).count("MEASURE") == len(names)
        assert kinds(curator).count("STATE") == len(names) + 1, "and one part that nothing names"
        for each in found:
            off = each.read().values - count_exactly(each.level, each.query)
            assert np.abs(off).max() < 8 * each.variance**0.5
        assert curator.ledger.verify().ok


BIG = Attribute("age", (0, 1, 2, "three"))


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"table": "towns"}, "a private one"),
        ({"table": "nowhere"}, "there is no table"),
        ({"area": "blocks"}, "a column of people"),
        ({"area": "person"}, "a column of people"),
        ({"area": "votes"}, "texts or of whole numbers"),
        ({"area": "number"}, "a column of such"),
        ({"area": "short"}, "a column of people"),
        ({"schema": CensusSchema((Attribute("income", (1, 2)),)), "asked": []}, "at least one"),
        ({"delta": 1e-6}, "delta"),
        ({"delta": 0.0}, "delta"),
        ({"asked": [AskedQuery(4, TOTAL, RHO)]}, "level"),
    ],
)
def test_what_cannot_run_is_refused_before_the_charge(tmp_path: Path, how: dict[str, Any], told: str) -> None:
    with open_census(tmp_path) as curator:
        with pytest.raises(DiscreetError, match=told):
            prepare(curator, **how)
        assert kinds(curator) == ["CREATE"]


@pytest.mark.parametrize(
    ("attribute", "told"),
    [
        (Attribute("income", (1, 2)), "a column of people"),
        (BIG, "CAST"),
        (Attribute("person", (1,)), "a column of people"),
    ],
)
def test_attributes_that_the_table_has_not_are_refused_before_the_charge(
    tmp_path: Path, attribute: Attribute, told: str
) -> None:
    schema = CensusSchema((attribute,))
    with open_census(tmp_path) as curator:
        with pytest.raises(DiscreetError, match=told):
            prepare(curator, [AskedQuery(0, Query("total", schema), RHO)], schema=schema)
        assert kinds(curator) == ["CREATE"]


def test_a_policy_without_delta_or_room_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    with open_census(tmp_path / "pure", delta=0) as curator, pytest.raises(ParameterError, match="has a delta"):
        prepare(curator)
    with open_census(tmp_path / "small", epsilon=1.0) as curator:
        with pytest.raises(BudgetError):
            perform(curator, prepare(curator))
        assert kinds(curator) == ["CREATE"]


def test_a_schema_of_one_cell_counts_people_by_area(tmp_path: Path) -> None:
    schema = CensusSchema((Attribute("sex", ("f",)),))
    with open_census(tmp_path, epsilon=1e9) as curator:
        operation = prepare(curator, [AskedQuery(2, Query("total", schema), EXACT)], schema=schema)
        (found,) = perform(curator, operation)[0].read_all()
    exact = [sum(block == each and sex == "f" for _, block, sex, _, _ in PEOPLE) for each in BLOCKS]
    extra = [3 if each == "01" else 0 for each in BLOCKS]
    assert found.values[:, 0].tolist() == [a + b for a, b in zip(exact, extra, strict=True)]
