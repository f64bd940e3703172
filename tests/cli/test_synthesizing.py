"""`discreet synth`: files, what is said about them, and refusals before any charge."""

from __future__ import annotations

from pathlib import Path

import pyarrow.csv
import pyarrow.parquet
import pytest

from cli.test_asking import charges
from discreet.synthetic import load_model
from support.cli import Ran, write_clinic

FEW = ("--columns", "ward, quantity")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(write_clinic(tmp_path))
    return tmp_path


def test_rows_a_model_and_a_report_are_written_for_one_charge(here: Path) -> None:
    files = ("-o", "rows.parquet", "--model", "visits.model", "--report", "report.html")
    ran = Ran("synth", "visits", "--marginals", 2, "--epsilon", 1, *FEW, *files)
    assert ran.code == 0
    assert ran.out == ""
    for said in ("visits: about", "2 columns", "strategy: ", "charged", "wrote rows.parquet", "wrote report.html"):
        assert said in ran.err
    table = pyarrow.parquet.read_table(here / "rows.parquet")
    assert table.column_names == ["ward", "quantity"]
    assert set(table["ward"].to_pylist()) <= {"north", "south", "icu", None}
    assert load_model(here / "visits.model").rows == table.num_rows
    assert (here / "report.html").read_text().startswith("<!DOCTYPE html>")
    again = Ran("synth", "visits", "--marginals", 2, "--epsilon", 1, *FEW, "-o", "five.csv", "--rows", 5, "--seed", 1)
    assert "free" in again.err
    assert pyarrow.csv.read_csv(here / "five.csv").num_rows == 5
    assert charges(here) == 1


def test_columns_without_public_values_are_named_as_left_out(here: Path) -> None:
    ran = Ran("synth", "patients", "--marginals", 1, "--epsilon", 1, "-o", "rows.csv")
    assert ran.code == 0
    assert "left out, as the policy declares no values or bounds for them: born" in ran.err


def test_a_prior_is_read_from_rows_or_a_model(here: Path) -> None:
    (here / "public.csv").write_text("ward,quantity\nnorth,1\nsouth,2\n")
    first = Ran("synth", "visits", "-e", 1, *FEW, "--prior", "public.csv", "--model", "first.model")
    assert first.code == 0
    assert load_model(here / "first.model").transcript.prior is not None
    second = Ran("synth", "visits", "-e", 1, *FEW, "--prior", "first.model", "--model", "second.model")
    assert second.code == 0
    assert charges(here) == 2


def test_ranges_are_of_their_columns_alone(here: Path) -> None:
    ran = Ran("synth", "visits", "--ranges", "age", "--epsilon", 1, "-o", "rows.csv", "--rows", 9, "--bins", "age=60")
    assert ran.code == 0
    assert "1 columns" in ran.err
    assert "strategy: tree" in ran.err


@pytest.mark.many
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("visits", "-e", 1), "say where it goes"),
        (("visits", "-e", 1, *FEW, "-o", "rows.csv", "--prior", "none.csv"), "none.csv cannot be read"),
        (("visits", "-e", 1, *FEW, "-o", "rows.csv", "--prior", "policy.toml"), "is no synthetic model"),
        (("visits", "-e", 1, *FEW, "-o", "rows.csv", "--rows", -5), "rows must be a whole number >= 0"),
        (("visits", "-e", 1, *FEW, "-o", "rows.csv", "--seed", -1), "seed must be a whole number >= 0"),
        (("visits", "-e", 1, *FEW, "--report", "report.pdf"), "a file that ends in .html"),
        (("visits", "-e", 1, *FEW, "--model", "a.html", "--report", "a.html"), "must be different files"),
        (("visits", "-e", 1, "-o", "rows.csv", "--bins", "cost=10000000"), "at least 1, and at most 512"),
        (("visits", "-e", 1, "-o", "rows.txt"), "a file in .parquet or .csv"),
        (("visits", "-e", 1, "-o", "nowhere/rows.csv"), "there is no folder nowhere"),
        (("visits", "-o", "rows.csv"), "epsilon must be given, or rho"),
        (("nothing", "-e", 1, "-o", "rows.csv"), "there is no table 'nothing'"),
        (("wards", "-e", 1, "-o", "rows.csv"), "a public table can be read as it is"),
        (("visits", "-e", 1, "-o", "rows.csv", "--marginals", 2, "--ranges", "age"), "not both"),
        (("visits", "-e", 1, "-o", "rows.csv", "--bins", "age"), "NAME=COUNT, such as age=20"),
        (("visits", "-e", 1, "-o", "rows.csv", "--strategy", "magic"), "one of whole, each, tree, mwem, mst, aim"),
        (("visits", "-e", 99, "-o", "rows.csv", *FEW), "does not fit into what is left"),
    ],
    ids=str,
)
def test_what_cannot_be_done_is_refused_before_anything_is_charged(
    here: Path, arguments: tuple[object, ...], said: str
) -> None:
    ran = Ran("synth", *arguments)
    assert ran.code != 0
    assert said in " ".join(ran.err.split())
    assert charges(here) == 0
