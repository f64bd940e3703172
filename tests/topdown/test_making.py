"""Whole releases through a real curator and ledger: one charge, the same again free, resumed where they died."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from discreet.base.errors import BudgetError, DiscreetError, ParameterError, PolicyError
from discreet.topdown import making
from discreet.topdown.example.state import make_state
from discreet.topdown.making import run
from discreet.topdown.release.census_release import CensusRelease
from discreet.topdown.release.checking import check
from discreet.topdown.running.run_folder import FINISHED, WORKING
from topdown.small_release import SPEC, SmallCensus, write_small_census


def test_a_release_is_charged_once_and_the_same_again_is_free(
    small_census: SmallCensus, small_release: CensusRelease
) -> None:
    before = (small_release.folder / FINISHED).stat().st_mtime_ns
    again = run(small_census.path, workers=1, replications=20)
    assert small_census.count_charges() == 1
    assert again.told == small_release.told
    assert (again.folder / FINISHED).stat().st_mtime_ns == before
    assert not (again.folder / WORKING).exists()


def test_every_file_is_what_the_microdata_and_the_invariants_say(small_release: CensusRelease) -> None:
    found = check(small_release)
    assert found.wrong == ()
    assert small_release.told["inconsistencies"] == []
    assert found.people == 600
    assert found.tables == 20


@pytest.mark.slow
def test_the_number_of_workers_and_the_folder_change_nothing(
    small_census: SmallCensus, small_release: CensusRelease, tmp_path: Path
) -> None:
    other = run(small_census.path, tmp_path / "other", workers=2, replications=20)
    assert small_census.count_charges() == 1
    for level in other.levels:
        for query in other.queries:
            assert other.table(level, query).equals(small_release.table(level, query))
    assert other.microdata().equals(small_release.microdata())
    assert other.told["errors"] == small_release.told["errors"]


@pytest.mark.slow
def test_replications_tell_errors_and_change_no_count_and_no_margin(
    small_census: SmallCensus, small_release: CensusRelease, tmp_path: Path
) -> None:
    bare = run(small_census.path, tmp_path / "bare", workers=1, replications=0)
    assert bare.errors == ()
    assert bare.table("Town", "detailed").equals(small_release.table("Town", "detailed"))
    more = run(small_census.path, tmp_path / "bare", workers=1, replications=2)
    assert len(more.errors) == 20
    assert more.table("Town", "detailed").equals(bare.table("Town", "detailed"))
    assert small_census.count_charges() == 1


def test_counts_are_near_the_truth_and_unbiased_estimates_are_within_their_margins(
    small_census: SmallCensus, small_release: CensusRelease
) -> None:
    table = small_release.table("Town", "detailed")
    truth = small_census.truth[:, ~_impossible()].reshape(-1)
    gls, margin, low, high = (np.asarray(table.column(name)) for name in ("gls", "gls_margin", "low", "high"))
    assert (np.abs(gls - truth) <= margin).mean() > 0.85
    assert ((low <= truth) & (truth <= high)).mean() > 0.9
    assert np.abs(np.asarray(table.column("count")) - truth).mean() < 2


@pytest.mark.parametrize(
    ("old", "new", "wrong"),
    [
        ('share = "1/10"', 'share = "2/10"', "too many"),
        ('area = "town"', 'area = "village"', "village"),
        ('level = "Region"', 'level = "Canton"', "Canton"),
        ("rho = 3\n", "rho = -3\n", "rho"),
    ],
)
def test_bad_input_is_named_before_the_charge(tmp_path: Path, old: str, new: str, wrong: str) -> None:
    census = write_small_census(tmp_path)
    census.path.write_text(SPEC.replace(old, new, 1))
    with pytest.raises((PolicyError, ParameterError), match=wrong):
        run(census.path)
    assert census.count_charges() == 0
    assert not (tmp_path / "release").exists() or not any((tmp_path / "release").glob("tables/*"))


def test_bad_options_and_folders_are_refused_before_the_charge(tmp_path: Path) -> None:
    census = write_small_census(tmp_path)
    with pytest.raises(ParameterError, match="workers"):
        run(census.path, workers=0)
    with pytest.raises(ParameterError, match="replications"):
        run(census.path, replications=-1)
    with pytest.raises(ParameterError, match="objective"):
        run(census.path, objective="best")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thing").write_text("mine")
    with pytest.raises(DiscreetError, match="holds other things"):
        run(census.path, tmp_path / "full")
    assert census.count_charges() == 0


@pytest.mark.slow
def test_a_folder_of_another_spec_is_refused_before_the_charge(tmp_path: Path) -> None:
    census = write_small_census(tmp_path)
    run(census.path, workers=1, replications=0)
    census.path.write_text(SPEC.replace("rho = 3\n", "rho = 2\n"))
    with pytest.raises(DiscreetError, match="another spec"):
        run(census.path, workers=1, replications=0)
    assert census.count_charges() == 1


def test_what_the_budget_does_not_cover_is_refused_without_a_charge(tmp_path: Path) -> None:
    census = write_small_census(tmp_path, spec=SPEC.replace("rho = 3\n", "rho = 30\n"))
    with pytest.raises(BudgetError):
        run(census.path, workers=1, replications=0)
    assert census.count_charges() == 0


@pytest.mark.slow
def test_a_run_that_is_stopped_between_levels_goes_on_with_the_same_measurements(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    census = write_small_census(tmp_path)

    def stop(stage: str, done: int, total: int) -> None:
        if stage == "District":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(census.path, workers=1, replications=0, watch=stop)
    kept = sorted(path.name for path in (tmp_path / "release" / WORKING).glob("level-*"))
    assert kept == ["level-0.npz", "level-1.npz"]
    stages: list[str] = []
    found = run(census.path, workers=1, replications=0, watch=lambda stage, done, total: stages.append(stage))
    assert "Region" not in stages
    assert "District" in stages
    assert census.count_charges() == 1
    other = run(census.path, tmp_path / "whole", workers=1, replications=0)
    assert found.microdata().equals(other.microdata())
    assert check(found).is_exact


SCRIPT = """\
import os, signal, sys
from discreet.topdown.making import run

def die(stage, done, total):
    print(stage, flush=True)
    if stage == sys.argv[2]:
        os.kill(os.getpid(), signal.SIGKILL)

run(sys.argv[1], workers=2, replications=1, watch=die)
"""


LATER = ("Region", "simulating errors", "writing tables")


@pytest.mark.parametrize("stage", ["Town", *(pytest.param(stage, marks=pytest.mark.slow) for stage in LATER)])
def test_a_process_that_is_killed_leaves_a_release_that_goes_on(tmp_path: Path, stage: str) -> None:
    census = write_small_census(tmp_path)
    killed = subprocess.run([sys.executable, "-c", SCRIPT, str(census.path), stage], capture_output=True, text=True)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    with pytest.raises(DiscreetError, match="no finished release"):
        CensusRelease.open(tmp_path / "release")
    found = run(census.path, workers=1, replications=1)
    assert census.count_charges() == 1
    assert check(found).is_exact
    whole = run(census.path, tmp_path / "whole", workers=1, replications=1)
    assert whole.table("Town", "detailed").equals(found.table("Town", "detailed"))


@pytest.mark.slow
def test_workers_end_with_the_process_that_started_them(tmp_path: Path) -> None:
    census = write_small_census(tmp_path)
    subprocess.run([sys.executable, "-c", SCRIPT, str(census.path), "Town"], capture_output=True)
    deadline = time.monotonic() + 20
    while _list_workers(tmp_path) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _list_workers(tmp_path)


def test_two_processes_do_not_work_in_one_folder(tmp_path: Path) -> None:
    census = write_small_census(tmp_path)
    refused: list[str] = []

    def enter(stage: str, done: int, total: int) -> None:
        if stage == "Town" and not refused:
            with pytest.raises(DiscreetError, match="another process") as found:
                run(census.path, workers=1, replications=0)
            refused.append(str(found.value))

    run(census.path, workers=1, replications=0, watch=enter)
    assert refused


@pytest.mark.slow
def test_a_generated_state_with_the_settings_of_2020_is_released_and_exact(tmp_path: Path) -> None:
    from discreet.curator import Curator

    state = make_state(tmp_path / "state", 200, 12, 5, 2, 9_000)
    Curator.init(state.policy)
    found = run(state.spec, workers=2, replications=1)
    assert check(found).wrong == ()
    assert found.told["people"] == 9_000
    assert found.receipt["epsilon"][0]["epsilon"] == pytest.approx(16.465, abs=2e-3)
    assert all(each["largest_gap"] < 1e-6 for each in found.told["solves"])
    truth = state.people.count_cells().sum(axis=0)
    table = found.table("State", "detailed")
    assert isinstance(table, pa.Table)
    assert abs(np.asarray(table.column("count")).sum() - truth.sum()) == 0


def _impossible() -> np.ndarray:
    found = np.zeros((3, 2, 3), dtype=bool)
    found[1, 0] = True
    return found.reshape(-1)


def _list_workers(folder: Path) -> list[int]:
    """Return worker processes whose files lie in a folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().decode(errors="replace")
            maps = (process / "maps").read_text()
        except OSError:
            continue
        if making.__name__.rsplit(".", 1)[0] in words and "running.worker" in words and str(folder) in maps:
            found.append(int(process.name))
    assert os.getpid() not in found
    return found
