"""Metrics that are declared by a few numbers have the epsilon that was asked for, and sound parameters."""

from __future__ import annotations

import pytest

from discreet.base.errors import ParameterError
from discreet.local.client import AlphabetWords, Metric, Rappor, Records, Sampled, read_metric
from discreet.local.declaring import (
    MEMOISED,
    NUMBERS,
    TEXTS,
    WORDS,
    Declared,
    count_reports,
    declare_choices,
    declare_memoised,
    declare_numbers,
    declare_rappor,
    declare_records,
    declare_texts,
    declare_words,
    find_span,
)

ALPHABET = "abcdefghijklmnopqrstuvwxyz"
DECLARED: dict[str, Declared] = {
    **{kind: declare_numbers(2, (0, 10), kind) for kind in NUMBERS},
    **{kind: declare_texts(2, kind) for kind in TEXTS},
    **{kind: declare_words(2, ALPHABET, 8, kind) for kind in WORDS},
    **{kind: declare_memoised(4, 2, ["a", "b"], kind) for kind in MEMOISED},
    "direct": declare_choices(2, ["a", "b"], "direct")[0],
}


@pytest.mark.parametrize("kind", DECLARED)
def test_a_report_tells_the_epsilon_that_was_asked_for(kind: str) -> None:
    domain, mechanism = DECLARED[kind]
    assert mechanism.kind == kind
    assert 2 - 1e-6 < mechanism.epsilon <= 2
    metric = Metric("x", domain, mechanism, lifetime=9)
    assert read_metric(metric.to_json()) == metric


def test_records_have_the_attributes_of_metrics() -> None:
    parts = [Metric(kind, *DECLARED[kind], lifetime=9) for kind in ("hybrid", "direct")]
    domain, mechanism = declare_records(parts)
    assert isinstance(domain, Records)
    assert isinstance(mechanism, Sampled)
    assert domain.names == ("hybrid", "direct")
    assert mechanism.parts == tuple(part.mechanism for part in parts)
    with pytest.raises(ParameterError, match="attributes"):
        declare_records([])


def test_rappor_is_taken_from_its_numbers() -> None:
    assert declare_rappor([32, 2, 64, 0.25, 0.75, 0.5])[1] == Rappor.take(32, 2, 64, 0.25, 0.75, 0.5)
    assert declare_rappor([32, 2, 8, 0.25, 0.75, 0.5], [2, 3])[1].kind == "rappor-strings"
    for numbers, fragments in (
        ([32, 2], None),
        ([32.5, 2, 8, 0.25, 0.75, 0.5], None),
        ([32, 2, 8, 0.2, 0.8, 0.5], [2]),
    ):
        with pytest.raises(ParameterError, match="numbers"):
            declare_rappor(numbers, fragments)


def test_fragments_are_whole_letters_where_they_can_be() -> None:
    assert find_span(AlphabetWords(ALPHABET, 8)) == 10
    assert find_span(AlphabetWords(ALPHABET, 7)) == 5
    assert find_span(AlphabetWords("ab", 3)) == 6


def test_reports_that_fit_a_lifetime_are_those_that_a_client_counts() -> None:
    assert count_reports(Metric("x", *DECLARED["hybrid"], lifetime=7)) == 3
    memoised = Metric("x", *DECLARED["memoised-unary"], lifetime=7)
    fit = count_reports(memoised)
    assert memoised.mechanism.sum_epsilon(fit) <= 7 < memoised.mechanism.sum_epsilon(fit + 1)
    assert count_reports(Metric("x", *DECLARED["hybrid"], lifetime=1)) == 0


def test_other_mechanisms_are_refused_by_name() -> None:
    with pytest.raises(ParameterError, match="hybrid, piecewise, one-bit"):
        declare_numbers(1, (0, 1), "prefix")
    with pytest.raises(ParameterError, match="two numbers"):
        declare_numbers(1, (0, 1, 2))
