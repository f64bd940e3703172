"""Texts that functions make are no longer than their rules say."""

from __future__ import annotations

import re
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from discreet.plan.growths import Growth, bound_by, bound_joined, replace_constant, replace_often, replace_once

WORDS = st.text("ab", max_size=8)


def growth(text: str) -> Growth:
    return Fraction(0), Fraction(len(text))


@given(text=WORDS, searched=st.text("ab", min_size=1, max_size=3), put=WORDS)
def test_replaced_texts_are_no_longer_than_bounded(text: str, searched: str, put: str) -> None:
    given_ = [growth(text), growth(searched), growth(put)]
    assert len(text.replace(searched, put)) <= replace_constant(given_)[1]
    assert len(re.sub("a", put, text)) <= replace_often(given_)[1]
    assert len(re.sub("a+", put, text, count=1)) <= replace_once(given_)[1]
    assert len(text + searched + put) == bound_joined(given_)[1]
    assert bound_by(5)([growth(text)])[1] == max(5, len(text))
