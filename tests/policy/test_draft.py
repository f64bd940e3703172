"""A draft has names and types, guesses nothing, and says what only the owner can fill in."""

from __future__ import annotations

import tomllib

from hypothesis import given
from hypothesis import strategies as st

from discreet.base.types import Type
from discreet.policy import check_schema, draft_policy, draft_tables
from support.policies import read, refusals

SCHEMA: dict[str, Type | None] = {
    "patient_id": Type.INTEGER,
    "seen at": Type.TIMESTAMP,
    "born": Type.DATE,
    "cost": Type.DECIMAL,
    "weight": Type.FLOAT,
    "ward": Type.TEXT,
    "ill": Type.BOOLEAN,
    "photo": None,
}
PARQUET = draft_policy([("visits", "v.parquet", SCHEMA)])
CSV = draft_policy([("visits", "v.csv", SCHEMA)])


def test_the_draft_of_a_file_with_types_declares_nothing_but_the_source() -> None:
    assert tomllib.loads(PARQUET) == {
        "budget": {},
        "privacy": {"neighbours": "add-remove"},
        "tables": {"visits": {"source": "v.parquet", "columns": {}}},
    }


def test_a_csv_file_gets_a_type_for_each_column_which_the_owner_confirms_unless_it_is_text() -> None:
    columns = tomllib.loads(CSV)["tables"]["visits"]["columns"]
    assert columns == {"ward": {"type": "text"}, "photo": {"type": "text"}}
    confirmed = tomllib.loads(CSV.partition(".columns]")[2].replace("# -> ", ""))
    assert confirmed == {name: {"type": str(type_ or Type.TEXT)} for name, type_ in SCHEMA.items()}


def test_tables_can_be_drafted_for_a_policy_that_there_is() -> None:
    more = draft_tables([("visits", "v.parquet", SCHEMA)])
    assert PARQUET.endswith(more)
    assert list(tomllib.loads(more)) == ["tables"]


def test_loading_a_draft_lists_what_is_still_to_fill_in() -> None:
    for text in (PARQUET, CSV):
        budget, visits = refusals(text)
        assert budget.startswith(
            "budget.epsilon: is missing: the most that all answers together may cost is yours to say"
        )
        assert visits.startswith('tables.visits: does not say whom its rows are about; write unit = "COLUMN"')
        assert "and max_rows for the most that one has" in visits


def test_a_likely_unit_is_suggested_in_a_comment_only() -> None:
    assert '# -> unit = "patient_id"  # likely' in PARQUET
    assert "likely" not in draft_policy([("t", "t.parquet", {"age": Type.INTEGER})])
    acid: dict[str, Type | None] = {"malic_acid": Type.FLOAT, "paid": Type.INTEGER, "patient": Type.INTEGER}
    assert draft_policy([("t", "t.parquet", acid)]).count("# likely") == 1
    assert '# -> unit = "..."' in draft_policy([("t", "t.parquet", {"age": Type.INTEGER})])
    assert all(
        f'unit = "{name}"  # likely' in draft_policy([("t", "t.csv", {name: Type.TEXT})]) for name in ("id", "userId")
    )


def test_the_number_of_a_row_is_no_likely_unit() -> None:
    loans: dict[str, Type | None] = {"loan id": Type.INTEGER, "borrower": Type.TEXT, "id": Type.INTEGER}
    assert draft_policy([("loans", "l.csv", loans)]).count("# likely") == 1
    assert '# -> unit = "borrower"  # likely' in draft_policy([("loans", "l.csv", loans)])
    alone = draft_policy([("loans", "l.csv", {"loan id": Type.INTEGER})])
    assert 'whose row it is, hardly "loan id", which sounds like the row\'s own number\n' in alone
    assert "likely" not in alone
    assert 'unit = "patient_id"  # likely' in draft_policy([("patients", "p.csv", {"patient_id": Type.INTEGER})])


def test_bounds_and_categories_are_left_for_the_owner() -> None:
    for line in (
        "# cost = { lower = ..., upper = ..., step = ... }  # decimal",
        '# "seen at" = { lower = YYYY-MM-DDT00:00:00Z, upper = YYYY-MM-DDT00:00:00Z }  # timestamp',
        "# born = { lower = YYYY-MM-DD, upper = YYYY-MM-DD }  # date",
        '# ward = { values = ["...", "..."], longest = ... }  # text',
        "# ill: boolean, needs nothing",
        "# photo: of a type that discreet does not know; it cannot be used",
    ):
        assert f"\n{line}\n" in PARQUET
    assert '\n# -> cost = { type = "decimal" }  # add: lower = ..., upper = ..., step = ...\n' in CSV


def test_a_draft_that_is_filled_in_is_a_policy_that_fits_its_source() -> None:
    for text in (PARQUET, CSV):
        for line in ("epsilon = 1.0", 'unit = "patient_id"', "max_rows = 20"):
            assert f"# -> {line} " in text
            text = text.replace(f"# -> {line} ", f"{line} ")
        head, mark, columns = text.partition(".columns]")
        text = head + mark + columns.replace("# -> ", "")
        policy = read(text)
        assert policy.epsilon == 1
        assert (policy.tables[0].unit, policy.tables[0].max_rows) == ("patient_id", 20)
        found = check_schema(policy, policy.tables[0], SCHEMA)
        assert [column.name for column in found.columns][:7] == list(SCHEMA)[:7]


@given(
    st.lists(
        st.tuples(
            st.text(),
            st.text(),
            st.dictionaries(st.text(), st.sampled_from([*Type, None]), max_size=3),
        ),
        max_size=3,
        unique_by=lambda table: table[0],
    )
)
def test_whatever_the_names_a_draft_is_toml_with_those_names(
    tables: list[tuple[str, str, dict[str, Type | None]]],
) -> None:
    found = tomllib.loads(draft_policy(tables)).get("tables", {})
    assert {name: part["source"] for name, part in found.items()} == {name: source for name, source, _ in tables}
    assert all(line.startswith(("tables", "budget.epsilon: is missing")) for line in refusals(draft_policy(tables)))
