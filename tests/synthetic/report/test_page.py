"""Reports: well-formed pages without scripts, in which names are nothing but text, and no truth in the public one."""

from __future__ import annotations

import re
import stat
import xml.etree.ElementTree as Xml
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from discreet.answers import Receipt
from discreet.answers.receipt import CHARGED, Mark
from discreet.base.errors import DiscreetError, ParameterError
from discreet.base.types import Type
from discreet.privacy.charges import Charge
from discreet.query.placed_columns import ListedColumn, ListedWhole, PlacedColumn
from discreet.synthetic.model import SyntheticModel, load_model
from discreet.synthetic.report.page import render_page, write_report
from synthetic.support.models import COLUMNS, make_model, make_rows

HOSTILE: tuple[PlacedColumn, ...] = (
    ListedColumn(
        "</title><script>alert(1)</script>", Type.TEXT, ('"><img src=x onerror=alert(2)>', "]]>", "&amp;", "")
    ),
    ListedColumn("a\nb\x00\x1b[31m\u202e", Type.TEXT, ("<!--", "'", "x" * 300)),
    ListedWhole.between("y" * 200, 0, 99),
)
RECEIPT = Receipt(Mark(7, "ab" * 32), "ann", Charge(Fraction(1, 3), Fraction(1, 18), Fraction(0)), CHARGED)


def parse(page: str) -> Xml.Element:
    return Xml.fromstring(page.removeprefix("<!DOCTYPE html>\n"))


def make_truth(columns: tuple[PlacedColumn, ...] = COLUMNS, rows: int = 2000) -> pa.Table:
    table, random = make_rows(columns, rows), np.random.default_rng(0)
    made = [column.sample(places, random) for column, places in zip(columns, table.values, strict=True)]
    return pa.table(made, names=[column.name for column in columns])


@pytest.mark.many
@pytest.mark.parametrize("columns", [COLUMNS, HOSTILE, COLUMNS[:1], HOSTILE[2:]])
def test_pages_are_well_formed_and_names_are_text(tmp_path: Path, columns: tuple[PlacedColumn, ...]) -> None:
    model = make_model(columns, sets=((0, 1),) if len(columns) > 1 else ())
    for path in write_report(model, tmp_path / "report.html", owner=make_truth(columns)):
        page = parse(path.read_text(encoding="utf-8"))
        tags = {element.tag for element in page.iter()}
        assert not tags & {"script", "img", "iframe", "link", "object", "a"}
        attributes = {name for element in page.iter() for name in element.attrib}
        assert not any(name.startswith("on") or name in ("href", "src") for name in attributes)
        words = "".join(page.itertext())
        assert all(column.name.isprintable() is False or column.name in words for column in columns)
        assert not re.search(r"[\x00-\x08\x0b-\x1f\u202e]", words)
        assert "http" not in path.read_text().replace("http-equiv", "")


def test_the_public_page_says_what_it_must() -> None:
    model = SyntheticModel(make_model().transcript, RECEIPT)
    words = "".join(parse(render_page(model)).itertext())
    for wanted in (
        "epsilon 0.333334",
        str(RECEIPT),
        "one unit, with one row, is added or removed",
        "the total, every column, and some pairs",
        f"{model.rows:,}",
        "discrete Laplace, scale 2",
        "sex, age",
        "95 %",
        "drawn one by one",
    ):
        assert wanted in words, wanted


def test_the_public_page_is_a_function_of_what_was_released(tmp_path: Path) -> None:
    """The same page from a saved copy, on which nobody has the rows, and whether or not an owner looks on."""
    model = SyntheticModel(make_model().transcript, RECEIPT)
    model.save(tmp_path / "visits.model")
    alone, beside = tmp_path / "alone.html", tmp_path / "beside.html"
    assert write_report(load_model(tmp_path / "visits.model"), alone) == [alone]
    assert write_report(model, beside, owner=make_truth()) == [beside, tmp_path / "beside.owner.html"]
    assert alone.read_text() == beside.read_text()


def test_the_owners_page_is_marked_and_closed_to_others(tmp_path: Path) -> None:
    _, path = write_report(make_model(), tmp_path / "report.html", owner=make_truth())
    page = path.read_text()
    assert page.count("Not private: never release") == 2
    assert "<title>NOT PRIVATE" in page
    assert "No privacy guarantee" in page
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert "Not private" not in (tmp_path / "report.html").read_text()


def test_a_model_of_no_rows_has_a_report(tmp_path: Path) -> None:
    page = write_report(make_model(rows=make_rows(rows=0)), tmp_path / "report.html")[0].read_text()
    parse(page)
    assert "Column by column" in page
    assert "nan" not in page.lower()


def test_wrong_tables_of_owners_are_refused_and_nothing_is_written(tmp_path: Path) -> None:
    model = make_model(sets=())
    with pytest.raises(ParameterError, match="all columns of the model"):
        write_report(model, tmp_path / "report.html", owner=make_truth().drop_columns(["age"]))
    with pytest.raises(ParameterError, match="a table with rows"):
        write_report(model, tmp_path / "report.html", owner=make_truth().slice(0, 0))
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(DiscreetError, match="cannot be written"):
        write_report(model, tmp_path / "nowhere" / "report.html")
