"""A census spec is read exactly as written, or refused with everything that is wrong with it, before any charge."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet.base.errors import PolicyError
from discreet.topdown.spec.invariants import NO_MOST
from discreet.topdown.spec.reading import read_spec
from topdown.spec.small_census import AREAS, POLICY, read_census, refuse_census, write_census


def test_a_whole_spec_is_read_word_for_word(tmp_path: Path) -> None:
    spec = read_census(tmp_path)
    assert (spec.table, spec.area, spec.rows, spec.factor) == ("people", "town", 1, 2)
    assert [level.areas for level in spec.geography.levels] == [("land",), ("north", "south"), ("11", "12", "21", "22")]
    assert [level.parents.tolist() for level in spec.geography.levels] == [[0], [0, 0], [0, 0, 1, 1]]
    assert spec.schema.shape == (3, 2)
    assert spec.schema.impossible.tolist() == [[False, False], [True, False], [False, False]]
    assert [(query.name, query.shape) for query in spec.queries] == [
        ("total", ()),
        ("kind", (3,)),
        ("facility", (2,)),
        ("detailed", (3, 2)),
    ]
    assert spec.allocation.rho == Fraction(5, 2)
    assert spec.allocation.delta == Fraction(1, 10**10)
    assert spec.allocation.levels == (Fraction(1, 2), Fraction(1, 4), Fraction(1, 4))
    assert spec.allocation.queries[2] == {"kind": Fraction(1, 7), "detailed": Fraction(6, 7)}
    totals, facilities = spec.invariants
    assert (totals.level, totals.query.name, totals.exact, totals.values.tolist()) == (1, "total", True, [[100], [50]])
    assert facilities.values.tolist() == [[0, 2, 0], [0, 0, 0], [0, 0, 0], [0, 1, 1]]
    assert facilities.most is not None
    free = NO_MOST
    assert facilities.most.tolist() == [[free, free, 0], [free, 0, 0], [free, 0, 0], [free, free, free]]
    assert not facilities.exact


def test_answers_have_the_labels_of_their_attributes_and_recodes(tmp_path: Path) -> None:
    spec = read_census(tmp_path)
    assert spec.label_answers("total") == [()]
    assert spec.label_answers("facility") == [("home",), ("facility",)]
    assert spec.label_answers("detailed")[:3] == [("home", "no"), ("home", "yes"), ("prison", "no")]


def test_the_order_of_attributes_in_a_query_does_not_matter(tmp_path: Path) -> None:
    spec = read_census(tmp_path, ('detailed = ["kind", "adult"]', 'detailed = ["adult", "kind"]'))
    assert spec.find_query("detailed").shape == (3, 2)
    assert spec.label_answers("detailed")[1] == ("home", "yes")


def test_what_is_public_is_propagated_upward(tmp_path: Path) -> None:
    country, regions, towns = read_census(tmp_path).known
    known = {invariant.query.name: invariant for invariant in country}
    assert known["total"].exact
    assert known["total"].values.tolist() == [[150]]
    assert known["kind"].values.tolist() == [[0, 3, 1]]
    most = next(each for each in regions if each.query.name == "kind").most
    assert most is not None
    assert (most == 0).tolist() == [[False, False, True], [False, False, False]]
    assert [each.name for each in towns] == ["facilities"]


def test_the_receipt_says_between_which_databases_the_guarantee_holds(tmp_path: Path) -> None:
    first, second = read_census(tmp_path).guarantee
    assert "the same answers to total in every area of Region" in first
    assert "keep the public bounds on kind in every area of Town" in second


def test_the_digest_is_that_of_what_is_declared_and_not_of_where_it_lies(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    here, there = read_census(tmp_path / "a"), read_census(tmp_path / "b")
    assert here.digest == there.digest
    changed = [
        read_census(tmp_path, ('rho = "5/2"', "rho = 2.6")),
        read_census(tmp_path, areas_csv=AREAS.replace("21", "23"), facilities_csv="Town,kind,count\n"),
        read_census(tmp_path, totals_csv="Region,count\nnorth,101\nsouth,50\n"),
        read_census(tmp_path, ('adult = ["no"]\n', 'adult = ["yes"]\n')),
        read_census(tmp_path, policy_toml=POLICY.replace("max_rows = 1", "max_rows = 2")),
    ]
    assert len({here.digest, *(each.digest for each in changed)}) == 6


def test_a_spec_says_what_it_is_in_words(tmp_path: Path) -> None:
    told = str(read_census(tmp_path))
    assert "Country 1, Region 2, Town 4" in told
    assert "3 x 2 = 6, 1 of them impossible" in told


def test_everything_wrong_is_told_at_once(tmp_path: Path) -> None:
    lines = refuse_census(
        tmp_path,
        ('table = "people"', 'table = "folk"'),
        ("delta = 1e-10", "delta = 0"),
        ('share = "1/2"', 'share = "1/3"'),
        ('file = "areas.csv"', 'file = "nowhere.csv"'),
    )
    assert len(lines) == 4
    assert lines[0].startswith('census.table: is "folk", no private table')
    assert any(line.startswith("geography.file: there is no file") for line in lines)
    assert any(line.startswith("budget.delta: is 0") for line in lines)
    assert any("add up to 5/6" in line and "1/6 is missing" in line for line in lines)


def test_mistakes_in_every_section_are_told_at_once_and_none_hides_another(tmp_path: Path) -> None:
    lines = refuse_census(
        tmp_path,
        ('area = "town"', 'area = "secret"'),
        ('groups = { home = ["home"], facility = ["prison", "school"] }', 'groups = { home = ["home"] }'),
        ('kind = ["prison"]\nadult = ["no"]', 'kind = ["ship", "raft"]\nadult = ["maybe"]'),
        ('\nkind = ["kind"]', '\nkind = ["sort", "size"]'),
        ('rho = "5/2"', "rho = -1"),
        ('share = "1/4"', 'share = "1/5"'),
        ('level = "Town"', 'level = "Village"'),
        totals_csv="area\n",
    )
    assert [line.partition(":")[0] for line in lines] == [
        "census.area",
        "recodes.facility.groups",
        "budget.rho",
        "levels",
        "invariants.facilities.level",
    ]
    lines = refuse_census(
        tmp_path,
        ('kind = ["prison"]\nadult = ["no"]', 'kind = ["ship", "raft"]\nadult = ["maybe"]'),
        ("[queries]", '[zeros.other]\nkind = ["wreck"]\n[queries]'),
        ('\nkind = ["kind"]', '\nkind = ["sort"]'),
    )
    assert [line.partition(";")[0] for line in lines] == [
        'zeros.young_prisoners.kind: "ship" is no value of kind',
        'zeros.young_prisoners.kind: "raft" is no value of kind',
        'zeros.young_prisoners.adult: "maybe" is no value of adult',
        'zeros.other.kind: "wreck" is no value of kind',
        'queries.kind: "sort" is no attribute or recode',
    ]
    lines = refuse_census(
        tmp_path,
        ('\nkind = ["kind"]', '\nkind = ["sort", "size"]'),
        ('detailed = ["kind", "adult"]', "detailed = 4"),
        ('share = "1/2"', 'share = "1/3"'),
    )
    assert [line.partition(":")[0] for line in lines] == ["queries.kind", "queries.kind", "queries.detailed", "levels"]


def test_mistakes_in_the_policy_do_not_hide_those_in_the_spec(tmp_path: Path) -> None:
    path = write_census(
        tmp_path, ('share = "1/2"', 'share = "1/3"'), policy_toml=POLICY.replace("epsilon = 20", "epsilon = -20")
    )
    with pytest.raises(PolicyError) as found:
        read_spec(path)
    first, second = str(found.value).splitlines()
    assert first.startswith(f"{tmp_path / 'policy.toml'}: budget.epsilon")
    assert second.startswith(f"{path}: levels: the shares of the levels add up to 5/6")


def test_no_file_is_read_where_nobody_knows_which_are_private(tmp_path: Path) -> None:
    path = write_census(
        tmp_path,
        ('file = "areas.csv"', 'file = "people.csv"'),
        policy_toml=POLICY.replace("epsilon = 20", "").replace("people.parquet", "people.csv"),
    )
    (tmp_path / "people.csv").write_text("Country,Region,Town\nBob Secret,north,1\nEve,north,2\n")
    with pytest.raises(PolicyError) as found:
        read_spec(path)
    assert "Bob" not in str(found.value)


def test_a_budget_without_a_delta_pays_for_no_census(tmp_path: Path) -> None:
    (line,) = refuse_census(tmp_path, policy_toml=POLICY.replace("delta = 1e-9\n", ""))
    assert line.startswith(f"census.policy: {tmp_path / 'policy.toml'} has no budget.delta")


@pytest.mark.parametrize(
    ("declared", "told"),
    [
        ('town = { type = "float" }', 'census.area: "town" is a column of type float; name one of texts or of whole'),
        ('kind = { type = "integer" }', 'attributes.kind: values has "home", which no column of type integer holds'),
        ("kind = { longest = 4 }", 'attributes.kind: "prison" has more letters than the policy\'s longest = 4'),
    ],
)
def test_what_the_policy_says_of_columns_is_compared_with_the_spec(tmp_path: Path, declared: str, told: str) -> None:
    policy = POLICY.replace("adult = {", f"{declared}\nadult = {{")
    assert any(line.startswith(told) for line in refuse_census(tmp_path, policy_toml=policy))


def test_values_beyond_the_bounds_of_their_column_and_the_unit_itself_are_refused(tmp_path: Path) -> None:
    policy = POLICY.replace("adult = {", "age = { lower = 0, upper = 9 }\nadult = {")
    lines = refuse_census(tmp_path, ("[attributes]", "[attributes]\nage = [9, 10]\nperson = [1]"), policy_toml=policy)
    assert [line.partition(";")[0] for line in lines] == [
        "attributes.age: 10 is outside of the policy's bounds of this column",
        "attributes.person: is the unit of people: who somebody is, never counted",
    ]
    (line,) = refuse_census(tmp_path, ('area = "town"', 'area = "person"'))
    assert line.startswith("census.area: is the unit of people: who somebody is, not where")


def test_a_missing_spec_and_a_missing_policy_are_named(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match=r"census\.toml: there is no such file; name the census\.toml"):
        read_spec(tmp_path / "census.toml")
    path = write_census(tmp_path, ('table = "people"', 'table = "people"\npolicy = "other.toml"'))
    with pytest.raises(PolicyError, match=r"other\.toml: there is no such file"):
        read_spec(path)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('table = "people"', 'table = "towns"', 'census.table: is "towns", no private table'),
        ('table = "people"\n', "", "census.table: is missing"),
        ('area = "town"', 'area = "secret"', "census.area: is a hidden column of people"),
        ('area = "town"', "", "census.area: is missing"),
        ("[census]", "[census]\nyear = 2020", "census.year: is not known"),
        ("[census]", "[levles.X]\n[census]", "levles: is not known; did you mean levels?"),
        ("[attributes]", "[attributes]\nsecret = [1, 2]", "attributes.secret: is a hidden column"),
    ],
)
def test_what_is_counted_must_be_there(tmp_path: Path, old: str, new: str, told: str) -> None:
    assert refuse_census(tmp_path, (old, new))[0].startswith(told)


def test_exact_totals_under_add_remove_are_refused_and_facilities_are_not(tmp_path: Path) -> None:
    policy = POLICY.replace('"replace"', '"add-remove"')
    (line,) = refuse_census(tmp_path, policy_toml=policy)
    assert line.startswith('invariants."region totals".exact: no two neighbours share exact totals')
    assert 'write neighbours = "replace" in the policy' in line
    kept = read_census(tmp_path, ('exact = "totals.csv"', 'at_least = "totals.csv"'), policy_toml=policy)
    assert kept.factor == 1
    assert [each.exact for each in kept.invariants] == [False, False]


def test_a_table_whose_rows_are_units_has_one_row_for_each(tmp_path: Path) -> None:
    policy = POLICY.replace('unit = "person"\nmax_rows = 1', "rows_are_units = true")
    assert read_census(tmp_path, policy_toml=policy).rows == 1


def test_rows_of_a_unit_are_those_of_one_group(tmp_path: Path) -> None:
    policy = POLICY.replace("max_rows = 1", "max_rows = 9\nmax_groups = 2\nmax_rows_per_group = 3")
    assert read_census(tmp_path, policy_toml=policy).rows == 3


def test_parquet_files_are_read_like_csv(tmp_path: Path) -> None:
    table = pa.table(
        {"Country": ["land"] * 4, "Region": ["north", "north", "south", "south"], "Town": [11, 12, 21, 22]}
    )
    write_census(tmp_path)
    pq.write_table(table, tmp_path / "areas.parquet")
    spec = read_census(tmp_path, ('file = "areas.csv"', 'file = "areas.parquet"'))
    assert spec.digest == read_census(tmp_path).digest


def test_areas_beyond_the_bounds_of_their_column_are_refused(tmp_path: Path) -> None:
    policy = POLICY.replace("adult = {", "town = { lower = 0, upper = 21 }\nadult = {")
    (line,) = refuse_census(tmp_path, policy_toml=policy)
    assert line == (
        'geography.file: "22" is outside of the policy\'s bounds of the column "town"; '
        "widen lower and upper there, or take them out"
    )


@pytest.mark.parametrize(("lower", "upper", "area"), [(11, 30, "11"), (0, 22, "22")])
def test_areas_at_the_bounds_of_their_column_would_hold_who_lives_beyond(
    tmp_path: Path, lower: int, upper: int, area: str
) -> None:
    policy = POLICY.replace("adult = {", f"town = {{ lower = {lower}, upper = {upper} }}\nadult = {{")
    (line,) = refuse_census(tmp_path, policy_toml=policy)
    assert line == (
        f'geography.file: "{area}" is one of the policy\'s bounds of the column "town", and who lives beyond would be '
        "counted in it; widen lower and upper there by 1, or take them out"
    )


def test_areas_one_within_the_bounds_of_their_column_are_taken_below_0_too(tmp_path: Path) -> None:
    policy = POLICY.replace("adult = {", "town = { lower = -12, upper = 23 }\nadult = {")
    areas = AREAS.replace("11", "-11")
    facilities = "Town,kind,count\n-11,prison,2\n"
    spec = read_census(tmp_path, policy_toml=policy, areas_csv=areas, facilities_csv=facilities)
    assert "-11" in spec.geography.leaves.areas


def test_regrouped_levels_keep_their_published_areas(tmp_path: Path) -> None:
    levels = 'levels = ["Country", "Region", "District", "Town"]\n[geography.regroup]\nDistrict = 2'
    rows = [f"land,r{n // 6},d{n // 2},{n}" for n in range(100, 112)]
    spec = read_census(
        tmp_path,
        ('levels = ["Country", "Region", "Town"]', levels),
        ("[levels.Town]", '[levels.District]\nshare = "0"\n[levels.Town]'),
        ('[invariants."region totals"]\nlevel = "Region"\nquery = "total"\nexact = "totals.csv"\n', ""),
        areas_csv="\n".join(["Country,Region,District,Town", *rows]) + "\n",
        facilities_csv="Town,kind,count\n",
    )
    assert len(spec.geography.levels[2]) == len(np.unique(spec.geography.levels[3].parents))
    published = spec.spine.find_published("District")
    assert published.areas == tuple(f"d{n}" for n in range(50, 56))
    assert published.places.tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
    lines = refuse_census(
        tmp_path,
        ('levels = ["Country", "Region", "Town"]', levels),
        ("[levels.Town]", '[levels.District]\nshare = "0"\n[levels.Town]'),
        ('level = "Region"', 'level = "District"'),
        areas_csv="\n".join(["Country,Region,District,Town", *rows]) + "\n",
        facilities_csv="Town,kind,count\n",
    )
    assert lines[0].startswith('invariants."region totals".level: "District" is regrouped')
