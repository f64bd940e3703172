"""What all pictures share: every number can be drawn, and no word is a formula."""

from __future__ import annotations

import math

from discreet.answers.picture_parts import find_reach, hold, hold_ends, list_caps, write_label


def test_every_number_can_be_drawn() -> None:
    assert [hold(value) for value in (1, 10**400, -math.inf)] == [1.0, 1e300, -1e300]
    assert math.isnan(hold(None))
    assert find_reach([math.nan], [None]) == 1.0
    assert find_reach([2.0], [(-5, math.inf)]) == 5.0
    assert hold_ends((-math.inf, 3), 10.0) == (-11.0, 3.0)
    assert list_caps((-math.inf, 3)) == [3.0]


def test_labels_are_one_short_line_and_no_formula() -> None:
    assert write_label(["a\nb", "$x$"]) == "a\\nb, \\$x\\$"
    assert write_label([""]) == '""'
    assert len(write_label(["m" * 90])) == 40
