"""Errors name what was wrong and what to write instead, in one small family."""

from __future__ import annotations

import numpy as np
import pytest

import discreet
from discreet.base.errors import DiscreetError, ExhaustedError, ParameterError


def test_every_error_is_one_of_the_family() -> None:
    assert issubclass(ParameterError, DiscreetError)
    assert issubclass(ExhaustedError, DiscreetError)
    assert issubclass(ParameterError, ValueError)


def test_a_parameter_error_says_the_name_what_is_allowed_and_what_came() -> None:
    error = ParameterError("scale", -3.5, "a finite number > 0")
    assert str(error) == "scale must be a finite number > 0; got -3.5"
    assert (error.name, error.allowed) == ("scale", "a finite number > 0")


def test_a_text_is_shown_in_quotes() -> None:
    assert str(ParameterError("kind", "rows", "one of 'a', 'b'")).endswith("got 'rows'")


def test_a_long_value_is_cut() -> None:
    message = str(ParameterError("scale", "x" * 10_000, "short"))
    assert len(message) < 150
    assert message.endswith("... (10002 characters)")


def test_a_value_of_80_characters_is_shown_whole() -> None:
    assert str(ParameterError("n", "x" * 78, "short")).endswith("'" + "x" * 78 + "'")


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        (np.array([123456.5]), "ndarray of float64"),
        (np.array(["123456"], dtype=object), "ndarray of object"),
        ([123456.5], "list"),
        ("123456", "str"),
        (123456.5, "float"),
        (np.float32(123456.5), "float32 of float32"),
        (None, "NoneType"),
    ],
)
def test_data_is_described_by_its_type_alone(data: object, shown: str) -> None:
    message = str(ParameterError.of_data("value", data, "integers"))
    assert message == f"value must be integers; got {shown}"
    assert "123456" not in message


def test_an_error_about_data_is_a_parameter_error_with_its_name() -> None:
    error = ParameterError.of_data("value", [1.5], "integers")
    assert type(error) is ParameterError
    assert error.name == "value"


def test_the_family_is_at_the_front_door() -> None:
    assert discreet.ParameterError is ParameterError
    assert discreet.DiscreetError is DiscreetError
    assert discreet.ExhaustedError is ExhaustedError
