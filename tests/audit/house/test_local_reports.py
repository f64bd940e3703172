"""Reports of the local model as components."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.audit.house.local_reports import list_local

COMPONENTS = {each.name: each for each in list_local()}


@pytest.mark.parametrize("name", COMPONENTS)
def test_reports_have_one_shape_and_claim_what_the_mechanism_says(name: str) -> None:
    component = COMPONENTS[name]
    for pair in component.pairs:
        assert all(np.asarray(component.draw(given, 20)).shape == (20, 2) for given in pair)
    assert 0.5 < component.claim <= 1.2
