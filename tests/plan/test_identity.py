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
    "SELECT COUNT(*) FROM visits": ("d7c2f56c2df85c8ba5867184f1d0c5ecaefc7d27bfeeeac59d0e9e92c91c2944"),
    "SELECT ward, COUNT(*), AVG(age) FROM visits WHERE age > 3 AND sick GROUP BY ward": (
        "7bb1857b6633d7d92a1342c747c05628c54fa4ccb10ba5f8a319cbe2182a4b1a"
    ),
    "SELECT SUM(cost), VARIANCE(cost), CORR(age, cost), COUNT(DISTINCT ward) FROM visits": (
        "ccd5638bb1aeea501cc22e2670d2e19c3de46d67367ff7cbc670b20c0005d421"
    ),
    "SELECT MEDIAN(age), MIN(cost), MAX(cost) FROM visits": (
        "a819472577b2f4b366192b3a8915578c753d11f848a2f7a7fe0611fe00f8b12b"
    ),
    "SELECT AVG(n) FROM (SELECT patient, COUNT(*) AS n, MAX(cost) AS m FROM visits GROUP BY patient) WHERE m > 2": (
        "419aef241de3fa9a054278d454d08fc44bac79b07b4d61b214ea6b6b4958d803"
    ),
    "SELECT COUNT(*) FROM visits JOIN wards USING (ward) WHERE patient IN (SELECT patient FROM visits WHERE sick)": (
        "1eb6dfb74931dd40aebcf3ee95bd2cc65f645456a2adadbce16f906c3b7dc787"
    ),
    "SELECT COUNT(*) FROM (SELECT age FROM visits UNION ALL SELECT age + 1 FROM visits) WHERE age < 9": (
        "2f18574f4dc86a981516943b818b8878593c969ac880fb83169868540872b634"
    ),
    "SELECT DATE_TRUNC('month', seen), COUNT(*) FROM visits WHERE at < TIMESTAMP '1970-01-02' GROUP BY 1": (
        "4e177269304a678621a4f997aef27274f5b9accfa26533d46162174c6d2c7f63"
    ),
    "SELECT ward, sick, COUNT(*) FROM visits GROUP BY ROLLUP (ward, sick)": (
        "89b7fa7e435af7dc56844a17ac1504a7a65ab808bfa8dfbd38d513baf8ffbff0"
    ),
}
"""Questions about the hospital and the hashes of their plans. A hash here never changes: ledgers hold it.

Where a plan must come to mean something else, give what changed a new tag or version in `plan/identity.py`, and add the
new hash beside the old ones with the reason.
"""


GOLDEN_ROWS = {
    "SELECT age, cost FROM visits": "d0f08e45588856efc5f12aba7e150db608be29d8f4f657ee49e5f50e0dc655a2",
    "SELECT 1 AS one, CAST(sick AS INTEGER) AS sick, age FROM visits WHERE age > 3 AND ward = 'icu'": (
        "175fd22073b484290ea961e27fc418c7762b167d5bff76f1002918f70511fc04"
    ),
    "SELECT COUNT(*) AS n, AVG(cost) AS mean FROM visits GROUP BY patient": (
        "14df54ab31f6c7db6c2b6e63793ff0258474272f8eb96acdf4f7bd00f0c103de"
    ),
    "SELECT age FROM people": "ad525dbc1e3c39162cbf3db563076a3e63cd37a915f645915576de4c9d61488f",
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
