"""Views of the policy are looked at when it is opened."""

from __future__ import annotations

import pytest

from discreet.base.errors import PolicyError
from discreet.query.views import check_views
from support.hospital import POLICY, catalog_of, engine_of


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM visits WHERE age >= 18",
        "SELECT patient, SUM(cost) AS c FROM visits GROUP BY patient",
        "SELECT age FROM visits UNION ALL SELECT age FROM visits",
        "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward",
        "WITH x AS (SELECT * FROM visits) SELECT age FROM x",
    ],
)
def test_views_that_mean_something(sql: str) -> None:
    check_views(catalog_of(engine_of(f'{POLICY}[views.v]\nsql = "{sql}"\n')))


@pytest.mark.parametrize(
    ("sql", "part"),
    [
        ("SELECT * FROM nobody", "there is no table 'nobody'"),
        ("SELECT * FROM visits LIMIT 5", "rows have no order"),
        ("SELECT COUNT(*) AS n FROM later", "there is no table 'later'"),
        ("SELECT ward, COUNT(*) AS n FROM v GROUP BY ward", "there is no table 'v'"),
        ("SELECT * FROM later", "there is no table 'later'"),
        ("SELECT * FROM v", "there is no table 'v'"),
        ("DROP TABLE visits", "is not a SELECT"),
        ("SELECT COUNT(*) FROM", "not SQL"),
        ("SELECT * FROM wards", "is public"),
        ("SELECT age FROM visits EXCEPT SELECT age FROM visits", "EXCEPT"),
    ],
)
def test_views_that_mean_nothing_are_refused_with_their_place(sql: str, part: str) -> None:
    text = f'{POLICY}[views.v]\nsql = "{sql}"\n[views.later]\nsql = "SELECT * FROM visits"\n'
    with pytest.raises(PolicyError) as found:
        check_views(catalog_of(engine_of(text)))
    assert part in str(found.value)
    assert "views.v.sql" in str(found.value)
