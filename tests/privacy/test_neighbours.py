"""The two neighbour relations."""

from __future__ import annotations

import pytest

from discreet.base.errors import ParameterError
from discreet.privacy import Neighbours


def test_there_are_two_relations() -> None:
    assert [member.value for member in Neighbours] == ["add-remove", "replace"]


@pytest.mark.parametrize("member", list(Neighbours))
def test_a_relation_is_found_by_its_name_or_itself(member: Neighbours) -> None:
    assert Neighbours.named(member.value) is member
    assert Neighbours.named(member) is member


def test_a_relation_is_written_as_its_name() -> None:
    assert str(Neighbours.ADD_REMOVE) == "add-remove"
    assert f"{Neighbours.REPLACE}" == "replace"


@pytest.mark.parametrize("name", ["add_remove", "ADD-REMOVE", "", "swap", None, 1])
def test_any_other_name_is_refused_with_the_names_allowed(name: object) -> None:
    with pytest.raises(ParameterError, match="neighbours must be one of 'add-remove', 'replace'"):
        Neighbours.named(name)
