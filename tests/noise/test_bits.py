"""Randomness: every word comes from the operating system and is handed out once, whoever asks."""

from __future__ import annotations

import inspect
import itertools
import os
import sys
import threading
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from discreet import noise
from discreet.noise import bits
from discreet.noise.bits import SystemBits, replayed
from support.sampling import GeneratorBits, ScriptedBits, in_child

SMALL, LARGE = 5, SystemBits.BLOCK // 8 + 3


def drawn(count: int, times: int) -> bytes:
    return b"".join(bits.words(count).tobytes() for _ in range(times))


def words_of(told: bytes) -> list[int]:
    return np.frombuffer(told, dtype=np.uint64).astype(object).tolist()  # type: ignore[no-any-return]


def assert_nothing_is_shared(*told: bytes) -> None:
    every = [word for part in told for word in words_of(part)]
    assert len(every) >= 2
    assert len(set(every)) == len(every)


@pytest.mark.parametrize(("count", "times"), [(1, 300), (SMALL, 200), (LARGE, 2)])
def test_two_forked_children_never_share_a_draw(count: int, times: int) -> None:
    before = drawn(1, 3)  # the parent's block is now partly read
    first = in_child(lambda: drawn(count, times))
    second = in_child(lambda: drawn(count, times))
    assert_nothing_is_shared(before, first, second, drawn(count, times))


def test_children_of_children_never_share_a_draw() -> None:
    def generation() -> bytes:
        mine = drawn(SMALL, 50)
        first, second = in_child(lambda: drawn(SMALL, 50)), in_child(lambda: drawn(SMALL, 50))
        return mine + first + second + drawn(SMALL, 50)

    before = drawn(SMALL, 1)
    assert_nothing_is_shared(before, in_child(generation), in_child(generation), drawn(SMALL, 50))


def test_a_child_forked_while_threads_draw_shares_nothing_with_them() -> None:
    stop = threading.Event()
    told: list[bytes] = []

    def draw_on() -> None:
        while not stop.is_set() and len(told) < 3_000:
            told.append(drawn(SMALL, 1))

    threads = [threading.Thread(target=draw_on) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        children = [in_child(lambda: drawn(SMALL, 100)) for _ in range(3)]
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert_nothing_is_shared(*told, *children, drawn(SMALL, 100))


def test_samplers_in_forked_children_differ() -> None:
    noise.geometric(1e15, 1)
    told = [in_child(lambda: noise.geometric(1e15, 20).tobytes()) for _ in range(2)]
    told.append(noise.geometric(1e15, 20).tobytes())
    assert len(set(told)) == 3


@pytest.fixture
def eager_switching() -> Iterator[None]:
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


def by_threads(task: Callable[[], bytes], count: int = 8) -> list[bytes]:
    """Run the task in threads that start together."""
    told: list[bytes] = []
    start = threading.Barrier(count)

    def run() -> None:
        start.wait()
        told.append(task())

    threads = [threading.Thread(target=run) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(told) == count
    return told


@pytest.mark.usefixtures("eager_switching")
def test_eight_threads_drawing_small_amounts_share_no_word() -> None:
    assert_nothing_is_shared(*by_threads(lambda: drawn(3, 1_500)))


class Counter:
    """A stand-in for os.urandom that counts: every word it gives is a new one."""

    def __init__(self) -> None:
        self._blocks = itertools.count()
        self.asked: list[int] = []

    def __call__(self, size: int) -> bytes:
        self.asked.append(size)
        start = next(self._blocks) << 32
        return np.arange(start, start + size // 8, dtype=np.uint64).tobytes()


def test_a_word_is_never_handed_out_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    counter = Counter()
    monkeypatch.setattr(os, "urandom", counter)
    source = SystemBits()
    counts = [1, 2, 3, 1000, 0, 8191, 8192, 7, 8193, 5000, 5000, *range(200)]
    told = [source.words(count) for count in counts]
    assert [len(words) for words in told] == counts
    assert_nothing_is_shared(*(words.tobytes() for words in told))


@pytest.mark.usefixtures("eager_switching")
def test_a_word_is_never_handed_out_twice_by_eight_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "urandom", Counter())
    source = SystemBits()
    assert_nothing_is_shared(*by_threads(lambda: b"".join(source.words(7).tobytes() for _ in range(3_000))))


def test_a_process_that_forked_unnoticed_fills_its_own_block(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fork from C runs no hook; the block's owner is compared with the process that asks."""
    source = SystemBits()
    monkeypatch.setattr(os, "urandom", counter := Counter())
    source.words(1)
    monkeypatch.setattr(os, "getpid", lambda: -1)
    source.words(1)
    source.words(1)
    assert counter.asked == [SystemBits.BLOCK] * 2


def test_small_draws_share_a_system_call_and_large_ones_read_just_what_they_need(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os, "urandom", counter := Counter())
    source = SystemBits()
    for _ in range(100):
        source.words(2)
    source.words(LARGE)
    assert counter.asked == [SystemBits.BLOCK, 8 * LARGE]


def test_words_are_fresh_from_the_operating_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "urandom", lambda size: b"\x01" * size)
    assert bits.words(LARGE).tolist() == [0x0101010101010101] * LARGE


def test_a_replayed_source_is_used_and_then_put_away() -> None:
    with replayed(source := ScriptedBits([7, 8, 9])):
        assert bits.one_word() == 7
        assert bits.words(2).tolist() == [8, 9]
    assert source.taken == 3
    assert bits.words(3).tolist() != [7, 8, 9]
    assert source.taken == 3


def test_a_replayed_source_is_put_away_after_an_exception() -> None:
    source = ScriptedBits([1, 2, 3])

    def fail() -> None:
        with replayed(source):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    bits.words(3)
    assert source.taken == 0


def test_replayed_sources_nest() -> None:
    with replayed(ScriptedBits([1, 3])):
        assert bits.one_word() == 1
        with replayed(ScriptedBits([2])):
            assert bits.one_word() == 2
        assert bits.one_word() == 3


def test_a_replayed_source_does_not_leak_to_other_threads() -> None:
    told: list[int] = []
    with replayed(source := GeneratorBits(1)):
        worker = threading.Thread(target=lambda: told.extend(words_of(drawn(100, 1))))
        worker.start()
        worker.join()
    assert len(told) == 100
    assert source.taken == 0
    assert set(told).isdisjoint(words_of(GeneratorBits(1).words(100).tobytes()))


def test_no_public_function_takes_a_seed() -> None:
    for name in noise.__all__:
        parameters = inspect.signature(getattr(noise, name)).parameters
        for parameter in parameters.values():
            assert parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL)
        assert not {"seed", "rng", "random_state", "generator", "source", "bits", "words"} & set(parameters), name
