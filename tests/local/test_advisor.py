"""The advisor: the least error, then the shortest reports, with reasons."""

from __future__ import annotations

import pytest

from discreet.base.errors import ParameterError
from discreet.local.advisor import MOST_WORK, NEAR, advise, count_work
from discreet.local.client import ClientError, HadamardBit, LocalHashing


@pytest.mark.parametrize(
    ("epsilon", "size", "most_bytes", "kind"),
    [
        (1, 4, None, "direct"),
        (5, 50, None, "direct"),
        (1, 7, None, "subset"),
        (1, 1024, None, "projective"),
        (3, 1024, 2, "projective"),
        (0.5, 100_000, None, "projective"),
    ],
)
def test_it_picks_what_theory_says(epsilon: float, size: int, most_bytes: int | None, kind: str) -> None:
    advice = advise(epsilon, size, most_bytes)
    assert advice.mechanism.kind == kind
    assert advice.reason.startswith(f"{kind}: it errs ")


@pytest.mark.many
@pytest.mark.parametrize("epsilon", [0.1, 1, 4, 10])
@pytest.mark.parametrize("size", [2, 9, 300, 5000, 1 << 21])
@pytest.mark.parametrize("most_bytes", [None, 4])
def test_what_is_advised_keeps_every_promise(epsilon: float, size: int, most_bytes: int | None) -> None:
    advice = advise(epsilon, size, most_bytes)
    chosen, *others = advice.candidates
    assert chosen.mechanism is advice.mechanism
    assert chosen.mechanism.size == size
    assert chosen.bytes <= (most_bytes or 1 << 16)
    assert chosen.work <= MOST_WORK
    assert chosen.against == ""
    for each in advice.candidates:
        assert each.mechanism.epsilon <= epsilon
    for each in others:
        assert each.against
        fits = each.bytes <= (most_bytes or 1 << 16) and each.work <= MOST_WORK
        assert not fits or each.variance * NEAR >= chosen.variance
        assert not fits or each.variance >= chosen.variance or each.bytes >= chosen.bytes


def test_it_says_what_a_limit_costs() -> None:
    advice = advise(1, 30_000_000)
    assert "hashing would err 11 % less, but: takes too long to count" in advice.reason
    missed = {each.mechanism.kind: each.against for each in advise(1, 1024, 2).candidates}
    assert missed["subset"] == "128 bytes are too many"
    assert missed["direct"].startswith("errs 861 % more")


def test_work_is_that_of_counting_and_of_decoding() -> None:
    assert count_work(LocalHashing.calibrate(1, 100), 1000) == 100_000
    assert count_work(HadamardBit.calibrate(1, 100), 1000) == 1000 + 128 * 8


def test_what_cannot_be_had_is_refused_with_what_could() -> None:
    with pytest.raises(ParameterError, match="most_bytes must be at least 2"):
        advise(1, 1024, most_bytes=1)
    with pytest.raises(ParameterError, match="fewer items"):
        advise(1, 1 << 40)
    with pytest.raises(ParameterError, match="size"):
        advise(1, 1)
    for epsilon in (0, -1, float("nan"), 1000):
        with pytest.raises(ClientError, match="epsilon"):
            advise(epsilon, 10)
