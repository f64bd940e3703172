"""What the example says of a spec is true, and its script runs."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest

from discreet.topdown.planning.targets import plan_targets
from discreet.topdown.spec.reading import read_spec
from topdown.spec.small_census import AREAS, POLICY

EXAMPLE = Path(__file__).parents[3] / "examples" / "census"


def test_the_spec_in_the_readme_is_read(tmp_path: Path) -> None:
    text = (EXAMPLE / "README.md").read_text(encoding="utf-8")
    (written,) = [part.partition("```")[0] for part in text.split("```toml\n")[1:]]
    files = {
        "census.toml": written,
        "policy.toml": POLICY,
        "areas.csv": AREAS,
        "total.csv": "Country,count\nland,90\n",
        "facilities.csv": "Town,facility,count\n11,facility,3\n",
    }
    for name, content in files.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    spec = read_spec(tmp_path / "census.toml")
    assert [len(level) for level in spec.geography.levels] == [1, 1, 4]
    assert plan_targets(spec).allocation.queries[1] == {"total": 1}


def test_the_script_makes_a_state_and_plans_its_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["make_state.py", str(tmp_path / "state"), "99"])
    runpy.run_path(str(EXAMPLE / "make_state.py"))
    told = capsys.readouterr().out
    assert "US 1, State 1, County 1, Tract 1, Block group 3, Block 99" in told
    assert "epsilon 16.466 at delta 1e-10, certified" in told
    assert "8 x 2 x 2 x 63 = 2,016" in told
