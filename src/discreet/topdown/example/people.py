"""Invented people: skewed like real ones, and no more than that.

Many blocks are empty and a few are large. Races live apart: tracts differ much in whom they hold, block groups of a
tract less. Facilities are in few blocks, each with somebody in it. Nobody under age lives in a nursing home.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discreet.base.errors import ParameterError
from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.topdown.example.places import InventedPlaces
from discreet.topdown.example.production import ETHNICITY, KINDS, RACES, SINGLE_RACES, VOTING_AGE

EMPTY = 0.35
"""The share of blocks without a household."""

FACILITY_SHARE = 0.026
"""The share of people who live in facilities."""

FACILITIES = np.array([0.0, 2.0, 1.5, 12.0, 1.0, 3.0, 0.5, 8.0])
"""By kind, in a thousand blocks."""

FACILITY_SIZES = np.array([0.0, 8.0, 1.5, 2.0, 1.5, 10.0, 6.0, 1.0])
"""How large one is, on an average of its kind, against the smallest."""

ADULTS = np.array([0.0, 0.99, 0.15, 1.0, 0.9, 0.98, 1.0, 0.9])
"""The share of adults by kind of facility; that of households differs between tracts."""

RACE_SHARES = np.array([0.66, 0.14, 0.02, 0.07, 0.005, 0.105])
HISPANIC = np.array([0.8, 0.2, 0.6, 0.1, 0.4, 3.5])
"""How much more often than others people of one race are Hispanic."""

SEVERAL_RACES = 0.07
APART = 3.0
"""How alike tracts are: the smaller, the further apart races live."""

SHAPE = (len(KINDS), len(VOTING_AGE), len(ETHNICITY), len(RACES))


@dataclass(frozen=True, eq=False)
class InventedPeople:
    """One row for each person: the place of their block, and of their value of each attribute."""

    blocks: Ints
    values: tuple[Ints, Ints, Ints, Ints]
    """Of kind, voting age, ethnicity and race."""
    facilities: Ints
    """How many facilities of each kind each block has."""

    @property
    def cells(self) -> Ints:
        """The cell of each person, of all combinations of values."""
        return np.ravel_multi_index(self.values, SHAPE).astype(np.int64)

    def count_cells(self) -> NDArray[np.int32]:
        """Return how many people each cell has in each block: the truth, for tests and measurements."""
        cells = int(np.prod(SHAPE))
        found = np.bincount(self.blocks * cells + self.cells, minlength=len(self.facilities) * cells)
        return found.reshape(len(self.facilities), cells).astype(np.int32)


def invent_people(places: InventedPlaces, people: int, random: np.random.Generator) -> InventedPeople:
    """Return so many people in these blocks."""
    blocks = len(places.blocks)
    facilities = _place_facilities(blocks, random)
    where, kinds = np.nonzero(facilities)
    where, kinds = (np.repeat(each, facilities[where, kinds]) for each in (where, kinds))
    if people < len(where):
        raise ParameterError("people", people, f"at least {len(where)}: each facility holds somebody")
    inside = min(people, max(len(where), round(people * FACILITY_SHARE)))
    weights = FACILITY_SIZES[kinds] * random.lognormal(0, 0.8, len(where))
    sizes = 1 + random.multinomial(inside - len(where), weights / weights.sum())
    at_home = random.multinomial(people - inside, _weigh_blocks(places, random))
    block = np.concatenate([np.repeat(np.arange(blocks), at_home), np.repeat(where, sizes)])
    kind = np.concatenate([np.zeros(people - inside, dtype=np.int64), np.repeat(kinds, sizes)])
    order = np.argsort(block, kind="stable")
    block, kind = block[order], kind[order]
    return InventedPeople(block, (kind, *_draw_values(places, block, kind, random)), facilities)


def _place_facilities(blocks: int, random: np.random.Generator) -> Ints:
    """Return how many facilities of each kind each block has: at least one of each kind in the state."""
    found = np.zeros((blocks, len(KINDS)), dtype=np.int64)
    for kind, rate in enumerate(FACILITIES):
        if rate:
            np.add.at(found[:, kind], random.integers(0, blocks, max(1, round(rate * blocks / 1000))), 1)
    return found


def _weigh_blocks(places: InventedPlaces, random: np.random.Generator) -> Floats:
    """Return the share of people at home in each block: many have none, some many."""
    dense = random.lognormal(0, 0.5, len(places.groups))
    weights = random.lognormal(0, 1.1, len(places.blocks)) * dense[places.blocks]
    weights[random.random(len(weights)) < EMPTY] = 0
    if not weights.any():
        weights[0] = 1
    found: Floats = weights / weights.sum()
    return found


def _draw_values(
    places: InventedPlaces, blocks: Ints, kinds: Ints, random: np.random.Generator
) -> tuple[Ints, Ints, Ints]:
    """Return voting age, ethnicity and race of each person."""
    groups = places.blocks[blocks]
    tracts = places.groups[groups]
    shares = _mix_races(places, random)
    edges = np.cumsum(shares, axis=1)
    edges[:, -1] = 1
    steps = (np.arange(len(edges))[:, None] + edges).reshape(-1)
    races = np.searchsorted(steps, groups + random.random(len(blocks)), side="right") - groups * len(RACES)
    races = np.clip(races, 0, len(RACES) - 1)
    hispanic = random.beta(0.8, 3.0, len(places.groups))[tracts] * _list_hispanic()[races]
    ethnicity = (random.random(len(blocks)) < np.minimum(hispanic, 0.98)).astype(np.int64)
    at_home = random.beta(60, 17, len(places.groups))[tracts]
    adult = random.random(len(blocks)) < np.where(kinds == 0, at_home, ADULTS[kinds])
    return adult.astype(np.int64), ethnicity, races.astype(np.int64)


def _mix_races(places: InventedPlaces, random: np.random.Generator) -> Floats:
    """Return the share of each combination of races in each block group."""
    tracts = random.gamma(APART * RACE_SHARES, size=(len(places.tracts), len(SINGLE_RACES))) + 1e-4
    tracts /= tracts.sum(axis=1, keepdims=True)
    single = random.gamma(25 * tracts[places.groups]) + 1e-5
    single /= single.sum(axis=1, keepdims=True)
    several = np.ones((len(single), len(RACES) - len(SINGLE_RACES)))
    for place, name in enumerate(RACES[len(SINGLE_RACES) :]):
        members = [SINGLE_RACES.index(each) for each in name.split("+")]
        several[:, place] = np.prod(single[:, members] + 0.02, axis=1) * 0.3 ** (len(members) - 2)
    several *= random.beta(4, 4 / SEVERAL_RACES - 4, len(single))[:, None] / several.sum(axis=1, keepdims=True)
    found: Floats = np.concatenate([single * (1 - several.sum(axis=1, keepdims=True)), several], axis=1)
    return found


def _list_hispanic() -> Floats:
    """Return how much more often than others people of each combination of races are Hispanic: its races' mean."""
    members = [[SINGLE_RACES.index(each) for each in name.split("+")] for name in RACES]
    return np.array([HISPANIC[each].mean() for each in members])
