"""Published areas of a regrouped level: their variances are those of brute force."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.topdown.estimate.tree_model import model_tree
from discreet.topdown.running.regrouped import model_published
from topdown.estimate.dense import DenseFit, ask, ask_all, grow, make_schema, read, write_matrix

SCHEMA = make_schema(2, 3)


@pytest.mark.parametrize("deep", [False, True])
def test_variances_are_those_of_the_sum_by_brute_force(deep: bool) -> None:
    shape: list[list[int]] = [[2], [2, 1], [3, 2, 4]]
    geography = grow(*shape, [2, 1, 1, 2, 1, 1, 1, 2, 1]) if deep else grow(*shape)
    last = len(geography.levels) - 1
    random = np.random.default_rng(1)
    truth = random.integers(0, 9, (len(geography.leaves), 6)).astype(float)
    asked = [(place, ask_all(SCHEMA), 4.0 + place) for place in range(last + 1)]
    asked += [(2, ask(SCHEMA, a1=None), 1.5), (1, ask(SCHEMA), 0.0)]
    readings = read(geography, truth, asked, random)
    below = np.array([0, 0, 1, 1, 1, 2, 2, 3, 3])
    places = below[geography.ancestors[3]]
    model = model_tree(geography, SCHEMA, readings)
    published = model_published(model, 2, places, 4)
    dense = DenseFit(geography, readings)
    for query in (ask(SCHEMA), ask(SCHEMA, a0=None), ask_all(SCHEMA)):
        variances = published.variances(query)
        for area in range(4):
            functions = np.kron(places == area, write_matrix(query))
            wanted = np.einsum("qi,ij,qj->q", functions, dense.covariance, functions)
            assert np.allclose(variances[area], wanted, rtol=1e-8, atol=1e-9)


def test_what_nothing_determines_is_infinite() -> None:
    geography = grow([2], [2, 2], [2, 2, 2, 2])
    random = np.random.default_rng(1)
    truth = random.integers(0, 9, (8, 6)).astype(float)
    readings = read(geography, truth, [(place, ask(SCHEMA, a0=None), 4.0) for place in range(4)], random)
    published = model_published(model_tree(geography, SCHEMA, readings), 2, np.array([0, 0, 0, 1, 2, 3, 3, 3]), 4)
    assert np.isfinite(published.variances(ask(SCHEMA, a0=None))).all()
    assert np.isinf(published.variances(ask(SCHEMA, a1=None))).all()
