"""The private side of a plan: everything in it is found, however deep it stands."""

from __future__ import annotations

from discreet.plan.expressions import Column, find_columns
from discreet.plan.relations import (
    Lookup,
    Match,
    Nested,
    PerUnit,
    Scan,
    Union,
    UnitCondition,
    is_plain,
    list_expressions,
    list_scans,
    list_sources,
)
from support.hospital import asked
from support.oracle import ENGINE

DEEP = """
SELECT SUM(t.total) FROM (SELECT patient, SUM(cost) AS total FROM visits WHERE sick GROUP BY patient) t
JOIN (SELECT v.patient, age, floor FROM visits v JOIN wards USING (ward) WHERE age > 3) w ON t.patient = w.patient
JOIN (SELECT who, days FROM stays UNION ALL SELECT who, days * 2 FROM stays) u ON u.who = t.patient AND u.days = w.age
WHERE t.patient NOT IN (SELECT patient FROM secrets WHERE score > 5)
"""


def test_everything_that_columns_may_come_from_is_found() -> None:
    block = asked(ENGINE, DEEP).block
    found = list(list_sources(block))
    kinds = [type(each) for each in found]
    assert kinds.count(PerUnit) == kinds.count(Nested) == kinds.count(Union) == kinds.count(Lookup) == 1
    assert sorted(each.table for each in list_scans(block)) == ["secrets", "stays", "stays", "visits", "visits"]
    names = [each.relation for each in found]
    assert len(set(names)) == len(names), "no two relations have one name"


def test_every_expression_is_found() -> None:
    read = {column.name for each in list_expressions(asked(ENGINE, DEEP).block) for column in find_columns(each)}
    assert {"cost", "sick", "age", "ward", "floor", "days", "score"} <= read


def test_a_block_is_plain_where_it_has_the_rows_of_one_table() -> None:
    assert is_plain(asked(ENGINE, "SELECT COUNT(*) FROM visits WHERE age > 3").block)
    assert is_plain(asked(ENGINE, "SELECT COUNT(*) FROM visits JOIN wards USING (ward)").block)
    for text in (
        "SELECT COUNT(*) FROM visits a JOIN visits b USING (patient)",
        "SELECT COUNT(*) FROM visits WHERE patient IN (SELECT who FROM stays)",
        "SELECT COUNT(*) FROM (SELECT ward FROM visits UNION ALL SELECT ward FROM stays)",
        "SELECT COUNT(*) FROM totals",
    ):
        assert not is_plain(asked(ENGINE, text).block), text


def test_joins_are_told_apart() -> None:
    text = """SELECT COUNT(*) FROM visits v LEFT JOIN beds USING (ward) LEFT JOIN stays ON who = patient
    WHERE NOT EXISTS (SELECT 1 FROM secrets s WHERE s.patient = v.patient)"""
    lookup, match, among = asked(ENGINE, text).block.joins
    assert isinstance(lookup, Lookup)
    assert (lookup.table, lookup.keep, lookup.fan_out) == ("beds", True, 2), "two beds stand in the north"
    assert lookup.on == ((Column("t0", "ward", lookup.on[0][0].type), "ward"),)
    assert isinstance(match, Match)
    assert (match.keep, match.on) == (True, ()), "the unit itself is not among the columns: it is always equated"
    assert isinstance(match.source, Scan)
    assert match.source.rows == 20, "cut before it meets other rows"
    assert isinstance(among, UnitCondition)
    assert among.anti
