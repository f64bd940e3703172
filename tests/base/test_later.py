"""A module is imported when something of it is first used."""

from __future__ import annotations

import subprocess
import sys

import pytest

from discreet.base.later import Later


def test_it_stands_for_the_module() -> None:
    later = Later("math")
    assert later.sqrt(9) == 3
    assert later.pi > 3
    with pytest.raises(AttributeError):
        _ = later.nothing


def test_nothing_is_imported_before() -> None:
    code = (
        "import sys; from discreet.base.later import Later; later = Later('colorsys'); "
        "before = 'colorsys' in sys.modules; later.rgb_to_hsv; print(before, 'colorsys' in sys.modules)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["False", "True"]


def test_the_curator_does_not_wait_for_scipy() -> None:
    code = "import sys; import discreet.curator.curator; print('scipy' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["False"]
