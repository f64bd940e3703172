"""Every mechanism of the public face is audited."""

from __future__ import annotations

import numpy as np
import pytest

import discreet.mechanisms
from discreet.audit.house.mechanisms import list_mechanisms

COMPONENTS = {each.name: each for each in list_mechanisms()}
COVERED = {"Geometric": "Laplace", "KeyThreshold": "question: keys of the data"}
"""Geometric noise is the Laplace noise of whole numbers; a threshold reads what a mechanism released."""


def test_every_mechanism_is_a_component() -> None:
    shipped = {name for name in discreet.mechanisms.__all__ if hasattr(getattr(discreet.mechanisms, name), "release")}
    audited = {name.split(",")[0].split(" ")[0] for name in COMPONENTS}
    assert shipped - audited - set(COVERED) == set()


@pytest.mark.parametrize("name", COMPONENTS)
def test_outputs_have_one_shape_on_both_inputs_of_every_pair(name: str) -> None:
    component = COMPONENTS[name]
    for pair in component.pairs:
        one, other = (np.asarray(component.draw(given, 20), np.float64).reshape(20, -1) for given in pair)
        assert one.shape == other.shape
    assert component.claim == pytest.approx(2.0 if "more than a flight" in name else 1.0, rel=1e-6)
