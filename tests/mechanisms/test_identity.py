"""What a mechanism is for the ledger: its form, in full."""

from __future__ import annotations

from fractions import Fraction

import pytest

from discreet.base.canonical import hash_json, write_json
from discreet.mechanisms import Exponential, Gaussian, Grid, Laplace, NoisyMax
from discreet.mechanisms.identity import FORMS, describe_mechanism
from discreet.mechanisms.key_selection import KeySelection
from discreet.mechanisms.key_threshold import KeyThreshold
from discreet.mechanisms.quantile import Quantile

GOLDEN = [
    (Laplace(10.0), "dd05956c8b3bd6fe5669ccd72ccf2b900c7a8ca5e17f673b3eb15f6056f51c56"),
    (Laplace(0.1, Grid(0.01), 3), "de597023a9478de84f8f58884f1ead6219185d3618ced5161e60f2ec7c7518dc"),
    (Gaussian(2.5), "aa6163e64d21b00008f32e65d42c751495c6f36a540cabff5af2241868961c69"),
    (Quantile(Fraction(1, 2), 100, 0.1, 3), "13ab3b20d9c895c520ed0159d5d8b65bc22224a35dbb3df96f8a7fa1307afa46"),
    (KeySelection(0.5, 1e-9, 4), "05e5524bd1956e16280984221e785355f3e153a1b2482466a0a1d4d68539ef9b"),
    (KeyThreshold(Laplace(20.0), 1e-9, 2, 3), "14e4899e9bf43b9056720d7aa6dc8decffb1cad06619cb34f02dd5b17dadd3c3"),
    (Exponential(4.0, monotone=True), "a558830dcdd3c5c1fc99dde870dfcb2d927fa48cde47b3278064c5ceeb21fbdc"),
    (NoisyMax(4.0, noise="laplace"), "3f8fadfb6c7fb1c65e3cb8a8b8df3e864491b30001d4418e0df9a6018ad041ee"),
]


@pytest.mark.parametrize(("mechanism", "known"), GOLDEN, ids=lambda each: type(each).__name__)
def test_the_hash_of_a_mechanism_never_changes(mechanism: object, known: str) -> None:
    assert hash_json(describe_mechanism(mechanism)) == known


def test_every_field_is_in_its_form() -> None:
    assert FORMS.list_missing() == []


def test_mechanisms_that_differ_in_anything_have_different_forms() -> None:
    others = [Laplace(10.0 + 2**-40), Laplace(10.0, dim=2), Gaussian(10.0), KeySelection(0.5, 1e-9, 5)]
    forms = [write_json(describe_mechanism(each)) for each in (*(one for one, _ in GOLDEN), *others)]
    assert len(set(forms)) == len(forms)
