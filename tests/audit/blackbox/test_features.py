"""What is looked at in an output."""

from __future__ import annotations

import numpy as np

from discreet.audit.blackbox.features import find_last_bits, list_features, list_parts


def test_the_last_bit_of_a_float_is_found() -> None:
    values = np.array([1.0, 3.0, 0.5, 0.75, -6.0, 2.0**-60, 0.0, 0.1, np.inf])
    assert find_last_bits(values).tolist() == [0, 0, -1, -2, 1, -60, 0, -55, 0]


def test_one_number_has_its_bits_where_it_is_no_whole_number() -> None:
    assert [each.name for each in list_features(np.array([[1.0], [2.0]]))] == ["the number"]
    names = [each.name for each in list_features(np.array([[1.5], [2.0]]))]
    assert names == ["the number", "the last bit of number 0"]


def test_several_numbers_have_their_order() -> None:
    rows = np.array([[1.0, 5.0, 0.0], [7.0, 2.0, 2.0]])
    found = {each.name: each.find(rows).tolist() for each in list_features(rows)}
    assert found["where the largest is"] == [1, 0]
    assert found["the first less the others' mean"] == [-1.5, 5]
    assert found["how many are not 0"] == [2, 3]
    assert found["the first half's sum less the second's"] == [-4, 3]


def test_long_outputs_have_halves() -> None:
    rows = np.arange(12.0).reshape(2, 6)
    assert [part.cut(rows).shape[1] for part in list_parts(6)] == [6, 3, 3]
    assert len(list_parts(3)) == 1
