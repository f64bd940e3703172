"""Wings as components: a draw for each key from one operation at a desk."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import numpy as np
import pytest

from discreet.audit.house.audited_part import AuditedPart
from discreet.audit.house.keyed_draws import KeyedTables
from discreet.audit.house.questions import HEAVY
from discreet.audit.house.wings import CLIP, list_wings
from discreet.gradients.sums import GRADIENT_STEPS


@pytest.fixture(scope="module")
def wings() -> Iterator[dict[str, AuditedPart]]:
    with ExitStack() as stack:
        yield {each.name: each for each in list_wings(KeyedTables(stack), 1_000)}


def test_a_heavy_unit_is_clipped_in_a_sum(wings: dict[str, AuditedPart]) -> None:
    drawn = wings["a sum over units"].draw((HEAVY,), 600)
    assert drawn.shape == (600, 1)
    assert abs(float(np.median(drawn)) - CLIP.steps) <= 1


def test_a_step_of_a_training_leans_by_a_part_of_its_clip_towards_a_unit(wings: dict[str, AuditedPart]) -> None:
    step = wings["a step of a training"]
    alone, nobody = (float(step.draw(given, 2_000).mean()) / GRADIENT_STEPS for given in ((HEAVY,), ()))
    assert 0.3 < nobody - alone < 1.2
    assert step.claim == pytest.approx(1.0, rel=1e-3)


def test_a_marginal_of_synthetic_data_counts_a_unit_s_rows(wings: dict[str, AuditedPart]) -> None:
    marginal = wings["a marginal of synthetic data"]
    assert abs(float(np.median(marginal.draw((HEAVY,), 600))) - 3) <= 2
    assert abs(float(np.median(marginal.draw((), 600)))) <= 2
