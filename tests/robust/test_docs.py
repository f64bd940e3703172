"""The examples of docs/robust.md run as they stand."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.clinic import VISITS, open_clinic

PAGE = Path(__file__).parents[2] / "docs" / "robust.md"


@pytest.mark.slow
def test_the_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    with open_clinic(tmp_path, VISITS, epsilon=200.0) as curator:
        world = {"curator": curator}
        for block in PAGE.read_text().split("```python\n")[1:]:
            exec(block.split("```")[0], world)
    assert "sampling and noise together" in capsys.readouterr().out
    assert (tmp_path / "more.png").is_file()
