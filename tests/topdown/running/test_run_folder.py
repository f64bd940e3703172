"""The folder of a run: whose it is, and what is thrown away."""

from __future__ import annotations

from pathlib import Path

import pytest

from discreet.base.errors import DiscreetError
from discreet.topdown.running.run_folder import RunFolder, read_json, write_json_file


def test_a_folder_belongs_to_one_spec_and_one_process(tmp_path: Path) -> None:
    place = tmp_path / "out"
    with RunFolder(place, "digest", "plain"), pytest.raises(DiscreetError, match="another process"):
        RunFolder(place, "digest", "plain")
    with RunFolder(place, "digest", "plain") as held:
        held.settle("measured")
    with pytest.raises(DiscreetError, match="another spec"):
        RunFolder(place, "other", "plain")
    with pytest.raises(DiscreetError, match="another spec"):
        RunFolder(place, "digest", "up and down")


def test_a_folder_in_which_nothing_was_measured_may_be_taken_over(tmp_path: Path) -> None:
    place = tmp_path / "out"
    with RunFolder(place, "digest", "plain"), pytest.raises(DiscreetError, match="another process"):
        RunFolder(place, "other", "plain")
    with RunFolder(place, "other", "plain") as held:
        held.settle("measured")
    with pytest.raises(DiscreetError, match="another spec"):
        RunFolder(place, "digest", "plain")
    (tmp_path / "bare" / "working").mkdir(parents=True)
    RunFolder(tmp_path / "bare", "digest", "plain").__exit__(None, None, None)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.txt").write_text("mine")
    with pytest.raises(DiscreetError, match="holds other things"):
        RunFolder(tmp_path / "full", "digest", "plain")


@pytest.mark.parametrize("state", ['{"my": "own"}', '{"spec": "digest", "objective": "plain"}'])
def test_a_folder_that_holds_more_than_an_unused_run_is_nobody_elses(tmp_path: Path, state: str) -> None:
    (tmp_path / "run.json").write_text(state)
    (tmp_path / "working").mkdir()
    (tmp_path / "working" / "thesis.txt").write_text("mine")
    with pytest.raises(DiscreetError, match="another spec"):
        RunFolder(tmp_path, "other", "plain")
    assert (tmp_path / "working" / "thesis.txt").read_text() == "mine"


def test_what_was_made_of_other_measurements_is_thrown_away(tmp_path: Path) -> None:
    with RunFolder(tmp_path / "out", "digest", "plain") as held:
        held.settle("first")
        (held.working / "level-0.npz").write_text("x")
        held.settle("first")
        assert (held.working / "level-0.npz").exists()
        held.settle("second")
        assert not (held.working / "level-0.npz").exists()


def test_a_finished_folder_has_nothing_of_the_making(tmp_path: Path) -> None:
    with RunFolder(tmp_path / "out", "digest", "plain") as held:
        held.settle("first")
        (held.working / "level-0.npz").write_text("x")
        held.finish({"people": 3})
    assert not (tmp_path / "out" / "working").exists()
    with RunFolder(tmp_path / "out", "digest", "plain") as held:
        assert held.finished == {"people": 3}
        held.settle("second")
        assert held.finished is None


def test_files_that_are_none_are_named(tmp_path: Path) -> None:
    write_json_file(tmp_path / "a.json", {"ä": 1})
    assert read_json(tmp_path / "a.json") == {"ä": 1}
    assert read_json(tmp_path / "b.json") is None
    (tmp_path / "c.json").write_text("{")
    with pytest.raises(DiscreetError, match="cannot be read"):
        read_json(tmp_path / "c.json")
    (tmp_path / "d.json").write_text("[]")
    with pytest.raises(DiscreetError, match="no file of a release"):
        read_json(tmp_path / "d.json")
    (tmp_path / "file").write_text("")
    with pytest.raises(DiscreetError):
        RunFolder(tmp_path / "file", "digest", "plain")
