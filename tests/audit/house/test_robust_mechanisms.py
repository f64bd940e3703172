"""Robust mechanisms as components."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.audit.house.robust_mechanisms import list_robust

COMPONENTS = {each.name: each for each in list_robust()}


@pytest.mark.parametrize("name", COMPONENTS)
def test_outputs_have_one_shape_on_both_inputs_of_every_pair(name: str) -> None:
    component = COMPONENTS[name]
    for pair in component.pairs:
        one, other = (np.asarray(component.draw(given, 5), np.float64).reshape(5, -1) for given in pair)
        assert one.shape == other.shape
    assert component.claim <= 1.0 + 1e-9
