"""One text for one value, whatever order its keys came in."""

from __future__ import annotations

import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.base.canonical import hash_bytes, hash_json, write_json

plain = st.none() | st.booleans() | st.integers() | st.text()
values = st.recursive(plain, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=12)


@given(values)
def test_a_value_comes_back_from_its_one_text(value: object) -> None:
    text = write_json(value)
    assert json.loads(text) == value
    assert text.isascii()
    assert hash_json(value) == hashlib.sha256(text.encode()).hexdigest() == hash_bytes(text.encode())


@given(st.dictionaries(st.text(), plain, min_size=2))
def test_the_order_of_keys_does_not_matter(value: dict[str, object]) -> None:
    assert write_json(dict(reversed(value.items()))) == write_json(value)


def test_what_is_no_number_of_json_is_refused() -> None:
    for value in (float("nan"), float("inf")):
        with pytest.raises(ValueError, match="not JSON compliant"):
            write_json({"x": value})
