"""Tables of one question lie on one engine; a question across engines is refused with what to do instead."""

from __future__ import annotations

from dataclasses import replace

import pytest

from discreet.base.errors import QueryError
from discreet.policy.model import DeclaredEngine, EngineKind
from discreet.query.build import build
from discreet.query.catalog import Catalog
from discreet.query.parse import parse
from support.hospital import HOSPITAL, POLICY, VISITS, catalog_of, engine_of

ELSEWHERE = DeclaredEngine("warehouse", EngineKind.POSTGRES, dsn_env="W")


def apart(*elsewhere: str) -> Catalog:
    """Return the catalog of the hospital with some tables in a warehouse."""
    policy = POLICY + '[tables.stays]\nunit = "patient"\nmax_rows = 3\nsize = 1000\n'
    whole = catalog_of(engine_of(policy, HOSPITAL | {"stays": VISITS}))
    tables = {
        name: replace(each, table=replace(each.table, engine="warehouse")) if name in elsewhere else each
        for name, each in whole.tables.items()
    }
    return replace(whole, tables=tables)


@pytest.mark.parametrize(
    ("text", "elsewhere", "told"),
    [
        (
            "SELECT COUNT(*) FROM visits JOIN wards USING (ward)",
            ("wards",),
            "'visits' lies on DuckDB and 'wards' on the engine 'warehouse': a question is about tables of one engine; "
            "ask the owner to put a copy of the public table 'wards' beside the other",
        ),
        (
            "SELECT COUNT(*) FROM visits JOIN wards USING (ward)",
            ("visits",),
            "'visits' lies on the engine 'warehouse' and 'wards' on DuckDB: a question is about tables of one engine; "
            "ask the owner to put a copy of the public table 'wards' beside the other",
        ),
        (
            "SELECT COUNT(*) FROM visits WHERE patient IN (SELECT patient FROM stays)",
            ("stays",),
            "ask about each by itself, or ask the owner to put both on one engine",
        ),
    ],
)
def test_a_question_across_engines_is_refused(text: str, elsewhere: tuple[str, ...], told: str) -> None:
    with pytest.raises(QueryError) as refusal:
        build(parse(text), apart(*elsewhere))
    assert told in str(refusal.value)


def test_tables_of_one_engine_are_asked_wherever_it_is() -> None:
    text = "SELECT COUNT(*) FROM visits JOIN wards USING (ward)"
    assert build(parse(text), apart("visits", "wards")) == build(parse(text), apart())
    assert build(parse("SELECT COUNT(*) FROM visits"), apart("wards")) is not None
