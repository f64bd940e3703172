"""Recodes group the values of an attribute, and every answer has its labels."""

from __future__ import annotations

import pytest

from discreet.base.errors import ParameterError
from discreet.topdown.spec.recodes import AnswerAxis, Recode, find_part, list_labels
from discreet.topdown.spec.schema import Attribute, CensusSchema

SCHEMA = CensusSchema((Attribute("age", (1, 2, 3)), Attribute("sex", ("f", "m"))))
ADULT = Recode("adult", 0, (0, 0, 1), ("no", "yes"))


def test_a_part_is_that_of_an_attribute_or_of_a_recode() -> None:
    part, axis = find_part(SCHEMA, (ADULT,), "adult")
    assert (part.attribute, part.groups, axis.labels) == (0, (0, 0, 1), ("no", "yes"))
    part, axis = find_part(SCHEMA, (ADULT,), "sex")
    assert part.is_whole
    assert (part.attribute, axis.labels) == (1, ("f", "m"))
    with pytest.raises(ParameterError, match="one of age, sex, adult"):
        find_part(SCHEMA, (ADULT,), "income")


@pytest.mark.parametrize("labels", [("no",), ("no", "no"), ("no", "yes", "maybe")])
def test_a_recode_has_a_name_for_each_group(labels: tuple[str, ...]) -> None:
    with pytest.raises(ParameterError, match="a name for each group, and each once"):
        Recode("adult", 0, (0, 0, 1), labels)


def test_labels_stand_in_the_order_of_answers() -> None:
    axes = (AnswerAxis("adult", ("no", "yes")), AnswerAxis("sex", ("f", "m")))
    assert list_labels(axes) == [("no", "f"), ("no", "m"), ("yes", "f"), ("yes", "m")]
    assert list_labels(()) == [()]
