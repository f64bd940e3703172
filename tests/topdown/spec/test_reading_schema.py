"""Attributes, recodes, zeros and queries: every mistake is named, with what to write instead."""

from __future__ import annotations

from pathlib import Path

import pytest

from topdown.spec.small_census import POLICY, read_census, refuse_census

KIND = 'kind = ["home", "prison", "school"]'
GROUPS = 'groups = { home = ["home"], facility = ["prison", "school"] }'
ZERO = '[zeros.young_prisoners]\nkind = ["prison"]\nadult = ["no"]'


@pytest.mark.parametrize(
    ("new", "told"),
    [
        ('kind = ["home", "prison", "prison"]', 'attributes.kind: "prison" is there twice; write each value once'),
        ("kind = []", "attributes.kind: is []; write values of one kind"),
        ('kind = "home"', 'attributes.kind: is "home"; write values of one kind'),
        ('kind = ["home", 1]', "attributes.kind: has values that are not all texts, whole numbers or booleans"),
        ("kind = [1, true]", "attributes.kind: has values that are not all texts, whole numbers or booleans"),
        ("kind = [1.5, 2.5]", "attributes.kind: has values that are not all texts, whole numbers or booleans"),
        ('kind = ["home", "prison", ["a"]]', "attributes.kind: has values that are not all texts"),
    ],
)
def test_values_of_an_attribute_are_of_one_kind_and_each_once(tmp_path: Path, new: str, told: str) -> None:
    assert refuse_census(tmp_path, (KIND, new))[0].startswith(told)


def test_values_are_those_of_the_policy_where_it_has_some(tmp_path: Path) -> None:
    (line,) = refuse_census(tmp_path, ('adult = ["no", "yes"]', 'adult = ["no", "yes", "unknown"]'))
    assert line == (
        'attributes.adult: the policy has other values for this column: "unknown" is only in one of the two; '
        "write the same values here and there"
    )
    policy = POLICY.replace('values = ["no", "yes"]', "values = [false, true]")
    assert refuse_census(tmp_path, policy_toml=policy)[0].startswith("attributes.adult: the policy has other values")


def test_a_schema_has_attributes_and_not_too_many_cells(tmp_path: Path) -> None:
    assert refuse_census(tmp_path, (f'{KIND}\nadult = ["no", "yes"]\n', ""))[0].startswith("attributes: there is none")
    wide = f"kind = {list(range(3000))}\nmore = {list(range(3000))}"
    lines = refuse_census(tmp_path, (KIND, wide), (GROUPS, "groups = {}"))
    assert any("is missing" in line for line in lines)
    lines = refuse_census(tmp_path, (KIND, wide), (f'[recodes.facility]\nattribute = "kind"\n{GROUPS}', ""))
    assert lines[0].startswith("attributes: have 18,000,000 combinations of values; write fewer")


@pytest.mark.parametrize(
    ("new", "told"),
    [
        ('groups = { home = ["home"], facility = ["prison"] }', 'recodes.facility.groups: "school" of kind is in no'),
        (
            'groups = { home = ["home"], facility = ["prison", "school", "home"] }',
            'recodes.facility.groups.facility: "home" is in two groups',
        ),
        (
            'groups = { home = ["home"], facility = ["prison", "school", "ship"] }',
            'recodes.facility.groups.facility: "ship" is no value of kind',
        ),
        ('groups = { home = "home" }', "recodes.facility.groups.home: is"),
        ("groups = 3", "recodes.facility.groups: is 3, not a section"),
        ("", "recodes.facility.groups: is missing"),
    ],
)
def test_a_recode_puts_every_value_into_one_group(tmp_path: Path, new: str, told: str) -> None:
    assert refuse_census(tmp_path, (GROUPS, new))[0].startswith(told)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('attribute = "kind"', 'attribute = "sort"', 'recodes.facility.attribute: is "sort", no attribute'),
        ('attribute = "kind"', "", "recodes.facility.attribute: is missing; write one of kind, adult"),
        ("[recodes.facility]", "[recodes.adult]", "recodes.adult: has the name of an attribute"),
    ],
)
def test_a_recode_is_of_an_attribute_and_has_its_own_name(tmp_path: Path, old: str, new: str, told: str) -> None:
    assert refuse_census(tmp_path, (old, new))[0].startswith(told)


@pytest.mark.parametrize(
    ("new", "told"),
    [
        ("[zeros.all]\nadult = ['no', 'yes']", "zeros: leave no combination that can be"),
        ('[zeros.odd]\nkind = ["ship"]', 'zeros.odd.kind: "ship" is no value of kind; write some of home, prison'),
        ('[zeros.odd]\nsort = ["ship"]', "zeros.odd.sort: is not known"),
        ("[zeros.odd]", "zeros.odd: names no combination of values"),
        ('[zeros.odd]\nkind = ["home"]\nfacility = ["facility"]', "zeros.odd: names no combination of values"),
        ("[zeros.odd]\nkind = []", "zeros.odd.kind: is []"),
        ("zeros = 4", "budget.zeros: is not known"),
    ],
)
def test_zeros_name_combinations_that_can_be_named_and_leave_some(tmp_path: Path, new: str, told: str) -> None:
    if new.startswith("zeros"):
        lines = refuse_census(tmp_path, ("delta = 1e-10", f"delta = 1e-10\n{new}"))
    else:
        lines = refuse_census(tmp_path, (ZERO, new))
    assert lines[0].startswith(told)


def test_several_zeros_that_leave_nothing_together_are_refused(tmp_path: Path) -> None:
    zeros = "[zeros.a]\nadult = ['no']\n[zeros.b]\nadult = ['yes']"
    assert refuse_census(tmp_path, (ZERO, zeros))[0].startswith("zeros: leave no combination")


def test_zeros_may_name_groups_of_recodes(tmp_path: Path) -> None:
    zero = "[zeros.grown_up_facilities]\nfacility = ['facility']\nadult = ['no']"
    spec = read_census(tmp_path, (ZERO, zero))
    assert spec.schema.impossible.tolist() == [[False, False], [True, False], [True, False]]


@pytest.mark.parametrize(
    ("new", "told"),
    [
        ('kind = ["sort"]', 'queries.kind: "sort" is no attribute or recode; write some of kind, adult, facility'),
        ('kind = "kind"', 'queries.kind: is "kind"; write a list of kind, adult, facility; an empty one counts'),
        ('kind = ["kind", "facility"]', 'queries.kind: counts by "kind" twice'),
        ('kind = ["adult", "adult"]', 'queries.kind: counts by "adult" twice'),
        ('kind = ["kind"]\nagain = ["kind"]', 'queries.again: asks for the same as "kind"'),
        ("kind = [1]", "queries.kind: is [1]"),
    ],
)
def test_queries_are_marginals_over_attributes_and_recodes(tmp_path: Path, new: str, told: str) -> None:
    assert refuse_census(tmp_path, ('\nkind = ["kind"]', f"\n{new}"))[0].startswith(told)


def test_there_are_queries(tmp_path: Path) -> None:
    queries = 'total = []\nkind = ["kind"]\nfacility = ["facility"]\ndetailed = ["kind", "adult"]\n'
    assert refuse_census(tmp_path, (queries, ""))[0].startswith("queries: there is none")


def test_attributes_may_be_whole_numbers_or_booleans(tmp_path: Path) -> None:
    policy = POLICY.replace('values = ["no", "yes"]', "values = [false, true]")
    spec = read_census(
        tmp_path,
        ('adult = ["no", "yes"]', "adult = [false, true]"),
        ('\nadult = ["no"]', "\nadult = [false]"),
        policy_toml=policy,
    )
    assert spec.label_answers("detailed")[0] == ("home", False)
