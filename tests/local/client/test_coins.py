from __future__ import annotations

import math
import os
from collections import Counter
from fractions import Fraction

import pytest

from discreet.local.client import ClientError, Coins, KeyedCoins, SystemCoins
from discreet.local.client.coins import ONE, bound_log, check_count, check_epsilon, read_chance


class Listed(Coins):
    def __init__(self, *words: int) -> None:
        self.left = list(words)

    def words(self, count: int) -> tuple[int, ...]:
        taken, self.left = self.left[:count], self.left[count:]
        return tuple(taken)


def test_a_coin_compares_one_word_with_its_chance() -> None:
    assert [Listed(word).toss(5) for word in (0, 4, 5, ONE - 1)] == [True, True, False, False]
    assert Listed(4, 5, 6).toss_each(6, 3) == [True, True, False]


def test_an_exact_coin_is_decided_by_the_first_word_that_differs_from_its_chance() -> None:
    third = ONE // 3
    assert Listed(third - 1).toss_exactly(Fraction(1, 3))
    assert not Listed(third + 1).toss_exactly(Fraction(1, 3))
    assert Listed(third, third, third - 1).toss_exactly(Fraction(1, 3))
    assert not Listed(third, third + 1).toss_exactly(Fraction(1, 3))
    assert Listed(ONE - 1).toss_exactly(Fraction(1))
    assert not Listed(0, 0, 1).toss_exactly(Fraction(0))
    assert Listed(0, 0).toss_exactly(Fraction(1, ONE**2))


def test_a_choice_draws_again_where_words_would_favour_some() -> None:
    uneven = ONE - ONE % 3
    assert Listed(uneven, 7).choose(3) == 1
    assert Listed(uneven - 1).choose(3) == (uneven - 1) % 3


def test_every_subset_is_equally_likely() -> None:
    from support.enumerated_coins import find_law

    law = find_law(lambda coins: frozenset(coins.choose_subset(5, 2)))
    assert set(law.values()) == {Fraction(1, 10)}
    assert all(len(each) == 2 for each in law)


def test_words_of_the_system_are_fresh_in_a_forked_child() -> None:
    coins = SystemCoins()
    coins.word()
    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writes, coins.word().to_bytes(8, "little"))
        os._exit(0)
    os.waitpid(child, 0)
    assert int.from_bytes(os.read(reads, 8), "little") not in [coins.word() for _ in range(600)]


def test_words_are_fresh_in_a_child_that_has_its_parents_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers of processes come back, and a child in a namespace of its own has the number 1 as its parent may."""
    coins = SystemCoins()
    coins.word()
    number, (reads, writes) = os.getpid(), os.pipe()
    monkeypatch.setattr(os, "getpid", lambda: number)
    child = os.fork()
    if child == 0:
        os.write(writes, coins.word().to_bytes(8, "little"))
        os._exit(0)
    os.waitpid(child, 0)
    assert int.from_bytes(os.read(reads, 8), "little") not in [coins.word() for _ in range(600)]


class Taken(list[int]):
    """Words of which another thread takes the last after somebody saw that there is one."""

    def __bool__(self) -> bool:
        return True


def test_a_word_that_another_thread_took_is_drawn_anew() -> None:
    coins = SystemCoins()
    coins.word()
    coins._ahead = (coins._ahead[0], Taken())
    assert 0 <= coins.word() < ONE


def test_words_of_the_system_are_even() -> None:
    coins = SystemCoins()
    drawn = Counter(coins.choose(8) for _ in range(80_000))
    statistic = sum((drawn[each] - 10_000) ** 2 / 10_000 for each in range(8))
    assert statistic < 60  # chi-square with 7 degrees of freedom: less than 1e-9 beyond


def test_keyed_coins_are_the_same_again_and_differ_by_secret_and_label() -> None:
    first, again = KeyedCoins(b"secret", b"a"), KeyedCoins(b"secret", b"a")
    words = first.words(10)
    assert words == tuple(again.word() for _ in range(10))
    assert not set(words) & set(KeyedCoins(b"secret", b"b").words(10))
    assert not set(words) & set(KeyedCoins(b"other", b"a").words(10))


def test_logarithms_are_rounded_up_but_little() -> None:
    for ratio in (Fraction(3), Fraction(10**30, 7), 1 + Fraction(1, 10**12), Fraction(1, 3)):
        assert math.log(ratio) < bound_log(ratio) < math.log(ratio) + 1e-12
    assert bound_log(Fraction(1)) == 0


@pytest.mark.parametrize("chance", [0, ONE, -1, 0.5, True, "7"])
def test_a_chance_that_tells_all_or_nothing_is_refused(chance: object) -> None:
    with pytest.raises(ClientError, match="2\\^64ths"):
        read_chance("truth", chance)


@pytest.mark.parametrize("epsilon", [0, -1, math.nan, math.inf, 21, True, "1", None])
def test_an_epsilon_that_cannot_be_realised_is_refused(epsilon: object) -> None:
    with pytest.raises(ClientError, match="from 1e-09"):
        check_epsilon(epsilon)


def test_counts_are_whole_and_bounded() -> None:
    assert check_count("size", 7, 2, 7) == 7
    for wrong in (1, 8, 2.0, True, None):
        with pytest.raises(ClientError, match="from 2 to 7"):
            check_count("size", wrong, 2, 7)
