"""Pairs of one family in one value, so that the grid handles them together."""

from __future__ import annotations

import math

import numpy as np

from discreet.privacy.accountant.pairs import DominatingPair


def stack_pairs(pairs: list[DominatingPair]) -> list[tuple[list[int], DominatingPair]]:
    """Put pairs of one family into one value each, wide ones apart from narrow ones; return whose they are."""
    groups: dict[object, list[int]] = {}
    for index, pair in enumerate(pairs):
        if pair.family is None or pair.parameter is None:
            groups[index] = [index]
        else:
            groups.setdefault((pair.family, round(math.log2(float(pair.parameter[0, 0])))), []).append(index)
    made = []
    for members in groups.values():
        one = pairs[members[0]]
        if len(members) > 1 and one.family is not None:
            one = one.family(np.concatenate([pairs[i].parameter for i in members if pairs[i].parameter is not None]))
        made.append((members, one))
    return made
