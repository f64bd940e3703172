"""RAPPOR's client: the bits that the reference clients send, and what exact laws of reports tell."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import pytest

from discreet.local.client import ClientError, Coins, Metric, Rappor, SystemCoins, Texts, read_metric
from discreet.local.client import rappor as module
from discreet.local.client.coins import ONE
from support.enumerated_coins import find_law

COIN = Rappor.take(16, 2, 4, 0.5, 0.75, 0.5)
CERTAIN = {"p": 1, "q": ONE - 1}
"""Chances with which a report has the permanent bits: in 2^59 reports, one of 32 bits differs."""


class CycledCoins(Coins):
    """The numbers that the reference's Python test draws, in turn."""

    def __init__(self) -> None:
        self.tossed = 0

    def words(self, count: int) -> tuple[int, ...]:
        raise AssertionError("one coin for each bit")

    def toss(self, chance: int) -> bool:
        self.tossed += 1
        return (0.0, 0.6, 0.0)[(self.tossed - 1) % 3] < chance / ONE


class ByteCoins(Coins):
    """The bytes that the reference's C++ tests read: for each 32 bits, from the highest on, 32 for p and 32 for q."""

    def __init__(self, mechanism: Rappor) -> None:
        self.mechanism, self.tossed = mechanism, 0

    def words(self, count: int) -> tuple[int, ...]:
        raise AssertionError("one coin for each bit")

    def toss(self, chance: int) -> bool:
        group, place = divmod(self.tossed, 32)
        self.tossed += 1
        start = 64 * (self.mechanism.bits // 32 - 1 - group) + (0 if chance == self.mechanism.p else 32)
        return (start + place) * 17 % 256 < chance >> 56


def test_map_rows_are_those_of_the_reference() -> None:
    assert COIN.find_rows(b"apple") == (5, 1, 26, 26, 38, 34, 63, 62)
    assert COIN.find_rows(b"banana") == (12, 14, 28, 24, 37, 34, 62, 49)
    assert COIN.find_rows(b"carrot") == (4, 12, 25, 21, 48, 38, 61, 54)


def test_a_report_is_that_of_the_reference_client_in_python() -> None:
    permanent = COIN.settle(COIN.filter(b"abc", 0), b"secret")
    assert COIN.report(permanent, CycledCoins()) == 64493


@pytest.mark.parametrize(
    ("bits", "cohort", "noisy"),
    [(32, 3, 2281639167), (32, 4, 2281637247), (64, 93, int.from_bytes([134, 255, 11, 255, 252, 119, 240, 223]))],
)
def test_a_report_is_that_of_the_reference_client_in_c(bits: int, cohort: int, noisy: int) -> None:
    """Its test names the metric by a string that was freed: "client-secret" lay there when the numbers were written."""
    mechanism = Rappor.take(bits, 2, 128, 0.75, 0.5, 0.25)
    permanent = mechanism.settle(mechanism.filter(b"foo", cohort), b"client-secret", b"\x01client-secret")
    assert mechanism.report(permanent, ByteCoins(mechanism)) == noisy


def test_permanent_bits_of_given_bits_are_those_of_the_reference_client_in_c() -> None:
    mechanism = Rappor.take(32, 2, 128, 0.75, 0.5, 0.25)
    permanent = mechanism.settle(0x123, b"client-secret", b"\x01client-secret")
    assert mechanism.report(permanent, ByteCoins(mechanism)) == 2784956095


def test_long_streams_are_those_of_the_standard_and_of_the_reference() -> None:
    assert module.make_long_stream(b"keyvalue", 30).hex() == (
        "89d71bb8a37d80c26e639cbd68f3607aa94deef425a7afbbf8d00992af92"
    )
    entropy = bytes(range(0x37)) + bytes(range(0x20, 0x28))
    assert module.make_long_stream(entropy, 64).hex() == (
        "d67b8c1734f46fa3f763cf57c6f9f4f2dc1089bd8bc1f6f023950bfc56176352"
        "08c8501238ad7a4400defee46c640b61af77c2d1a3bfaa90ede5d207406e5403"
    )


def test_published_epsilons() -> None:
    assert COIN.epsilon == pytest.approx(1.0743, abs=5e-5)
    assert COIN.constant == pytest.approx(4.3944, abs=5e-5)
    other = Rappor.take(16, 2, 64, 0.25, 0.75, 0.5)
    assert other.epsilon == pytest.approx(2.0433, abs=5e-5)
    assert other.constant == pytest.approx(4.3944, abs=5e-5)
    assert Rappor.take(128, 2, 8, 0.5, 0.75, 0).constant == math.inf


def test_f_is_what_a_byte_realises_and_never_less_than_asked() -> None:
    asked = Rappor.take(16, 2, 64, 0.5, 0.75, 0.3)
    assert asked.f == 39
    assert asked == Rappor.take(16, 2, 64, 0.5, 0.75, 39 / 128)
    realised = Fraction(39, 128)
    assert asked.set_if_true == Fraction(3, 4) * (1 - realised / 2) + Fraction(1, 2) * realised / 2
    assert asked.constant == pytest.approx(4 * math.log((1 - realised / 2) / (realised / 2)), rel=1e-12)
    assert asked.constant < 4 * math.log(0.85 / 0.15)


@pytest.mark.parametrize("f", [0, 32, 39, 127])
def test_a_byte_of_the_stream_makes_a_permanent_bit_with_the_stated_chance(
    f: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All 256 bytes, each for a bit that is set and one that is not."""
    mechanism, ones = Rappor(8, 1, 1, 1 << 62, 1 << 63, f), {0: 0, 1: 0}
    for byte in range(256):
        monkeypatch.setattr(module, "make_stream", lambda *_, byte=byte: bytes([byte]) * 8)
        permanent = mechanism.settle(0b00000001, b"secret")
        ones = {0: ones[0] + (permanent >> 1 & 1), 1: ones[1] + (permanent & 1)}
    assert ones == {0: f, 1: 256 - f}


def find_filters(mechanism: Rappor) -> dict[int, bytes]:
    """Return a text for every Bloom filter of the first cohort."""
    texts = (str(number).encode() for number in range(400))
    return {mechanism.filter(text, 0): text for text in texts}


@pytest.mark.parametrize(
    "mechanism",
    [
        Rappor.take(3, 1, 1, 0.25, 0.75, 0.5),
        Rappor.take(3, 1, 1, 0.5, 0.75, 0.3),
        Rappor.take(3, 1, 1, 0.75, 0.5, 0),
        pytest.param(Rappor.take(4, 2, 1, 0.5, 0.75, 0.3), marks=pytest.mark.long),
    ],
)
def test_exact_laws_of_a_report_have_the_stated_epsilon_and_no_less(mechanism: Rappor) -> None:
    laws = [
        find_law(lambda coins, text=text: mechanism.randomise(text, coins))  # type: ignore[misc]
        for text in find_filters(mechanism).values()
    ]
    worst = max(max(first[told] / second[told] for told in first) for first in laws for second in laws)
    assert math.log(worst) <= mechanism.epsilon <= math.log(worst) * (1 + 1e-12)


def find_bit_law(mechanism: Rappor, texts: Sequence[str], ones: Sequence[str], told: Sequence[bool]) -> Fraction:
    """Return how likely a bit's reports are: each text has a permanent bit of its own, and sets it or not."""
    found, half = Fraction(1), Fraction(mechanism.f, 256)
    for text in sorted(set(texts)):
        mixed = Fraction(0)
        for permanent, chance in ((mechanism.q, 1 - half), (mechanism.p, half)):
            weight = chance if text in ones else 1 - chance
            for each, bit in zip(texts, told, strict=True):
                if each == text:
                    weight *= Fraction(permanent if bit else ONE - permanent, ONE)
            mixed += weight
        found *= mixed
    return found


def find_worst(mechanism: Rappor, first: str, second: str, ones: Sequence[str], reports: int) -> float:
    """Return how much likelier a bit's reports can be for one sequence of texts than for another."""
    return max(
        math.log(find_bit_law(mechanism, first, ones, told) / find_bit_law(mechanism, second, ones, told))
        for told in product([False, True], repeat=reports)
    )


@pytest.mark.parametrize("reports", [1, 2, 4])
def test_reports_of_a_text_that_never_changes_tell_the_stated_epsilon_and_no_less(reports: int) -> None:
    mechanism = Rappor.take(8, 2, 1, 0.25, 0.75, 0.25)
    pairs = [find_worst(mechanism, "a" * reports, "b" * reports, ones, reports) for ones in ("a", "b")]
    bound = mechanism.bound_constant(reports)
    assert mechanism.hashes * sum(pairs) == pytest.approx(bound, rel=1e-12)
    assert bound <= mechanism.constant
    assert mechanism.bound_constant(10**6) == mechanism.constant


@pytest.mark.parametrize("f", [0, 0.5])
@pytest.mark.parametrize("reports", [1, 2, 3])
def test_the_bound_of_a_lifetime_holds_for_all_pairs_of_sequences(reports: int, f: float) -> None:
    """Of 4 bits, one is set by text a, one by b, and two by neither: 2 bits would be the least, and 4 tell more."""
    mechanism = Rappor.take(4, 1, 1, 0.25, 0.75, f)
    sequences = ["".join(each) for each in product("ab", repeat=reports)]
    for first, second in product(sequences, repeat=2):
        loss = sum(find_worst(mechanism, first, second, ones, reports) for ones in ("a", "b", "", ""))
        assert loss <= mechanism.bound_lifetime(reports)
    assert mechanism.bound_lifetime(1) == mechanism.epsilon


def test_two_reports_of_a_changed_text_tell_more_than_twice_one() -> None:
    """Whether two reports are of one text shows in all 32 bits: neither the constant's bound nor the sum holds."""
    mechanism = Rappor.take(32, 2, 1, 0.5, 0.75, 0.5)
    common = find_worst(mechanism, "aa", "ab", "", 2)
    own = sum(find_worst(mechanism, "aa", "ab", ones, 2) for ones in ("a", "b"))
    assert 28 * common + 2 * own > 2 * mechanism.epsilon > mechanism.bound_constant(2)
    assert 28 * common + 2 * own <= mechanism.bound_lifetime(2)
    assert mechanism.sum_epsilon(2) == Fraction(mechanism.bound_lifetime(2))


@pytest.mark.parametrize("bits", [16, 32, 128])
def test_permanent_noise_is_one_for_a_secret_and_independent_for_another(bits: int) -> None:
    mechanism = Rappor(bits, 2, 64, f=64, **CERTAIN)
    secrets = [number.to_bytes(32, "big") for number in range(200)]
    told = [mechanism.recall(b"text", secret, SystemCoins()) for secret in secrets]
    assert told == [mechanism.recall(b"text", secret, SystemCoins()) for secret in secrets]
    assert len({each.seed for each in told}) > 50
    assert len(set(told)) == 200


def test_permanent_noise_clears_bits_as_often_as_it_sets_them() -> None:
    """A text's own bits stay with a chance of 3/4: of 4,000, 2,812 to 3,188 do, but for one run in 10^11."""
    mechanism = Rappor(16, 2, 1, f=64, **CERTAIN)
    own = mechanism.filter(b"text", 0)
    permanent = [mechanism.settle(own, number.to_bytes(32, "big")) for number in range(2000)]
    assert own.bit_count() == 2
    assert 2812 <= sum((each & own).bit_count() for each in permanent) <= 3188


def test_secrets_for_two_purposes_differ_whatever_their_names() -> None:
    secret = bytes(32)
    assert module.derive_secret(secret, "ab", 1) != module.derive_secret(secret, "a", "b1")
    mechanism = Rappor(32, 2, 1, f=64, **CERTAIN)
    inner = mechanism.settle(mechanism.filter(b"text", 0), secret)
    assert int.from_bytes(mechanism.recall(b"text", secret, SystemCoins()).payload, "little") != inner


def test_a_metric_of_texts_carries_the_mechanism() -> None:
    metric = Metric("page", Texts(), COIN, lifetime=5.0)
    assert read_metric(metric.to_json()) == metric
    report = metric.encode("example.org")
    assert report.seed < 4
    assert len(report.payload) == 2


def test_bits_are_written_as_the_references_files_have_them() -> None:
    assert module.write_bits(0b1001, 8) == "00001001"


@pytest.mark.parametrize(
    ("parameters", "named"),
    [
        ((1, 1, 1, 0.5, 0.75, 0.5), "bits"),
        ((257, 1, 1, 0.5, 0.75, 0.5), "bits"),
        ((32, 17, 1, 0.5, 0.75, 0.5), "hashes"),
        ((32, 2, 0, 0.5, 0.75, 0.5), "cohorts"),
        ((32, 2, 1, 0.5, 0.5, 0.5), "equal"),
        ((32, 2, 1, 0, 0.5, 0.5), "p is"),
        ((32, 2, 1, 0.5, 1, 0.5), "q is"),
        ((32, 2, 1, 0.5, 0.75, 1), "f is"),
        ((32, 2, 1, 0.5, 0.75, -0.1), "f is"),
        ((32, 2, 1, "half", 0.75, 0.1), "p is"),
    ],
)
def test_other_parameters_are_refused(parameters: tuple[int, int, int, float, float, float], named: str) -> None:
    with pytest.raises(ClientError, match=named):
        Rappor.take(*parameters)
