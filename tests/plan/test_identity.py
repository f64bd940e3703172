"""What a plan is for the ledger: golden hashes, which change only when a plan comes to mean something else."""

from __future__ import annotations

import dataclasses

import pytest

from discreet.base.canonical import hash_json, write_json
from discreet.plan import bounded, expressions, grid, identity, relations, rows_plan
from discreet.plan.identity import FORMS, describe_plan, write_sort_key
from support.hospital import bounded as bound_plan
from support.hospital import engine_of, rows_of

GOLDEN = {
    "SELECT COUNT(*) FROM visits": ("628fe56dea0d3fbd5fa3d6443c1f36dfd690a1c4f9fe502124fafdb37ec3d75b"),
    "SELECT ward, COUNT(*), AVG(age) FROM visits WHERE age > 3 AND sick GROUP BY ward": (
        "29c04ed4a7044f4d911aac8008d41f3f0202e475e1a2d237b5a81f466040a1a5"
    ),
    "SELECT SUM(cost), VARIANCE(cost), CORR(age, cost), COUNT(DISTINCT ward) FROM visits": (
        "cc3ade3af5f7d1d93d9b698ef9b4d69c510ab35a14b3a1af4ca7f865658195e8"
    ),
    "SELECT MEDIAN(age), MIN(cost), MAX(cost) FROM visits": (
        "22af94dfb1fcd38130d01d54699062c75a95b1e550c2b8b55e5ca22065d5198a"
    ),
    "SELECT AVG(n) FROM (SELECT patient, COUNT(*) AS n, MAX(cost) AS m FROM visits GROUP BY patient) WHERE m > 2": (
        "c9738e1ced0f5158e8daebb37a360d81aaacc5cafe89aa8a2d168cb43ab0256f"
    ),
    "SELECT COUNT(*) FROM visits JOIN wards USING (ward) WHERE patient IN (SELECT patient FROM visits WHERE sick)": (
        "1c92c433afcb06df530126bd52230bb5ac5c2c06d9a3aa5cc1213414cea31cbc"
    ),
    "SELECT COUNT(*) FROM (SELECT age FROM visits UNION ALL SELECT age + 1 FROM visits) WHERE age < 9": (
        "e4ad847c417daf64559dba4f6d7c3a16312d9a4200b555cef5ca7512e723ef4e"
    ),
    "SELECT DATE_TRUNC('month', seen), COUNT(*) FROM visits WHERE at < TIMESTAMP '1970-01-02' GROUP BY 1": (
        "a38acaca506acfcbc7decbcdc4c2f3a82431a2eedd4777515581c549cbbeb20c"
    ),
    "SELECT ward, sick, COUNT(*) FROM visits GROUP BY ROLLUP (ward, sick)": (
        "7a90cbe8774acb4e89abd634f751627a62206f904cd8089d252091d3989b942b"
    ),
}
"""Questions about the hospital and the hashes of their plans. A hash here never changes: ledgers hold it.

Where a plan must come to mean something else, give what changed a new tag or version in `plan/identity.py`, and add the
new hash beside the old ones with the reason.
"""


GOLDEN_ROWS = {
    "SELECT age, cost FROM visits": "ee0dfec15ffc35d79a98b8a45e1db4aa2d8bb6e830354ecc1da0e901244ed39e",
    "SELECT 1 AS one, CAST(sick AS INTEGER) AS sick, age FROM visits WHERE age > 3 AND ward = 'icu'": (
        "c528e8180180d41ed2aa69f4b9c6264e532cfcf8a4c2ac8bab31cd1e2cacfe8a"
    ),
    "SELECT COUNT(*) AS n, AVG(cost) AS mean FROM visits GROUP BY patient": (
        "1f2bd60e9c472b3572386ea4153f30a417e9fab894c5e023f3e223f3834c2cc3"
    ),
    "SELECT age FROM people": "633502ff2554ce5b3cdf1107d8ad87c51560a7627305014b7efbb261d62d40d5",
}
"""The same for plans of rows."""


@pytest.mark.parametrize("text", GOLDEN_ROWS)
def test_the_hash_of_a_plan_of_rows_never_changes(text: str) -> None:
    assert hash_json(describe_plan(rows_of(engine_of(), text))) == GOLDEN_ROWS[text]


def test_plans_of_rows_that_differ_in_anything_have_different_forms() -> None:
    engine = engine_of()
    plan = rows_of(engine, "SELECT age, cost FROM visits")
    plans = [
        *(rows_of(engine, text) for text in GOLDEN_ROWS),
        rows_of(engine, "SELECT cost, age FROM visits"),
        rows_of(engine, "SELECT age, cost FROM visits", max_rows=2),
        dataclasses.replace(plan, factor=2),
        dataclasses.replace(plan, units=False),
    ]
    assert len({write_json(describe_plan(each)) for each in plans}) == len(plans)


@pytest.mark.parametrize("text", GOLDEN)
def test_the_hash_of_a_plan_never_changes(text: str) -> None:
    assert hash_json(describe_plan(bound_plan(engine_of(), text).plan)) == GOLDEN[text]


def test_every_field_of_every_node_is_in_its_form() -> None:
    assert FORMS.list_missing() == []
    nodes = {
        each
        for module in (bounded, expressions, grid, relations, rows_plan)
        for each in vars(module).values()
        if dataclasses.is_dataclass(each) and isinstance(each, type)
    }
    assert nodes == set(FORMS.classes)
    tags = [tag for tag, _ in FORMS.classes.values()]
    assert len(set(tags)) == len(tags)


def test_a_class_that_is_renamed_or_moved_is_the_same_for_the_ledger() -> None:
    """The key was Python's repr of the plan: renaming `Block` charged the same question again."""
    plan = bound_plan(engine_of(), "SELECT COUNT(*) FROM visits").plan
    before = write_json(describe_plan(plan))
    names = (relations.Block.__name__, relations.Block.__qualname__, relations.Block.__module__)
    try:
        _rename(relations.Block, "Stanza", "Stanza", "discreet.elsewhere")
        assert "Stanza" in repr(plan)
        assert write_json(describe_plan(plan)) == before
    finally:
        _rename(relations.Block, *names)


def _rename(kind: type, name: str, qualname: str, module: str) -> None:
    kind.__name__, kind.__qualname__, kind.__module__ = name, qualname, module


def test_plans_that_differ_in_anything_have_different_forms() -> None:
    engine = engine_of()
    texts = [
        *GOLDEN,
        "SELECT COUNT(*) FROM visits WHERE age > 4",
        "SELECT COUNT(*) FROM visits WHERE age > 4.0",
        "SELECT COUNT(age) FROM visits WHERE age > 4",
        "SELECT COUNT(*) FROM visits WHERE ward = '4'",
        "SELECT ward, COUNT(*) FROM visits GROUP BY ward",
    ]
    plans = [bound_plan(engine, text).plan for text in texts]
    plans += [bound_plan(engine, "SELECT COUNT(*) FROM visits", max_rows=2).plan]
    plans += [dataclasses.replace(plans[0], factor=2)]
    assert len({write_json(describe_plan(plan)) for plan in plans}) == len(plans)


def test_the_order_of_measures_does_not_depend_on_how_they_were_asked() -> None:
    engine = engine_of()
    one, other = (
        bound_plan(engine, f"SELECT {text} FROM visits").plan
        for text in ("COUNT(*), AVG(age), SUM(cost)", "SUM(cost), COUNT(*), AVG(age)")
    )
    assert one == other
    assert list(one.measures) == sorted(one.measures, key=write_sort_key)


def test_the_version_stands_in_the_form() -> None:
    plan = bound_plan(engine_of(), "SELECT COUNT(*) FROM visits").plan
    form = describe_plan(plan)
    assert isinstance(form, dict)
    assert form["version"] == identity.VERSION == 1
