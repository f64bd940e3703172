"""`discreet check --fit`: what does not fit is told to the owner, to nobody else, and written down nowhere."""

from __future__ import annotations

import ast
import json
import shutil
from pathlib import Path

import pytest

import discreet
from discreet.base.errors import DiscreetError
from discreet.cli.fitting import draw
from discreet.curator import Curator
from discreet.curator.owner.fit import Misfit, fit_policy
from discreet.curator.session import Session
from support.cli import Ran, refused, run, write_clinic

SOURCE = Path(discreet.__file__).parent

POLICY = """\
[budget]
epsilon = 3
[tables.rides]
source = "rides.csv"
unit = "rider"
max_rows = 2
[tables.rides.columns]
rider = {{ type = "integer" }}
fare = {{ type = "decimal(9,2)", lower = 0, upper = {upper} }}
driver = {{ type = "{driver}" }}
payment = {{ type = "text", values = ["cash", "card"] }}
"""


def write_rides(folder: Path, *, upper: int = 50, driver: str = "text", rows: int = 100) -> Path:
    lines = [
        f"{place % 50},{place % 40 + 2}.50,Dr {place % 7},{'cash' if place % 2 else 'card'}" for place in range(rows)
    ]
    text, place = "\n".join(["rider,fare,driver,payment", *lines]) + "\n", folder / "rides.csv"
    if not place.exists() or place.read_text() != text:  # the same file is the same version of the data
        place.write_text(text)
    (folder / "policy.toml").write_text(POLICY.format(upper=upper, driver=driver))
    return folder


@pytest.fixture
def rides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(write_rides(tmp_path))
    run("init")
    return tmp_path


def test_rows_that_fit_are_said_to_fit(rides: Path) -> None:
    told = run("check", "--fit")
    assert "for the owner's eyes only" in told
    assert "ok     every value and every unit fits" in told
    assert "and so do the rows" in told
    assert "publish what the rows hold" in " ".join(told.split())


def test_a_policy_that_checks_well_and_fits_nothing_is_found_out(rides: Path) -> None:
    write_rides(rides, upper=1, driver="date")
    assert "everything fits" in run("check")
    ran = Ran("check", "--fit")
    assert ran.code == 1
    assert "to do  fare: 100.0 % of the values are above 1 and are clamped to it (100 of 100)" in ran.out
    assert "to do  driver: 100.0 % of the values cannot be read as date and count as NULL (100 of 100)" in ran.out
    assert "2 things to do" in ran.out
    assert "everything fits" not in ran.out


def test_texts_that_lose_something_as_whole_numbers_or_dates_are_counted(tmp_path: Path) -> None:
    rows = ["rider,fare,day", "1,2.50,2026-01-01 10:30:00", "2,3.00,2026-01-02", "3,x,2026-01-03 00:00:00", "4,,"]
    (tmp_path / "rides.csv").write_text("\n".join(rows) + "\n")
    columns = 'rider = { type = "integer" }\nfare = { type = "integer" }\nday = { type = "date" }\n'
    head = '[budget]\nepsilon = 3\n[tables.rides]\nsource = "rides.csv"\nunit = "rider"\nmax_rows = 2\n'
    (tmp_path / "policy.toml").write_text(f"{head}[tables.rides.columns]\n{columns}")
    (table,) = fit_policy(tmp_path / "policy.toml").tables
    changed = {each.what: (each.words, each.count, each.of) for each in table.looked_at if each.kind == "changed"}
    assert changed == {
        "fare": ("of the values are read as integer and are rounded: write decimal or float", 1, 2),
        "day": ("of the values are read as date and lose their time of day: write timestamp", 1, 3),
    }


def test_units_and_rows_beyond_limits_stand_beside_the_noise_of_other_limits(rides: Path) -> None:
    with (rides / "rides.csv").open("a") as file:
        file.write("7,3.00,Dr 1,coupon\n" * 8 + ",3.00,Dr 1,cash\n")
    ran = Ran("check", "--fit", "-e", 1)
    assert "to do  max_rows: 7.4 % of the rows are left out for max_rows = 2 (8 of 108)" in ran.out
    assert "note   max_rows: 2.0 % of the units have more rows than max_rows = 2 (1 of 50)" in ran.out
    assert "note   rider: 0.9 % of the rows belong to no unit" in ran.out
    assert "to do  payment: 7.3 % of the values are none of the 2 declared ones" in ran.out
    table = ran.out.partition("max_rows  units beyond")[2].splitlines()
    assert [line.split()[0] for line in table[1:5]] == ["1", "2", "5", "10"]
    assert table[1].split()[1:] == ["50", "(100.0", "%)", "58", "(53.7", "%)", "±", "3"]
    assert table[2].endswith("declared")
    assert table[4].split()[1:] == ["0", "(0.0", "%)", "0", "(0.0", "%)", "±", "30"]


def test_programs_of_the_owners_read_it(rides: Path) -> None:
    write_rides(rides, upper=10)
    ran = Ran("check", "--fit", "--format", "json")
    told = json.loads(ran.out)
    assert (ran.code, told["to_do"]) == (1, 1)
    assert "owner's eyes only" in told["fit"]["for"]
    assert "publish" in told["fit"]["warning"]
    (table,) = told["fit"]["tables"]
    (above,) = (each for each in table["looked_at"] if each["what"] == "fare" and each["kind"] == "above")
    assert above["share"] == above["count"] / above["of"] > 0.5
    assert [each["max_rows"] for each in table["max_rows"] if each["declared"]] == [2]
    assert "fit" not in json.loads(run("check", "--format", "json"))


def test_a_table_without_rows_is_something_to_do(rides: Path) -> None:
    write_rides(rides, rows=0)
    ran = Ran("check", "--fit")
    assert (ran.code, "to do  there are no rows" in ran.out) == (1, True)


def test_it_is_told_before_there_is_a_ledger(tmp_path: Path) -> None:
    write_rides(tmp_path, upper=1)
    ran = Ran("check", "--fit", "--policy", tmp_path)
    assert "above 1" in ran.out
    assert not (tmp_path / ".discreet").exists()


def test_nothing_is_written_into_the_ledger(rides: Path) -> None:
    before = {path: path.read_bytes() for path in (rides / ".discreet").rglob("*") if path.is_file()}
    entries = run("ledger", "--format", "json")
    run("check", "--fit")
    assert run("ledger", "--format", "json") == entries
    assert (rides / ".discreet" / "ledger.db").read_bytes() == before[rides / ".discreet" / "ledger.db"]
    shutil.rmtree(rides / ".discreet")
    assert fit_policy(rides / "policy.toml").to_do == 0
    assert not (rides / ".discreet").exists()


def test_nobody_who_asks_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(write_clinic(tmp_path))
    assert "no analyst's" in refused("check", "--fit", "--analyst", "alice")
    for face in (Curator, Session):
        assert not [name for name in dir(face) if "fit" in name.lower() or "survey" in name.lower()]


def called(tree: ast.AST) -> set[str]:
    return {
        node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
    }


def test_only_the_owners_command_leads_to_it() -> None:
    surveying, fitting = set(), set()
    for path in SOURCE.rglob("*.py"):
        text, name = path.read_text(), path.relative_to(SOURCE).as_posix()
        names = called(ast.parse(text)) if "survey" in text or "fit_policy" in text else set()
        surveying |= {name} if names & {"survey", "survey_table"} else set()
        fitting |= {name} if "fit_policy" in names else set()
    owners = {"curator/owner/fit.py", "curator/owner/look.py", "topdown/measure/inspecting.py"}
    assert surveying == {"engines/engines.py", "engines/lookups.py", *owners}
    assert fitting == {"cli/owning.py"}


@pytest.mark.parametrize("ending", ["svg", "png"])
def test_a_picture_shows_what_limits_do(rides: Path, ending: str) -> None:
    run("check", "--fit", "--plot", f"fit.{ending}")
    assert (rides / f"fit.{ending}").stat().st_size > 1_000


def test_one_row_of_each_unit_is_nothing_to_draw(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("person\n1\n2\n")
    head = '[budget]\nepsilon = 3\n[tables.people]\nsource = "people.csv"\nunit = "person"\nmax_rows = 1\n'
    (tmp_path / "policy.toml").write_text(f'{head}[tables.people.columns]\nperson = {{ type = "integer" }}\n')
    with pytest.raises(DiscreetError, match="nothing to draw: no table has a unit with several rows"):
        draw(fit_policy(tmp_path / "policy.toml"), tmp_path / "fit.png")


def test_options_that_cannot_be_meant_are_refused(rides: Path) -> None:
    assert "--epsilon must be beside --fit" in refused("check", "-e", 1)
    assert "--plot must be beside --fit" in refused("check", "--plot", "fit.png")
    assert "such as fit.svg" in refused("check", "--fit", "--plot", "fit.doc")
    assert "epsilon must be" in refused("check", "--fit", "-e", -1)


def test_a_share_is_much_above_a_twentieth() -> None:
    assert not Misfit("fare", "above", "are above", 5, 100).to_do
    assert Misfit("fare", "above", "are above", 6, 100).to_do
    assert not Misfit("max_rows", "units beyond", "are beyond", 6, 100, weighs=False).to_do
    assert Misfit("fare", "above", "are above", 0, 0).share == 0
