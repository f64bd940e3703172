"""What was left out is said in one sentence, with its interval, and written for programs."""

from __future__ import annotations

from discreet.answers import LeftOut

FOUND = LeftOut("units had more than max_rows = 20 rows", 1213, lambda confidence: 29.5)


def test_it_is_one_sentence_with_an_interval() -> None:
    assert FOUND.describe(0.95) == "about 1,213 +- 30 units had more than max_rows = 20 rows (95 %)"


def test_fewer_than_none_is_none_in_words_and_as_released_for_programs() -> None:
    none = LeftOut("units had more", -7, lambda confidence: 30)
    assert none.describe(0.95).startswith("about 0 +- 30 units")
    assert none.to_dict(0.95) == {"what": "units had more", "value": -7, "within": 30, "confidence": 0.95}
