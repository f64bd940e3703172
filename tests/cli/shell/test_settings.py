"""What is set: one price or none, and there is none at first."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction

import pytest

from discreet.base.errors import ParameterError
from discreet.cli.shell.settings import Settings


def test_there_is_no_price_until_one_is_set() -> None:
    assert Settings().price == {}
    assert "not set" in Settings().describe()


def test_one_price_takes_the_place_of_another() -> None:
    settings = Settings().put("epsilon", "0.1")
    assert settings.price == {"epsilon": Fraction(1, 10)}
    assert settings.put("rho", "1e-3").price == {"rho": Fraction(1, 1000)}
    assert settings.put("within", "n=50 mean=2.5").price == {"within": {"n": 50.0, "mean": 2.5}}
    assert settings.clear("epsilon").price == {}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("epsilon", "0"),
        ("epsilon", "-1"),
        ("epsilon", "much"),
        ("epsilon", "1/0"),
        ("epsilon", "nan"),
        ("epsilon", "9" * 50),
        ("within", "n"),
        ("confidence", "2"),
        ("confidence", "x"),
        ("simultaneous", "perhaps"),
        ("format", "xml"),
        ("price", "1"),
        ("$", "1"),
    ],
)
def test_what_cannot_be_set_is_refused_and_changes_nothing(name: str, text: str) -> None:
    with pytest.raises(ParameterError):
        Settings().put(name, text)


def test_parameters_go_along_with_questions_that_name_them() -> None:
    settings = Settings().put("$age", "65").put("$since", "2026-03-01")
    assert settings.find_params("SELECT COUNT(*) FROM v WHERE age > $age") == {"params": {"age": 65}}
    assert settings.find_params("WHERE day > $since") == {"params": {"since": dt.date(2026, 3, 1)}}
    assert settings.find_params("WHERE 1 = 1") == {}
    assert settings.find_params("WHERE a > $ages") == {}
    assert settings.clear("$age").find_params("$age") == {}


def test_the_rest_is_as_it_was_set() -> None:
    settings = Settings().put("confidence", "0.9").put("simultaneous", "on").put("format", "CSV")
    assert (settings.confidence, settings.simultaneous, settings.format) == (0.9, True, "csv")
    assert settings.clear("format").format == "table"
    with pytest.raises(ParameterError):
        settings.clear("colour")
