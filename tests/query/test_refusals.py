"""What is not answered is refused with its own text and what to write instead."""

from __future__ import annotations

import pytest

from discreet.query.refusals import KNOWN, NAMES
from questions import engine_of, refusal

ENGINE = engine_of()


@pytest.mark.parametrize(
    ("condition", "part"),
    [
        ("repeat('a', CASE WHEN patient = 17 THEN 20000000000 ELSE 0 END) = 'a'", "LPAD or RPAD"),
        ("random() > 0.5", "write a constant"),
        ("now() > at", "$today"),
        ("current_date > seen", "write a constant"),
        ("current_timestamp > at", "write a constant"),
        ("today() > seen", "write a constant"),
        ("uuid()::TEXT = ward", "write a constant"),
        ("nextval('x') = 1", "write a constant"),
        ("regexp_matches(ward, 'n.*')", "use LIKE"),
        ("ward ~ 'n'", "use LIKE"),
        ("regexp_replace(ward, 'n', '') = ''", "use LIKE"),
        ("ward SIMILAR TO 'n'", "use LIKE"),
        ("strftime(at, '%Y') = '2020'", "DATE_TRUNC, EXTRACT"),
        ("md5(ward) = 'x'", "compare the values themselves"),
        ("hash(ward) = 1", "compare the values themselves"),
        ("TRY(age / 0) = 1", "leave TRY out"),
        ("ward[1] = 'n'", "declare plain columns"),
        ("[1, 2] = age", "declare plain columns"),
        ("{'a': 1} = age", "declare plain columns"),
        ("list_transform(ward, x -> x) = 'a'", "declare plain columns"),
        ("ward -> 'a' = 'b'", "declare plain columns"),
        ("split_part(ward, 'o', 1) = 'n'", "declare plain columns"),
        ("unnest(ward) = 'a'", "rows are not made from lists"),
        ("ward COLLATE NOCASE = 'a'", "LOWER(x)"),
        ("at AT TIME ZONE 'UTC' = at", "UTC"),
        ("lowr(ward) = 'a'", "did you mean LOWER"),
        ("datetrunk('day', at) = at", "did you mean"),
        ("zzzzqqq(ward) = 'a'", "ZZZZQQQ is not answered; docs/sql.md"),
        ("cbrt(cost) = 1", "CBRT is not answered"),
        ("INTERVAL 3 DAY = at", "stands beside a date"),
        ("age & 1 = 1", "these are: "),
    ],
)
def test_refusals_say_what_to_write(condition: str, part: str) -> None:
    told = refusal(ENGINE, f"SELECT COUNT(*) FROM visits WHERE {condition}")
    assert part in told
    assert told.startswith("`")


def test_no_name_is_both_refused_and_suggested() -> None:
    assert not NAMES.keys() & set(KNOWN)
