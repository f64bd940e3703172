"""The public face of the audit: names that are loaded when they are first used."""

from __future__ import annotations

import pytest

import discreet
from discreet import audit


def test_every_name_of_the_face_is_there() -> None:
    assert all(callable(getattr(audit, name)) for name in audit.__all__)
    assert dir(audit) == sorted(audit.__all__)
    assert discreet.audit is audit


def test_other_names_are_not() -> None:
    with pytest.raises(AttributeError, match="no attribute 'guess'"):
        audit.guess  # noqa: B018
