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
from discreet.mechanisms.robust.order_statistic import OrderStatistic
from discreet.mechanisms.robust.propose_test_release import ProposeTestRelease
from discreet.mechanisms.robust.smooth_noises import SmoothLaplace, SmoothLogNormal, SmoothStudent
from discreet.mechanisms.robust.trimmed_mean import TrimmedMean
from discreet.mechanisms.robust.unbounded import InterquartileRange, UnboundedMean
from discreet.mechanisms.robust.universal import UniversalMean, UniversalQuartiles, UniversalVariance

GOLDEN = [
    (Laplace(10.0), "dd05956c8b3bd6fe5669ccd72ccf2b900c7a8ca5e17f673b3eb15f6056f51c56"),
    (Laplace(0.1, Grid(0.01), 3), "de597023a9478de84f8f58884f1ead6219185d3618ced5161e60f2ec7c7518dc"),
    (Gaussian(2.5), "aa6163e64d21b00008f32e65d42c751495c6f36a540cabff5af2241868961c69"),
    (Quantile(Fraction(1, 2), 100, 0.1, 3), "13ab3b20d9c895c520ed0159d5d8b65bc22224a35dbb3df96f8a7fa1307afa46"),
    (KeySelection(0.5, 1e-9, 4), "05e5524bd1956e16280984221e785355f3e153a1b2482466a0a1d4d68539ef9b"),
    (KeyThreshold(Laplace(20.0), 1e-9, 2, 3), "14e4899e9bf43b9056720d7aa6dc8decffb1cad06619cb34f02dd5b17dadd3c3"),
    (Exponential(4.0, monotone=True), "a558830dcdd3c5c1fc99dde870dfcb2d927fa48cde47b3278064c5ceeb21fbdc"),
    (NoisyMax(4.0, noise="laplace"), "3f8fadfb6c7fb1c65e3cb8a8b8df3e864491b30001d4418e0df9a6018ad041ee"),
    (OrderStatistic(Fraction(1, 4), 0, 9, 2), "f1b5ae6987db2118b047ee56df0a7cd6dbc56408e467dc20702c8cde5ac5002f"),
    (
        TrimmedMean(Fraction(1, 10), 0, 9, 2, 7, "replace", True),
        "abea1e8b5c9c39b44966a08bd8055201d377ff02b9b078fd6406a8102ac3ba4a",
    ),
    (ProposeTestRelease(0.5, 1e-6, 3), "78991b303891bdfcd90170c36de9e988db7ad7338ebe25deafaef30dbbed64ab"),
    (
        SmoothLaplace(Fraction(99, 100), 2, 1.0, 1e-6),
        "cbf0a05ea9ff5476ea2d7d8da30dafa6828e3c9e637823d91c33bec2efb4959d",
    ),
    (SmoothStudent(Fraction(99, 100), 2, 1.0), "875cf7fbdcb1536f6cfa726d6febf96cc0045efe0aba2fed71e7d24f1f151daf"),
    (
        SmoothLogNormal(Fraction(99, 100), 2, 0.5, 0.5),
        "c8f6cf70a515b0bdf9a36250519bb08a6074a78c54d349c41ecce3f85a4a8f11",
    ),
    (UnboundedMean(1.0, 2), "051f52aa32a84ebcb9718636a0aaeba729913b1a95aabbe260a5f35d1ee09efb"),
    (InterquartileRange(1.0, 2, "replace"), "e5e42f8838858869c1f4e3879f7b5aa8a0d7e9050c05798eab151784a8f43a9a"),
    (UniversalMean(1.0, 2), "28ef01300179d0e2650ee4997c943772199e795659c8859b08ec0d3e5516d0ee"),
    (UniversalVariance(1.0, 2), "d03e56df2660f6df37b51b5b80efa35cb11551bf722c39ee5091e17328accb82"),
    (UniversalQuartiles(1.0, 2, "replace"), "ea2a20b28e9f6dd0ded4994f439df183b45429d01293832cd88f5175f4e4dace"),
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
