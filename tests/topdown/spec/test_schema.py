"""Schemas have attributes with different values, and some combinations that can be."""

from __future__ import annotations

import pytest

from discreet.base.errors import ParameterError
from discreet.topdown.spec.schema import Attribute, CensusSchema

KIND, AGE = Attribute("kind", ("home", "prison")), Attribute("age", (0, 1, 2))


def test_zeros_are_every_combination_of_the_values_that_they_name() -> None:
    schema = CensusSchema((KIND, AGE), ({"kind": frozenset([1]), "age": frozenset([0, 1])}, {"age": frozenset([2])}))
    assert schema.impossible.tolist() == [[False, False, True], [True, True, True]]
    assert (schema.shape, schema.cells) == ((2, 3), 6)
    assert hash(schema) == hash(CensusSchema((KIND, AGE)))
    assert schema != CensusSchema((KIND, AGE))


def test_places_of_values_are_found() -> None:
    assert KIND.find_place("prison") == 1
    with pytest.raises(ParameterError, match="one of home, prison"):
        KIND.find_place("ship")
    with pytest.raises(ParameterError, match="one of kind, age"):
        CensusSchema((KIND, AGE)).find_attribute("sex")


@pytest.mark.parametrize("values", [(), ("a", "a"), (1, True)])
def test_values_are_different(values: tuple[str | int | bool, ...]) -> None:
    with pytest.raises(ParameterError, match="at least one value, and each once"):
        Attribute("x", values)


def test_a_schema_that_nobody_fits_into_is_refused() -> None:
    with pytest.raises(ParameterError, match="at least one, and each once"):
        CensusSchema(())
    with pytest.raises(ParameterError, match="at least one, and each once"):
        CensusSchema((KIND, KIND))
    with pytest.raises(ParameterError, match="a combination of values that cannot be"):
        CensusSchema((KIND,), ({},))
    with pytest.raises(ParameterError, match="some combinations that can be"):
        CensusSchema((KIND,), ({"kind": frozenset([0, 1])},))
    with pytest.raises(ParameterError, match="one of kind"):
        CensusSchema((KIND,), ({"sex": frozenset([0])},))
