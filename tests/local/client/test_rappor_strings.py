"""Reports of a text and two of its fragments."""

from __future__ import annotations

import pytest

from discreet.local.client import ClientError, Metric, Rappor, RapporStrings, SystemCoins, Texts, read_metric
from discreet.local.client.coins import ONE
from discreet.local.client.rappor_strings import FILLER

PART = Rappor.take(32, 2, 4, 0.25, 0.75, 0.5)
CERTAIN = Rappor(32, 2, 4, 1, ONE - 1, 64)


def test_texts_are_cut_into_fragments_and_joined_again() -> None:
    mechanism = RapporStrings.take(PART, 2, 3)
    assert mechanism.cut(b"kiwi") == (b"ki", b"wi", FILLER * 2)
    assert mechanism.join(mechanism.cut(b"kiwi")) == b"kiwi"
    assert mechanism.choose_parts(b"pineapple", (0, 2)) == (b"pineap", b"pi", b"ap")


def test_three_parts_tell_three_times_as_much() -> None:
    mechanism = RapporStrings.take(PART, 2, 3)
    for ours, part in (
        (mechanism.epsilon, PART.epsilon),
        (mechanism.constant, PART.constant),
        (mechanism.bound_lifetime(5), PART.bound_lifetime(5)),
    ):
        assert 3 * part <= ours <= 3 * part * (1 + 1e-12)


def test_a_person_keeps_cohort_and_places_and_permanent_noise() -> None:
    mechanism = RapporStrings.take(CERTAIN, 2, 3)
    told = [mechanism.recall(b"kiwi", bytes([number]) * 32, SystemCoins()) for number in range(100)]
    assert told == [mechanism.recall(b"kiwi", bytes([number]) * 32, SystemCoins()) for number in range(100)]
    assert {each.seed for each in told} == set(range(mechanism.seeds))
    assert all(len(each.payload) == mechanism.payload_size == 12 for each in told)


def test_equal_fragments_of_two_places_do_not_look_alike() -> None:
    mechanism = RapporStrings.take(CERTAIN, 2, 2)
    told = [mechanism.recall(b"kiki", bytes([number]) * 32, SystemCoins()).payload for number in range(20)]
    assert all(each[4:8] != each[8:] for each in told)


def test_reports_carry_the_bits_of_the_whole_and_of_both_fragments() -> None:
    plain = RapporStrings.take(Rappor(32, 2, 4, 1, ONE - 1, 0), 2, 3)
    for _ in range(20):
        seed, payload = plain.randomise(b"banana", SystemCoins())
        places, cohort = plain.split(seed)
        parts = [payload[first : first + 4] for first in (0, 4, 8)]
        texts = plain.choose_parts(b"banana", places)
        assert parts == [plain.part.filter(text, cohort).to_bytes(4, "little") for text in texts]


def test_a_metric_of_texts_carries_the_mechanism() -> None:
    metric = Metric("page", Texts(), RapporStrings.take(PART, 2, 3), lifetime=20.0)
    assert read_metric(metric.to_json()) == metric
    assert len(metric.encode("example.org").payload) == 12


@pytest.mark.parametrize(("letters", "pieces", "cohorts"), [(0, 3, 1), (2, 1, 1), (2, 16, 1 << 12)])
def test_other_parameters_are_refused(letters: int, pieces: int, cohorts: int) -> None:
    with pytest.raises(ClientError):
        RapporStrings.take(Rappor.take(32, 2, cohorts, 0.25, 0.75, 0.5), letters, pieces)
