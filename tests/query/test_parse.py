"""One SELECT, and nothing that nobody looks at: every other clause is refused, with its text and what to write."""

from __future__ import annotations

import pytest

from discreet.base.errors import QueryError
from discreet.query.parse import DEEPEST, LONGEST, parse, parse_condition, refuse_other_parts


def refusal(text: str) -> str:
    with pytest.raises(QueryError) as found:
        parse(text)
    return str(found.value)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "empty"),
        ("  -- nothing", "0 statements"),
        ("SELECT 1; SELECT 2", "2 statements"),
        ("DROP TABLE visits", "is not a SELECT"),
        ("EXPLAIN SELECT COUNT(*) FROM visits", "is not a SELECT"),
        ("DESCRIBE SELECT COUNT(*) FROM visits", "is not a SELECT"),
        ("PIVOT visits ON ward USING COUNT(*)", "is not a SELECT"),
        ("(SELECT COUNT(*) FROM visits)", "is not a SELECT"),
        ("SELECT COUNT(*) FROM visits UNION SELECT 1", "ask each by itself"),
        ("SELECT COUNT(*) FROM visits EXCEPT SELECT 1", "ask each by itself"),
        ("COPY visits TO 'x'", "is not a SELECT"),
        ("SELECT FROM WHERE", "not SQL"),
        ("SELECT 'open", "not SQL"),
        ("SELECT DISTINCT ON (ward) ward FROM visits", "GROUP BY"),
        ("SELECT COUNT(*) FROM visits WINDOW w AS ()", "window functions"),
        ("SELECT COUNT(*) FROM visits QUALIFY TRUE", "WHERE n = 1"),
        ("SELEC COUNT(*) FROM visits", "did you mean SELECT by 'SELEC'?"),
        ("SELECT COUNT(*) FROM visits USING SAMPLE 10%", "sampling"),
        ("SELECT COUNT(*) INTO x FROM visits", "not written into tables"),
        ("SELECT AS STRUCT COUNT(*) FROM visits", "SELECT AS STRUCT"),
        ("SELECT COUNT(*) FROM visits FOR UPDATE", "locks is not answered"),
        ("SELECT COUNT(*) FROM visits CONNECT BY a", "connect is not answered"),
        ("SELECT COUNT(*) + 0x1F FROM visits", "`0x1F` is not a decimal number"),
        ("SELECT COUNT(*) FROM visits LIMIT 1e5f", "`1e5f` is not a decimal number"),
        ("SELECT COUNT(*) AS \x00 FROM visits", "NUL"),
        ("SELECT COUNT(*) AS \ud800 FROM visits", "half of a pair"),
        ("SELECT COUNT(*) FROM visits WHERE " + "NOT " * 5000 + "TRUE", "nested"),
        ("SELECT COUNT(*) FROM visits WHERE " + "(" * 5000 + "TRUE" + ")" * 5000, "nested"),
        ("SELECT COUNT(*) FROM visits WHERE " + "1 + " * DEEPEST + "1 > 0", "nested"),
        ("SELECT DISTINCT " + "1 + " * 900 + "1", "nested"),
        ("SELECT " + "1" * LONGEST, "characters"),
    ],
)
def test_what_is_not_one_select_is_refused(text: str, part: str) -> None:
    assert part in refusal(text)
    assert "\x1b" not in refusal(text)


@pytest.mark.parametrize("text", [None, 5, b"SELECT 1"])
def test_what_is_no_text_is_refused(text: str) -> None:
    assert "empty" in refusal(text)


def test_a_condition_is_one_expression_and_nothing_behind_it() -> None:
    assert parse_condition("age >= 65 AND ward = 'icu'").sql() == "age >= 65 AND ward = 'icu'"
    for text in ("a = 1 GROUP BY b", "a = 1 ORDER BY 1", "a = 1 LIMIT 1", "a = 1) OR (b = 2", "a = 1; SELECT 1", ""):
        with pytest.raises(QueryError):
            parse_condition(text)


def test_a_part_that_nobody_looks_at_is_refused_with_its_text() -> None:
    select = parse("SELECT COUNT(*) FROM visits LIMIT 5")
    refuse_other_parts(select, {"expressions", "from_", "limit"})
    with pytest.raises(QueryError, match=r"`SELECT COUNT\(\*\) FROM visits LIMIT 5`: limit is not answered here"):
        refuse_other_parts(select, {"expressions", "from_"})
    with pytest.raises(QueryError, match="use your hands"):
        refuse_other_parts(select, {"expressions", "from_"}, {"limit": "use your hands"})
