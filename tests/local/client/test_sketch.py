from __future__ import annotations

from fractions import Fraction

import pytest

from discreet.local.client import ClientError, CountMeanSketch, HadamardSketch, Metric, Texts, read_metric
from discreet.local.client.sketch import SketchMechanism, digest, find_text_bucket
from support.enumerated_coins import find_law

SKETCHES: list[SketchMechanism] = [
    CountMeanSketch.calibrate(1.0, 3, 4),
    CountMeanSketch.calibrate(1.0, 3, 5, symmetric=False),
    HadamardSketch.calibrate(1.0, 3, 4),
]


def supports(sketch: SketchMechanism, seed: int, payload: bytes, text: bytes) -> bool:
    """Say whether a report supports a text's bucket."""
    if isinstance(sketch, CountMeanSketch):
        return bool(int.from_bytes(payload, "little") >> find_text_bucket(seed, text, sketch.buckets) & 1)
    function, row = divmod(seed, sketch.buckets)
    return payload[0] == (row & find_text_bucket(function, text, sketch.buckets)).bit_count() & 1


@pytest.mark.parametrize("sketch", SKETCHES, ids=lambda each: each.kind)
def test_a_report_supports_another_text_as_often_as_functions_make_them_collide(sketch: SketchMechanism) -> None:
    law = find_law(lambda coins: sketch.randomise(b"apple", coins))
    for other in (b"apple", b"banana", b"cherry", b"date", b"elder"):
        pairs = [[find_text_bucket(each, text, sketch.buckets) for text in (b"apple", other)] for each in range(3)]
        shared = Fraction(sum(first == second for first, second in pairs), 3)
        chance = sum(chance for (seed, payload), chance in law.items() if supports(sketch, seed, payload, other))
        assert chance == sketch.missed + (sketch.supported - sketch.missed) * shared


def test_the_symmetric_sketch_flips_bits_as_apple_does_and_the_other_one_errs_less() -> None:
    for epsilon in (1.0, 2.0, 4.0):
        symmetric = CountMeanSketch.calibrate(epsilon, 64, 1024)
        assert float(symmetric.missed) == pytest.approx(1 / (1 + 2.718281828459045 ** (epsilon / 2)))
        assert symmetric.supported + symmetric.missed == 1
        assert CountMeanSketch.calibrate(epsilon, 64, 1024, symmetric=False).variance() < symmetric.variance()


def test_function_words_are_the_digests_words() -> None:
    words = digest(1, b"apple")
    assert [find_text_bucket(8 + place, b"apple", 1 << 32) for place in range(8)] == [
        int.from_bytes(words[4 * place : 4 * place + 4], "big") for place in range(8)
    ]
    assert digest(1, b"apple") != digest(2, b"apple")


def test_a_sketch_goes_and_comes_as_json() -> None:
    for sketch in SKETCHES:
        metric = Metric("fruit", Texts(), sketch, lifetime=8)
        assert read_metric(metric.to_json()) == metric


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: HadamardSketch.calibrate(1, 4, 6), "power of two"),
        (lambda: CountMeanSketch.calibrate(1, 0, 6), "functions"),
        (lambda: CountMeanSketch.calibrate(1, 4, 1), "buckets"),
        (lambda: HadamardSketch.calibrate(1, 1 << 20, 1 << 10), "buckets"),
        (lambda: HadamardSketch.calibrate(0, 4, 4), "epsilon"),
        (lambda: HadamardSketch(4, 4, 0), "truth"),
    ],
)
def test_what_is_no_sketch_is_refused_with_a_word(make: object, word: str) -> None:
    assert callable(make)
    with pytest.raises(ClientError, match=word):
        make()
