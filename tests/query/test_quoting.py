"""What is quoted of a question is its own text, and short."""

from __future__ import annotations

from discreet.query.parse import parse
from discreet.query.quoting import quote_sql


def test_a_piece_is_quoted_as_duckdb_reads_it() -> None:
    select = parse('SELECT COUNT(*) FROM visits WHERE "age of" >= 3')
    assert quote_sql(select.args["where"].this) == '`"age of" >= 3`'


def test_long_pieces_are_cut() -> None:
    quoted = quote_sql(parse(f"SELECT COUNT(*) FROM visits WHERE ward = '{'x' * 200}'"))
    assert len(quoted) == 82
    assert quoted.endswith("...`")
