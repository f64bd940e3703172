"""A generated state on disk: people, geography, invariants, policy and census spec, ready to be run."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa

from discreet.base import check
from discreet.base.later import Later
from discreet.topdown.example.people import InventedPeople, invent_people
from discreet.topdown.example.places import STATE, InventedPlaces, invent_places
from discreet.topdown.example.production import (
    DELTA,
    ETHNICITY,
    KINDS,
    RACES,
    RHO,
    VOTING_AGE,
    write_policy,
    write_spec,
)

parquet = Later("pyarrow.parquet")

SEED = 20200401


@dataclass(frozen=True, eq=False)
class GeneratedState:
    """Where a generated state lies, and the truth about it, for tests and measurements."""

    folder: Path
    places: InventedPlaces
    people: InventedPeople

    @property
    def spec(self) -> Path:
        """The census spec."""
        return self.folder / "census.toml"

    @property
    def policy(self) -> Path:
        """The policy."""
        return self.folder / "policy.toml"


def make_state(
    folder: str | Path,
    blocks: int = 9_900,
    block_groups: int = 300,
    tracts: int = 100,
    counties: int = 10,
    people: int = 450_000,
    seed: int = SEED,
    *,
    rho: Fraction = RHO,
    delta: Fraction = DELTA,
    regroup: bool = False,
) -> GeneratedState:
    """Write a state into a folder, which is made where it is missing, and return it; the same seed, the same state.

    Files: people.parquet (private), geography.parquet, state_totals.csv and facilities.csv (public), policy.toml with
    replace neighbours, and census.toml with the settings of 2020 at this rho and delta.
    """
    random = np.random.default_rng(check.integer("seed", seed, least=0))
    places = invent_places(blocks, block_groups, tracts, counties, random)
    invented = invent_people(places, check.integer("people", people, least=1), random)
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    _write_people(folder / "people.parquet", places, invented, random)
    parquet.write_table(places.to_table(), folder / "geography.parquet")
    (folder / "state_totals.csv").write_text(f"State,count\n{STATE},{people}\n", encoding="utf-8")
    (folder / "facilities.csv").write_text(_list_facilities(places, invented), encoding="utf-8")
    codes = places.codes[-1]
    (folder / "policy.toml").write_text(write_policy(people, (int(codes.min()), int(codes.max()))), encoding="utf-8")
    (folder / "census.toml").write_text(write_spec(rho, delta, regroup), encoding="utf-8")
    return GeneratedState(folder, places, invented)


def _write_people(path: Path, places: InventedPlaces, people: InventedPeople, random: np.random.Generator) -> None:
    """Write the private table: a row for each person, whose number says nothing about their block."""
    kinds, ages, ethnicities, races = people.values
    columns = {
        "person": pa.array(random.permutation(len(kinds)) + 1),
        "block": pa.array(places.codes[-1][people.blocks]),
        "kind": _name(kinds, KINDS),
        "voting_age": _name(ages, VOTING_AGE),
        "ethnicity": _name(ethnicities, ETHNICITY),
        "race": _name(races, RACES),
    }
    parquet.write_table(pa.table(columns), path)


def _name(places: np.ndarray, names: tuple[str, ...]) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(places.astype(np.int8)), pa.array(names))


def _list_facilities(places: InventedPlaces, people: InventedPeople) -> str:
    """Return the public list of facilities: how many of each kind are in a block, where there are any."""
    where, kinds = np.nonzero(people.facilities)
    counts = people.facilities[where, kinds]
    codes = places.codes[-1][where]
    lines = [f"{code},{KINDS[kind]},{count}" for code, kind, count in zip(codes, kinds, counts, strict=True)]
    return "\n".join(["Block,kind,count", *lines]) + "\n"
