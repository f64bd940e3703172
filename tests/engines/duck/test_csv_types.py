"""Types of csv files are proposed from their first rows: the narrowest that all cells fit, and text where none does."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from discreet.base.types import Type
from discreet.engines.duck.csv_types import SAMPLED, propose_type, propose_types


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["1", "-20", "+3", "0"], Type.INTEGER),
        (["1", "", None, " 7 "], Type.INTEGER),
        (["1", "2.5", "1e5", ".5", "3."], Type.FLOAT),
        (["007", "12"], Type.TEXT),
        (["9" * 19], Type.TEXT),
        (["true", "FALSE"], Type.BOOLEAN),
        (["2026-01-31"], Type.DATE),
        (["2026-13-01"], Type.TEXT),
        (["2026-01-31 10:00", "2026-01-31T10:00:00.5Z"], Type.TIMESTAMP),
        (["2026-01-31", "2026-01-31 10:00"], Type.TEXT),
        (["1", "x"], Type.TEXT),
        (["nan", "inf"], Type.TEXT),
        (["\u0663"], Type.TEXT),
        ([], Type.TEXT),
        ([None, ""], Type.TEXT),
    ],
)
def test_the_narrowest_type_that_all_cells_fit(cells: list[str | None], kind: Type) -> None:
    assert propose_type(cells) is kind


def test_only_the_first_rows_are_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b c\n" + "1,x\n" * SAMPLED + "far away,2\n")
    with duckdb.connect() as connection:
        clause = f"read_csv('{path}', all_varchar = true)"
        assert propose_types(connection, clause, ["a", "b c"]) == {"a": Type.INTEGER, "b c": Type.TEXT}
