"""Whether a release fits the budget, before it is run: the same charge, the same decision, and nothing is written."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from discreet.base.errors import BudgetError, PolicyError
from discreet.curator import Curator
from discreet.privacy.charges import round_charge
from discreet.topdown.affording import cost_release, foresee_run, prepare
from discreet.topdown.making import run
from discreet.topdown.spec.reading import read_spec
from topdown.small_release import POLICY, SPEC, write_small_census

CAPS = "[analysts.ann]\nepsilon = 30\ndelta = 1e-9\n[analysts.bob]\nepsilon = 2\ndelta = 1e-9\n"


def test_what_is_foreseen_is_what_is_charged_and_then_found(tmp_path: Path) -> None:
    census = write_small_census(tmp_path)
    spec = read_spec(census.path)
    before = foresee_run(spec)
    assert (before.fits, before.measured) == (True, False)
    assert census.count_charges() == 0
    with Curator.open(spec.policy.path) as curator:
        operation = prepare(curator.session(), spec)
        assert round_charge(operation.charge) == cost_release(spec)
        _, receipt = curator.session().perform(operation)
        assert (receipt.paid, receipt.charge) == ("charged", before.charge)
        assert curator.budget.total.left == before.left["total"][1]
    after = foresee_run(spec)
    assert (after.fits, after.measured) == (True, True)
    assert after.left["total"] == (before.left["total"][1],) * 2
    more = foresee_run(read_spec(_rewrite(census.path, "rho = 3\n", "rho = 20\n")))
    assert (more.fits, more.measured) == (False, False)


def test_what_does_not_fit_is_refused_by_the_run_as_was_said(tmp_path: Path) -> None:
    census = write_small_census(tmp_path, spec=SPEC.replace("rho = 3\n", "rho = 30\n"))
    assert foresee_run(read_spec(census.path)).fits is False
    with pytest.raises(BudgetError):
        run(census.path, workers=1, replications=0)
    assert census.count_charges() == 0


def test_the_own_cap_of_who_asks_decides_too(tmp_path: Path) -> None:
    census = write_small_census(tmp_path)
    (tmp_path / "policy.toml").write_text(POLICY + CAPS)
    spec = read_spec(census.path)
    assert foresee_run(spec, "ann").fits is True
    assert set(foresee_run(spec, "ann").left) == {"total", "ann"}
    assert foresee_run(spec, "bob").fits is False
    assert set(foresee_run(spec).left) == {"total"}
    with pytest.raises(PolicyError, match="carl"):
        foresee_run(spec, "carl")


def test_without_a_ledger_or_its_rows_a_plan_still_tells_what_is_public(tmp_path: Path) -> None:
    census = write_small_census(tmp_path)
    spec = read_spec(census.path)
    with Curator.open(spec.policy.path) as curator:
        curator.session().perform(prepare(curator.session(), spec))
    (tmp_path / "people.parquet").unlink()
    found = foresee_run(spec)
    assert (found.fits, found.measured) == (True, None)
    shutil.rmtree(tmp_path / ".discreet")
    assert "discreet init" in foresee_run(read_spec(census.path)).unknown


def _rewrite(path: Path, old: str, new: str) -> Path:
    path.write_text(path.read_text().replace(old, new))
    return path
