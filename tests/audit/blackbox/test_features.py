"""What is looked at in an output."""

from __future__ import annotations

import numpy as np

from discreet.audit.blackbox.features import find_last_bits, list_features


def test_the_last_bit_of_a_float_is_found() -> None:
    values = np.array([1.0, 3.0, 0.5, 0.75, -6.0, 2.0**-60, 0.0, 0.1, np.inf])
    assert find_last_bits(values).tolist() == [0, 0, -1, -2, 1, -60, 0, -55, 0]


def test_one_number_has_its_bits_where_it_is_no_whole_number() -> None:
    assert [name for name, _ in list_features(np.array([[1.0], [2.0]]))] == ["the number"]
    assert [name for name, _ in list_features(np.array([[1.5], [2.0]]))] == ["the number", "the last bit of number 0"]


def test_several_numbers_have_their_order() -> None:
    found = dict(list_features(np.array([[1.0, 5.0, 0.0], [7.0, 2.0, 2.0]])))
    assert found["where the largest is"].tolist() == [1, 0]
    assert found["the first less the others' mean"].tolist() == [-1.5, 5]
    assert found["how many are not 0"].tolist() == [2, 3]
