"""`discreet census`: plan, run, report, check and example on the command line, and refusals before any charge."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from discreet.cli import census
from support.cli import Ran, refused, run
from topdown.small_release import SPEC, SmallCensus, write_small_census


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> SmallCensus:
    """A small census with a finished release."""
    found = write_small_census(tmp_path_factory.mktemp("census"))
    run("census", "run", found.path, "--workers", 1, "--replications", 2)
    return found


def test_a_release_is_run_once_and_shown_again_for_free(written: SmallCensus) -> None:
    told = json.loads(run("census", "run", written.path, "--workers", 1, "--replications", 2, "--format", "json"))
    assert told["people"] == 600
    assert told["receipt"]["rho"] == "3"
    assert told["payment"]["paid"] == "free"
    assert 0 < told["payment"]["left"]["total"] < 1
    assert written.count_charges() == 1
    shown = run("census", "run", written.path, "--replications", 2)
    assert "600 people" in shown
    assert "certified" in shown


@pytest.mark.slow
def test_a_plan_is_free_and_finds_shares(written: SmallCensus) -> None:
    shown = run("census", "plan", written.path)
    assert "it was measured before with just these settings: a run finds that, and costs nothing" in shown
    assert "raw error" in shown
    assert "estimate's" in shown
    assert "region totals" in shown
    told = json.loads(run("census", "plan", written.path, "--format", "json"))
    assert len(told["errors"]) == 20
    found = json.loads(
        run(
            "census",
            "plan",
            written.path,
            "--target",
            "Town/kind=3",
            "--target",
            "District/total = 2.5",
            "--format",
            "json",
        )
    )
    assert found["wanted"] == [["Town", "kind", 3.0], ["District", "total", 2.5]]
    assert found["plan"]["budget"]["fits"] is True
    assert found["plan"]["budget"]["measured"] is False
    assert "[levels.Town.queries]" in run("census", "plan", written.path, "--target", "Town/kind=3")
    assert written.count_charges() == 1


def test_a_report_is_text_json_or_a_page(written: SmallCensus, tmp_path: Path) -> None:
    release = written.folder / "release"
    assert "Errors, simulated in 2 replications" in run("census", "report", release)
    assert json.loads(run("census", "report", release, "--format", "json"))["inconsistencies"] == []
    ran = Ran("census", "report", release, "-o", tmp_path / "quality.html")
    assert ran.code == 0
    assert ran.out == ""
    assert "wrote" in ran.err
    assert (tmp_path / "quality.html").read_text().startswith("<!DOCTYPE html>")


def test_a_check_says_that_all_is_exact_and_ends_with_1_where_it_is_not(written: SmallCensus, tmp_path: Path) -> None:
    import shutil

    release = written.folder / "release"
    assert "all exact" in run("census", "check", release)
    shutil.copytree(release, tmp_path / "copy")
    next((tmp_path / "copy" / "tables").rglob("total.parquet")).unlink()
    ran = Ran("census", "check", tmp_path / "copy", "--spec", written.path, "--format", "json")
    assert ran.code == 1
    assert json.loads(ran.out)["exact"] is False


def test_an_example_can_be_planned_at_once(tmp_path: Path) -> None:
    shown = run("census", "example", tmp_path / "state", "--blocks", 99)
    assert f"discreet census run {tmp_path / 'state' / 'census.toml'}" in shown
    assert "rho 293764/114921" in run("census", "plan", tmp_path / "state" / "census.toml")
    assert "not empty" in refused("census", "example", tmp_path / "state")


def test_what_is_wrong_is_said_before_the_charge(tmp_path: Path) -> None:
    found = write_small_census(tmp_path)
    assert "no such file" in refused("census", "run", tmp_path / "other.toml")
    assert "workers" in refused("census", "run", found.path, "--workers", 0)
    found.path.write_text(SPEC.replace('share = "1/10"', 'share = "2/10"'))
    assert "too many" in refused("census", "run", found.path)
    assert "too many" in refused("census", "plan", found.path)
    found.path.write_text(SPEC)
    for text in ("Town/kind", "Town=3", "Town/kind=x", "/kind=3"):
        assert "LEVEL/QUERY=ERROR" in refused("census", "plan", found.path, "--target", text)
    assert "targets" in refused("census", "plan", found.path, "--target", "spec")
    assert "no finished release" in refused("census", "report", tmp_path)
    assert "html" in refused("census", "report", tmp_path, "-o", tmp_path / "x.txt")
    assert found.count_charges() == 0


def test_an_engine_that_is_not_spark_solves_nothing_and_nothing_is_charged(tmp_path: Path) -> None:
    found = write_small_census(tmp_path)
    assert "an engine of the policy that is Spark: it has none" in refused("census", "run", found.path, "--on", "lake")
    assert found.count_charges() == 0


@pytest.mark.slow
def test_a_run_says_whether_it_was_charged_or_found_and_tables_may_be_csv(tmp_path: Path) -> None:
    found = write_small_census(tmp_path)
    assert "it fits into what is left of the budget: total 100.00% left now" in run("census", "plan", found.path)
    how = ("--workers", 1, "--replications", 0, "--files", "csv")
    first = Ran("census", "run", found.path, *how)
    assert "charged rho 3. Left of the budget: " in first.err
    assert (tmp_path / "release" / "tables" / "Town" / "kind.csv").is_file()
    again = Ran("census", "run", found.path, *how)
    assert "nothing was charged: rho 3 was paid before, and what it bought was found. Left of the budget: " in again.err
    assert found.count_charges() == 1
    assert "all exact" in run("census", "check", tmp_path / "release")


def test_parts_of_measurements_are_verified_and_leftovers_swept(written: SmallCensus) -> None:
    results, policy = written.folder / ".discreet" / "results", written.folder / "policy.toml"
    lost = results / ("0" * 64)
    lost.write_bytes(b"lost")
    shown = run("ledger", "--verify", "--policy", policy)
    assert f"1 part of results, 4 bytes, that nothing names, such as {lost.name}" in shown
    assert json.loads(run("ledger", "--verify", "--policy", policy, "--format", "json"))["left"][0]["bytes"] == 4
    assert run("ledger", "--sweep", "--policy", policy) == f"removed {lost.name}, 4 bytes\n"
    assert not lost.exists()
    assert "nothing that nothing names" in run("ledger", "--sweep", "--policy", policy)
    assert f"removed {lost.name}, which nothing named, 4 bytes" in run("ledger", "--last", 1, "--policy", policy)
    assert "given alone" in refused("ledger", "--sweep", "--verify", "--policy", policy)
    part = next(results.iterdir())
    kept = part.read_bytes()
    part.write_bytes(kept[:-1])
    ran = Ran("ledger", "--verify", "--policy", policy)
    part.write_bytes(kept)
    assert ran.code == 1
    assert f"the part {part.name} was edited" in ran.out


def test_ctrl_c_keeps_what_is_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from discreet import topdown

    found = write_small_census(tmp_path)

    def stop(*given: object, **more: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(topdown, "run", stop, raising=False)
    assert "run the same again to go on" in refused("census", "run", found.path, code=130)


def test_every_command_has_an_example_in_its_help() -> None:
    for name in ("run", "inspect", "plan", "report", "check", "example"):
        assert f"discreet census {name}" in " ".join(run("census", name, "--help").split())


def test_targets_are_read_as_they_are_written() -> None:
    import doctest

    assert doctest.testmod(census).failed == 0
