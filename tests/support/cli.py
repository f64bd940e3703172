"""What the tests of the command line share: a small shop of a clinic in a folder, and the program run on it."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
from typer.testing import CliRunner

from discreet.cli.app import app

POLICY = """\
[budget]
epsilon = 3.0

[tables.visits]
source = "visits.parquet"
unit = "patient_id"
max_rows = 4
[tables.visits.columns]
age  = { lower = 0, upper = 110 }
cost = { lower = 0, upper = 500, step = 0.5 }
ward = { values = ["north", "south"] }

[tables.wards]
source = "wards.csv"
public = true
version = "one"
"""

ANALYSTS = """
[analysts.alice]
epsilon = 1.0
[analysts.bob]
epsilon = 0.5
"""

COUNT = "SELECT COUNT(*) AS n FROM visits"
BY_WARD = "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward"


class Ran:
    """What a run of the program left: its exit code, and what went where."""

    def __init__(self, *arguments: object, input: str | None = None) -> None:
        result = CliRunner().invoke(app, [str(argument) for argument in arguments], input=input)
        self.code, self.out, self.err = result.exit_code, result.stdout, result.stderr
        assert "Traceback" not in result.output
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception


def run(*arguments: object, input: str | None = None) -> str:
    """Run the program, which must end well, and return what it printed to standard output."""
    ran = Ran(*arguments, input=input)
    assert ran.code == 0, ran.err
    return ran.out


def refused(*arguments: object, code: int = 2, input: str | None = None) -> str:
    """Run the program, which must refuse with this exit code and print no answer, and return its complaint."""
    ran = Ran(*arguments, input=input)
    assert ran.code == code, (ran.code, ran.out, ran.err)
    assert ran.out == ""
    assert ran.err.startswith("discreet: ")
    return ran.err


def tables(folder: Path, rows: int = 800) -> None:
    """Write a table of 200 patients with four visits each, and a public one."""
    numbers = range(rows)
    columns = {
        "patient_id": [number % (rows // 4) for number in numbers],
        "age": [number % 90 for number in numbers],
        "cost": [float(number % 300) for number in numbers],
        "ward": [("north", "south", "south")[number % 3] for number in numbers],
    }
    pyarrow.parquet.write_table(pa.table(columns), folder / "visits.parquet")
    (folder / "wards.csv").write_text("ward,city\nnorth,Lindau\nsouth,Bregenz\n")


def clinic(folder: Path, policy: str = POLICY) -> Path:
    """Write tables and a policy, create the ledger, and return the folder."""
    tables(folder)
    (folder / "policy.toml").write_text(policy)
    run("init", "--policy", folder / "policy.toml")
    return folder
