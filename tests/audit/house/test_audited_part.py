"""Components give as many rows as are asked for."""

from __future__ import annotations

import numpy as np

from discreet.audit.house.audited_part import AuditedPart, release_rows
from discreet.mechanisms import Laplace


def test_a_vector_of_noise_gives_a_row_for_each_output() -> None:
    drawn = release_rows(Laplace(1.0).release)([5, 9], 1000)
    assert drawn.shape == (1000, 2)
    assert np.allclose(drawn.mean(axis=0), [5, 9], atol=0.5)


def test_the_claim_is_what_the_loss_says_at_its_delta() -> None:
    laplace = Laplace.calibrate(1.0)
    component = AuditedPart("Laplace", release_rows(laplace.release), (([0], [1]),), laplace.loss(1), 0.01)
    assert component.claim < 1 == AuditedPart("Laplace", component.draw, component.pairs, component.loss).claim
