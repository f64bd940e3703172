"""What invariants of lower levels say of the levels above: added up before anything is solved.

A top-down solve fixes the counts of a parent before it looks at the children. So whatever is known of children must be
known of the parent first, or it may be given counts that no children can add up to.

Theorem. Let every area a of a level have public bounds l_a <= Q x_a <= u_a on the answers of a query Q (a partition of
the cells), and let x be non-negative counts of a parent with x = 0 in impossible cells.

1. *Necessary.* If children x_a of the parent add up to x and keep their bounds, then the sum of l_a is at most Q x, and
   Q x at most the sum of u_a.
2. *Sufficient for one query.* If l_a <= u_a for all children and the sums bound Q x so, then there are children that
   add up to x and keep their bounds; whole numbers, where x and the bounds are. Proof: for each answer choose numbers
   between l_a and u_a that add up to Q x in it, which the sums allow, and deal out the people of the answer's cells in
   these numbers. Answers do not share cells, so each is dealt out alone.
3. *Sufficient for exact totals with lower bounds of one query.* Give each child its lower bounds; what is left in the
   answers and what is left of the totals have the same sum, and any way to deal the one out over the other will do.

By induction from the leaves, sums of sums bound every level, and in the cases of 2 and 3 a solution of any level can be
continued to the smallest areas. With bounds on several queries at once 1 still holds, and sharpening them by one
another within each area (`bounds.sharpen`) makes it say more. A solution of the parent may then still have no children:
of three answers, let one child hold one person at most, and another one in each answer. Two people in each of two
answers pass all sums, and cannot be dealt out. The solve finds that out and reports it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from discreet.base.errors import ParameterError
from discreet.topdown.spec.bounds import AnswerBounds, forget_implied, sharpen
from discreet.topdown.spec.geography import Geography, Level
from discreet.topdown.spec.invariants import NO_MOST, Invariant
from discreet.topdown.spec.queries import Query
from discreet.topdown.spec.schema import CensusSchema

LevelInvariants = tuple[Invariant, ...]
"""All that is known of the areas of one level: one invariant for each query of which something is known."""


def propagate(geography: Geography, schema: CensusSchema, stated: Sequence[Invariant]) -> tuple[LevelInvariants, ...]:
    """Return, for each level, what the invariants of it and of all levels below say of its areas.

    Refused where they contradict one another, where a total is above 0 in cells that cannot be, and where a query is of
    another schema; the message names the area.
    """
    for each in stated:
        if each.query.schema != schema or each.values.shape != (len(geography.levels[each.level]), each.query.size):
            raise ParameterError(f"invariants.{each.name}", each.values.shape, "a number for each area and answer")
    found: list[LevelInvariants] = []
    below: list[AnswerBounds] = []
    for place in reversed(range(len(geography.levels))):
        known: dict[Any, AnswerBounds] = {each.query.parts: each for each in below}
        for each in stated:
            if each.level == place:
                own = AnswerBounds.of_invariant(each)
                _meet(known, own, geography, place)
        merged = [_forbid_impossible(each, schema, geography, place) for each in known.values()]
        sharp = _sharpen_all(merged, schema, geography, place)
        told = (each for each in forget_implied(_rejoin(merged, sharp)) if not each.is_empty)
        found.append(tuple(each.to_invariant(place) for each in told))
        if place:
            parents = geography.levels[place].parents
            starts = np.flatnonzero(np.diff(parents, prepend=-1))
            below = [each.add_up(starts) for each in sharp]
    return tuple(reversed(found))


def _meet(known: dict[Any, AnswerBounds], own: AnswerBounds, geography: Geography, place: int) -> None:
    """Add what an invariant of this level says to what is known of its query, or name the contradiction."""
    key = own.query.parts
    before = known.get(key)
    known[key] = own if before is None else before.meet(own)
    wrong = known[key].find_contradiction()
    if before is None or wrong is None:
        _refuse(own, geography, place)
        return
    area, answer, _, _ = wrong
    stated = _tell(own, area, answer)
    other = _tell(before, area, answer)
    level = geography.levels[place]
    raise ParameterError(
        f"invariants.{own.names[0]}",
        f"{stated} for {_name_place(own, level, area, answer)}",
        f"what agrees with {_list_names(before)}, by which it is {other} in query {own.query.name}",
    )


def _forbid_impossible(bounds: AnswerBounds, schema: CensusSchema, geography: Geography, place: int) -> AnswerBounds:
    """Return bounds that let nobody into answers all of whose cells cannot be."""
    possible = np.zeros(bounds.query.size, dtype=bool)
    possible[bounds.query.places[~schema.impossible.reshape(-1)]] = True
    if possible.all():
        return bounds
    high = np.where(possible, bounds.high, 0)
    shut = AnswerBounds(bounds.query, bounds.low, high, bounds.names)
    wrong = shut.find_contradiction()
    if wrong is not None:
        area, answer, low, _ = wrong
        level = geography.levels[place]
        raise ParameterError(
            f"invariants.{bounds.names[0]}",
            f"at least {low} for {_name_place(bounds, level, area, answer)}",
            f"0 in query {bounds.query.name}: zeros say that nobody can be counted there",
        )
    return shut


def _sharpen_all(
    merged: list[AnswerBounds], schema: CensusSchema, geography: Geography, place: int
) -> list[AnswerBounds]:
    """Return the bounds sharpened by one another, and by the total that all queries have; refuse what cannot be."""
    if not merged:
        return merged
    total = Query("total", schema)
    areas = len(geography.levels[place])
    without = all(each.query.parts != () for each in merged)
    whole = AnswerBounds(total, np.zeros((areas, 1), dtype=np.int64), np.full((areas, 1), NO_MOST, dtype=np.int64))
    sharp = sharpen([*merged, whole] if without else merged)
    for each in sharp:
        wrong = each.find_contradiction()
        if wrong is not None:
            area, answer, low, high = wrong
            level = geography.levels[place]
            raise ParameterError(
                "invariants",
                f"at least {low} and at most {high} for {_name_place(each, level, area, answer)}",
                f"numbers that agree in query {each.query.name}: {_list_names(*merged)} contradict one another",
            )
    return sharp[:-1] if without else sharp


def _rejoin(merged: list[AnswerBounds], sharp: list[AnswerBounds]) -> list[AnswerBounds]:
    """Return the bounds of a level itself: as stated and added up, exact where sharpening shows that they are."""
    found = []
    for plain, sharper in zip(merged, sharp, strict=True):
        exact = np.array_equal(sharper.low, sharper.high)
        found.append(sharper if exact else plain)
    return found


def _refuse(own: AnswerBounds, geography: Geography, place: int) -> None:
    """Refuse an invariant that contradicts itself."""
    wrong = own.find_contradiction()
    if wrong is not None:
        area, answer, low, high = wrong
        level = geography.levels[place]
        at = f"at least {low} and at most {high} for {_name_place(own, level, area, answer)}"
        raise ParameterError(f"invariants.{own.names[0]}", at, "numbers that agree")


def _tell(bounds: AnswerBounds, area: int, answer: int) -> str:
    low, high = int(bounds.low[area, answer]), int(bounds.high[area, answer])
    if low == high:
        return f"{low}"
    return f"at least {low}" if high == NO_MOST else f"from {low} to {high}"


def _name_place(bounds: AnswerBounds, level: Level, area: int, answer: int) -> str:
    """Return an area and who is counted there, in words."""
    who = bounds.query.describe(answer)
    return f"{level.areas[area]} of {level.name}" + (f", {who}" if who else "")


def _list_names(*bounds: AnswerBounds) -> str:
    return " and ".join(dict.fromkeys(name for each in bounds for name in each.names)) or "nothing"
