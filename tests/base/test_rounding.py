"""Directed rounding: floats on a known side of the real number, next to it."""

from __future__ import annotations

import math
import struct
import threading
from fractions import Fraction

import pytest
from flint import arb, ctx
from hypothesis import example, given
from hypothesis import strategies as st

from discreet.base import rounding
from discreet.base.rounding import (
    ball,
    down,
    float_down,
    float_up,
    floor_of,
    precision,
    ratio_down,
    ratio_up,
    rounded_down,
    rounded_up,
    up,
)
from support.sampling import in_child

SMALL, BIG = Fraction(1, 10**400), Fraction(10**400)
LARGEST = Fraction(math.nextafter(math.inf, 0))

fractions = (
    st.fractions()
    | st.floats(allow_nan=False, allow_infinity=False).map(Fraction)
    | st.builds(lambda x, sign: Fraction(x) + sign * SMALL, st.floats(-1e9, 1e9), st.sampled_from([-1, 1]))
    | st.builds(Fraction, st.integers(-(2**300), 2**300), st.integers(1, 2**300))
)


def next_above(x: float) -> Fraction | float:
    above = math.nextafter(x, math.inf)
    return above if math.isinf(above) else Fraction(above)


def next_below(x: float) -> Fraction | float:
    below = math.nextafter(x, -math.inf)
    return below if math.isinf(below) else Fraction(below)


@given(fractions)
@example(SMALL)
@example(-SMALL)
@example(1 + SMALL)
@example(1 - SMALL)
@example(-1 - SMALL)
@example(-1 + SMALL)
@example(Fraction(0))
@example(LARGEST - 1)
def test_float_up_is_the_least_float_not_below(x: Fraction) -> None:
    found = float_up(x)
    assert Fraction(found) >= x
    assert next_below(found) < x


@given(fractions)
@example(SMALL)
@example(-SMALL)
@example(1 + SMALL)
@example(1 - SMALL)
@example(-1 - SMALL)
@example(-1 + SMALL)
@example(Fraction(0))
@example(1 - LARGEST)
def test_float_down_is_the_greatest_float_not_above(x: Fraction) -> None:
    found = float_down(x)
    assert Fraction(found) <= x
    assert next_above(found) > x


@given(st.floats(allow_nan=False))
def test_a_float_is_its_own_rounding(x: float) -> None:
    assert float_up(x) == x
    assert float_down(x) == x


@given(st.fractions(), st.fractions().filter(bool))
def test_ratios_enclose_the_quotient_within_one_step(a: Fraction, b: Fraction) -> None:
    low, high = ratio_down(a, b), ratio_up(a, b)
    assert Fraction(low) <= a / b <= Fraction(high)
    assert high <= math.nextafter(low, math.inf)


def test_numbers_beyond_the_largest_float() -> None:
    assert float_up(BIG) == math.inf
    assert Fraction(float_down(BIG)) == LARGEST
    assert float_down(-BIG) == -math.inf
    assert Fraction(float_up(-BIG)) == -LARGEST
    assert float_up(LARGEST + 1) == math.inf
    assert Fraction(float_down(LARGEST + 1)) == LARGEST


def test_zero_rounds_to_plain_zero() -> None:
    for found in (up(arb(0)), down(arb(0)), float_up(0), float_down(0)):
        assert found == 0
        assert math.copysign(1, found) == 1


@given(st.floats(-1e100, 1e100), st.floats(0, 1e100))
def test_a_ball_rounds_outward_over_all_its_numbers(middle: float, radius: float) -> None:
    wide = arb(mid=middle, rad=radius)
    assert arb(up(wide)) >= wide.upper()
    assert arb(down(wide)) <= wide.lower()


@pytest.mark.parametrize("unknown", [arb("nan"), arb("inf"), arb("-inf"), arb(mid=0, rad=arb("inf")), 1 / arb(0)])
def test_nan_and_the_unbounded_round_to_the_far_end(unknown: arb) -> None:
    assert up(unknown) == math.inf
    assert down(unknown) == -math.inf


def test_formulas_round_outward() -> None:
    low, high = rounded_down(lambda: arb(2).sqrt()), rounded_up(lambda: arb(2).sqrt())
    assert high == math.nextafter(low, math.inf)
    assert Fraction(low) ** 2 < 2 < Fraction(high) ** 2


@given(st.fractions() | st.integers() | st.floats(allow_nan=False, allow_infinity=False))
def test_a_ball_contains_its_number(x: float | Fraction) -> None:
    with precision(40):
        held = ball(x)
        scaled = held * ball(Fraction(x).denominator)
    with ctx.workprec(4000):
        assert scaled.contains(arb(Fraction(x).numerator))


@pytest.mark.parametrize("bits", [500, 5_000, 60_000])
def test_a_floor_is_exact_however_close_the_number_is(bits: int) -> None:
    assert floor_of(lambda: 7 + arb(2) ** -bits) == 7
    assert floor_of(lambda: 7 - arb(2) ** -bits) == 6
    assert floor_of(lambda: arb(-1) - arb(2) ** -bits) == -2


def test_a_floor_of_a_visible_whole_number_is_that_number() -> None:
    assert floor_of(lambda: arb(10) ** 30) == 10**30
    assert floor_of(lambda: arb(3) / 4 * 4) == 3


def test_a_floor_that_no_precision_decides_is_an_error() -> None:
    with pytest.raises(ArithmeticError, match="undecided"):
        floor_of(lambda: arb(mid=1, rad=0.5))


def test_the_working_precision_is_put_back() -> None:
    usual = ctx.prec
    with precision(777):
        assert ctx.prec == 777
        with precision(99):
            assert ctx.prec == 99
        assert ctx.prec == 777
    with pytest.raises(ZeroDivisionError), precision(555):
        raise ZeroDivisionError
    assert ctx.prec == usual


def test_threads_never_see_one_anothers_precision() -> None:
    seen: list[bool] = []

    def work(bits: int) -> None:
        for _ in range(300):
            with precision(bits):
                seen.append(ctx.prec == bits and arb(2).sqrt().rel_accuracy_bits() >= bits - 3)

    threads = [threading.Thread(target=work, args=(bits,)) for bits in (60, 200, 1000)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 900
    assert all(seen)


def test_a_forked_child_is_not_blocked_by_a_lock_that_a_thread_of_the_parent_holds() -> None:
    held, release = threading.Event(), threading.Event()

    def hold() -> None:
        with precision(300):
            held.set()
            release.wait()

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait()
    try:
        told = in_child(lambda: struct.pack("d", ratio_up(1, 3)), seconds=30)
    finally:
        release.set()
        holder.join()
    assert struct.unpack("d", told)[0] == ratio_up(1, 3)


def test_a_fork_inside_a_computation_leaves_parent_and_child_working() -> None:
    with precision(300):
        told = in_child(lambda: struct.pack("d", ratio_up(1, 3)), seconds=30)
        inside = ratio_up(1, 3)
    assert struct.unpack("d", told)[0] == inside
    assert isinstance(rounding._lock.now, type(threading.RLock()))
