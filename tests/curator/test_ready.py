"""A table that is gone, or not what it was, costs nobody a charge; what is recorded is shown all the same."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from discreet.base.errors import PolicyError
from discreet.curator import Curator
from support.hospital import HOSPITAL, hospital_in

QUESTION = "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward"


@pytest.fixture
def curator(tmp_path: Path) -> Curator:
    path = hospital_in(tmp_path)
    Curator.init(path)
    return Curator.open(path, operator=True)


def charges(curator: Curator) -> int:
    return [entry.kind for entry in curator.ledger.entries()].count("CHARGE")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("remove", "check the path"),
        ("retype", "its column 'ward' is gone or of another type"),
        ("drop", "its column 'ward' is gone or of another type"),
    ],
)
def test_a_table_that_is_not_what_it_was_is_refused_before_the_charge(
    curator: Curator, tmp_path: Path, change: str, words: str
) -> None:
    first = curator.ask(QUESTION, epsilon=1)
    table = HOSPITAL["visits"]
    path = tmp_path / "visits.parquet"
    path.unlink()
    if change == "retype":
        place = table.column_names.index("ward")
        pq.write_table(table.set_column(place, "ward", table.column("age")), path)
    elif change == "drop":
        pq.write_table(table.drop_columns(["ward"]), path)
    for question, fresh in (("SELECT COUNT(*) FROM visits", False), (QUESTION, True)):
        with pytest.raises(PolicyError, match=words):
            curator.ask(question, epsilon=1, fresh=fresh)
    assert charges(curator) == 1
    assert curator.ask(QUESTION, epsilon=1).rows == first.rows
    pq.write_table(table, path)
    curator.ask("SELECT COUNT(*) FROM visits", epsilon=1)
    assert charges(curator) == 2
    curator.close()
