"""Accuracy of what was chosen: in words, as JSON, and at the confidence that is asked for."""

from __future__ import annotations

import json
import math

from discreet.answers import Accuracy, Answer, Field
from discreet.base.types import Type
from support.answers import RECEIPT


def bound(confidence: float) -> float:
    return 3 * math.log(3 / (1 - confidence))


ONE = Accuracy("number of rows", 1, bound)


def test_it_is_told_in_one_sentence_rounded_up() -> None:
    said = "with probability 95 %, the number of rows of what was chosen is within 12.2831 of the best"
    assert ONE.describe(0.95) == said
    several = Accuracy("sum of cost", 3, bound).describe(0.5)
    assert several == "with probability 50 %, the sum of cost of every n-th chosen is within 5.37528 of the n-th best"


def test_answers_tell_it_in_text_html_json_and_arrow() -> None:
    answer = Answer((Field("ward", Type.TEXT, False),), (("icu",),), RECEIPT, "private", accuracy=ONE)
    assert f"accuracy: {ONE.describe(0.95)}" in answer.text(width=200)
    assert ONE.describe(0.95) in answer._repr_html_()
    assert ONE.describe(0.5) in answer.text(width=200, confidence=0.5)
    assert json.loads(answer.to_json(confidence=0.5))["accuracy"] == ONE.to_dict(0.5)
    assert json.loads(answer.to_arrow().schema.metadata[b"discreet.accuracy"]) == ONE.to_dict(0.95)
    plain = Answer((Field("ward", Type.TEXT, False),), (("icu",),), RECEIPT, "private")
    assert "accuracy" not in plain.text() + plain.to_json()
