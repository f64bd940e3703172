"""Units cut before the filter: which questions are read so, and that all of them keep the same rows."""

from __future__ import annotations

from pathlib import Path

import pytest

from discreet.plan.relations import Scan
from support.online import ONLINE, UNITS, make_cases, open_cases


def scan_of(folder: Path, text: str, **how: object) -> Scan:
    with open_cases(folder, **how) as curator:  # type: ignore[arg-type]
        source = curator.prepare(text, 1.0).operation.plan.block.source
        assert isinstance(source, Scan)
        return source


@pytest.mark.parametrize(
    "text",
    [
        "SELECT COUNT(*) FROM cases",
        "SELECT COUNT(*) FROM cases WHERE sex = 'f'",
        "SELECT age, COUNT(*) FROM cases WHERE area IN ('a', 'b') GROUP BY age",
    ],
)
def test_questions_about_online_columns_alone_all_have_one_scan(tmp_path: Path, text: str) -> None:
    found = scan_of(tmp_path, text)
    assert found.rows == 2
    assert [column.name for column in found.content] == ["age", "area", "risk", "sex"]


def test_other_questions_and_rows_that_are_units_are_read_as_ever(tmp_path: Path) -> None:
    more = ONLINE.format(most=1.0).replace('"sex", "age", "risk", "area"', '"sex", "age"')
    plain = Scan("cases", "t0")
    text = "SELECT COUNT(*) FROM cases WHERE area = 'a' AND sex = 'f'"
    assert scan_of(tmp_path / "a", text, online=False, analysts=more) == plain
    assert scan_of(tmp_path / "b", "SELECT COUNT(*) FROM cases", online=False) == plain
    rows = make_cases(5).drop_columns(["person"])
    assert scan_of(tmp_path / "c", "SELECT COUNT(*) FROM cases", unit="rows_are_units = true", table=rows) == plain
    for asked in ("COUNT(DISTINCT person)", "SUM(age)", "COUNT(*), AVG(age)"):
        assert scan_of(tmp_path / "d", f"SELECT {asked} FROM cases WHERE sex = 'f'", unit=UNITS) == plain


def test_parts_add_up_to_the_whole_though_people_are_over_the_limit(tmp_path: Path) -> None:
    """Noise is 0 at this epsilon. Cut after the filter, the parts would hold more rows than the whole."""
    where = ("sex = 'f'", "sex = 'm'", "sex NOT IN ('f', 'm')", "sex IS NULL")
    counts = {}
    for name, online in (("first", True), ("after", False)):
        with open_cases(tmp_path / name, epsilon=1e7, online=online, table=make_cases(300)) as curator:
            whole = curator.ask("SELECT COUNT(*) AS n FROM cases", 1000.0, fresh=True).value
            asked = [curator.ask(f"SELECT COUNT(*) AS n FROM cases WHERE {each}", 1000.0, fresh=True) for each in where]
            counts[name] = (whole, sum(int(str(answer.value)) for answer in asked))
    assert counts["first"][0] == counts["first"][1]
    assert counts["after"][0] < counts["after"][1]  # type: ignore[operator]
