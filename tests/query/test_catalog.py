"""Names lead to tables and columns whatever their case, and unknown ones to the nearest."""

from __future__ import annotations

import pytest

from discreet.base.errors import QueryError
from discreet.query.catalog import suggest_name
from support.hospital import catalog_of, engine_of


def test_names_are_found_in_any_case() -> None:
    catalog = catalog_of(engine_of())
    assert catalog.table("VISITS").table.name == "visits"
    assert catalog.column(catalog.table("visits"), "AGE").name == "age"


def test_unknown_names_lead_to_the_nearest() -> None:
    catalog = catalog_of(engine_of())
    with pytest.raises(QueryError, match=r"there is no table 'visit'; did you mean 'visits'\?"):
        catalog.table("visit")
    with pytest.raises(QueryError, match=r"'visits' has no column 'agee'; did you mean 'age'\?"):
        catalog.column(catalog.table("visits"), "agee")
    assert suggest_name("zzz", ["b", "a"]) == "these exist: a, b"
    assert suggest_name("zzz", []) == "these exist: none"


def test_hidden_columns_are_unknown() -> None:
    catalog = catalog_of(engine_of())
    with pytest.raises(QueryError) as found:
        catalog.column(catalog.table("visits"), "secret")
    assert "secret" not in str(found.value).partition(";")[2]
