"""Reconstruction: nearly all bits at a little noise, and no more than the bounds under a curator."""

from __future__ import annotations

import math

import numpy as np
import pytest

from discreet.audit.attacks.fitting import METHODS
from discreet.audit.attacks.people import Secret
from discreet.audit.attacks.reconstruction import Reconstruction, reconstruct
from discreet.base.errors import ParameterError

PEOPLE = 40


@pytest.fixture(scope="module")
def small() -> Reconstruction:
    return reconstruct(people=PEOPLE, runs=2, deviations=(0.0, 1.0, 100.0), seed=5)


def test_exact_counts_give_every_bit_and_much_noise_none(small: Reconstruction) -> None:
    for method in METHODS:
        assert small.find(method, 0.0).mean == 1.0
        assert small.find(method, 1.0).mean > 0.9
        assert small.find(method, 100.0).mean < 0.75


def test_the_curators_answers_give_no_more_bits_than_the_bounds(small: Reconstruction) -> None:
    for guard, bound in zip(small.guarded, (0.7311, 0.8161), strict=True):
        assert guard.bound == pytest.approx(bound, abs=1e-4)
        assert guard.guarantee == "(1, 1e-06)-differentially private"
        for each in guard.found:
            chance = math.sqrt(bound * (1 - bound) / (2 * PEOPLE))
            assert each.mean <= guard.bound + 4 * chance < 1


def test_the_curators_noise_is_that_of_all_answers_together(small: Reconstruction) -> None:
    """Gaussian noise for (1, 1e-6) has a deviation of 4.2 sensitivities (Balle, Wang 2018); people are in 80 groups."""
    replace, add_remove = small.guarded
    for guard, least in ((add_remove, 4.2 * math.sqrt(80)), (replace, 4.2 * math.sqrt(80))):
        assert guard.found[0].deviation > 0.8 * least


def test_a_picture_and_values_tell_the_same(small: Reconstruction) -> None:
    told = small.to_dict()
    assert [each["neighbours"] for each in told["curator"][::2]] == ["replace", "add-remove"]
    assert len(told["curve"]) == 3 * len(METHODS)
    assert "exact counts" in str(small)


@pytest.mark.long
def test_the_sizes_that_were_asked_for() -> None:
    """256 people, 1,024 answers, 20 runs: 95 % of the bits at a quarter of the root, and the bounds at epsilon 1."""
    found = reconstruct(people=256, runs=20, deviations=(4.0,))
    print(found)
    for method in METHODS:
        assert found.find(method, 4.0).mean >= 0.95
    for guard in found.guarded:
        for each in guard.found:
            assert each.mean <= guard.bound + 4 * each.standard_error


def test_a_rare_secret_of_ones_own_is_found() -> None:
    rare = Secret(np.arange(500) < 60, "rare")
    found = reconstruct(rare, people=24, deviations=(0.0,), neighbours=(), methods=("least squares",), seed=2)
    assert found.find("least squares", 0.0).mean == 1.0
    assert found.words == "rare"


def test_a_group_of_nobody_tells_nothing() -> None:
    for method in METHODS.values():
        assert method(np.zeros((1, 4)), np.zeros(1)).shape == (4,)


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"people": 2}, "people"),
        ({"deviations": (-1.0,)}, "deviations"),
        ({"methods": ("guessing",)}, "methods"),
        ({"epsilon": -1.0}, "epsilon"),
        ({"neighbours": ("none",)}, "neighbours"),
        ({"people": 8, "delta": 0.01, "deviations": (0.0,)}, "delta"),
        ({"people": 8, "delta": 1e-300}, "delta must be 0, or at least 1e-100; got 1e-300"),
        ({"people": 8, "epsilon": 1e-30}, "epsilon must be a finite number >= 1e-09 and <= 1e[+]06; got 1e-30"),
    ],
)
def test_bad_input_is_refused(how: dict[str, object], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        reconstruct(**how)  # type: ignore[arg-type]
