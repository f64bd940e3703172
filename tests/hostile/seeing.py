"""Everything that an analyst sees of an asking, noisy numbers apart: it must be the same on neighbours."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet

from discreet.answers import Answer
from discreet.base.errors import DiscreetError
from discreet.curator import Curator
from discreet.noise.bits import replayed
from hostile.asking import Case
from hostile.judging import Planned, Violation, planned, reproduction
from hostile.world import World
from support.cli import invoke
from support.sampling import GeneratorBits

EPSILON = 20.0
"""So much that keys from the data are selected, small as the tables are."""


def opened(world: World, folder: Path, name: str) -> Curator:
    """Return a curator over one of a world's databases, with a ledger of its own."""
    place = folder / name
    place.mkdir(parents=True)
    path = place / "policy.toml"
    path.write_text(world.policy)
    Curator.init(path)
    return Curator.open(path, None, world.frames[name])


def same_seen(world: World, case: Case, one: Curator, other: Curator) -> None:
    """Ask both, under the same recorded randomness, and compare what is seen."""
    found = planned(world.engine("one"), replace(case, epsilon=EPSILON))
    try:
        first, second = (seen(curator, case, found) for curator in (one, other))
    except Exception as trouble:
        raise Violation(f"{type(trouble).__name__}: {trouble}\n{reproduction(world, case)}") from trouble
    if first != second:
        differing = [(a, b) for a, b in zip(first, second, strict=False) if a != b]
        raise Violation(f"seen to differ: {differing}\n{reproduction(world, case)}")


def seen(curator: Curator, case: Case, found: Planned | str) -> list[Any]:
    """Return all that is seen of one asking. What was planned must be answered; what was refused, refused freely."""
    explained: str | DiscreetError
    try:
        explained = str(curator.explain(case.sql, EPSILON, params=case.params, keys=case.keys, **case.limits))
    except DiscreetError as refusal:
        explained = refusal
    assert isinstance(explained, str) is isinstance(found, Planned), f"now answered and now refused: {explained}"
    if isinstance(found, str):
        return [type(explained), str(explained), len(list(curator.ledger.entries()))]
    with replayed(GeneratorBits(5)):
        answer = curator.ask(case.sql, EPSILON, params=case.params, keys=case.keys, **case.limits)
    fields = [(field.name, field.type, field.noisy, field.remark) for field in answer.fields]
    kinds = [entry.kind for entry in curator.ledger.entries()]
    told = [explained, fields, answer.guarantee, answer.notes, str(answer.cost), answer.receipt.entry, kinds]
    told += [repr(curator.budget), keys(answer, found)]
    answer.to_arrow()
    str(answer)
    return told


def keys(answer: Answer, found: Planned) -> list[Any]:
    """Return the keys in their order, where they are public and no noisy number chose or ordered them."""
    plan, finish = found.plan, found.question.finish
    if finish.selects or found.priced.choice is not None or any(plan.selects(index) for index in range(len(plan.sets))):
        return []
    plain = [place for place, field in enumerate(answer.fields) if not field.noisy]
    return [tuple(row[place] for place in plain) for row in answer.rows]


def written(world: World, folder: Path, name: str) -> Path:
    """Write a database as parquet files with a policy and a ledger, for the program; return the policy's path."""
    place = folder / f"cli-{name}"
    place.mkdir(parents=True)
    text = world.policy
    for table, frame in world.frames[name].items():
        pyarrow.parquet.write_table(_storable(frame), place / f"{table}.parquet")
        text = text.replace(f"[tables.{table}]\n", f"[tables.{table}]\nsource = '{table}.parquet'\n")
    path = place / "policy.toml"
    path.write_text(text)
    Curator.init(path)
    return path


def _storable(frame: Any) -> Any:
    """Return a table with its times in microseconds, since parquet files do not hold all others."""
    for place, field in enumerate(frame.schema):
        if pa.types.is_timestamp(field.type) and field.type.unit != "us":
            step = {"s": 10**6, "ms": 10**3, "ns": Fraction(1, 1000)}[field.type.unit]
            told = frame.column(place).cast(pa.int64()).to_pylist()
            values = [None if value is None or abs(value * step) > 2**62 else int(value * step) for value in told]
            kind = pa.timestamp("us", tz=field.type.tz)
            frame = frame.set_column(place, field.with_type(kind), pa.array(values, pa.int64()).cast(kind))
    return frame


def same_exit(world: World, case: Case, one: Path, other: Path) -> int:
    """Ask with the program on both, and return the exit code, which must be the same, as must be what went wrong."""
    found = []
    for path in (one, other):
        with replayed(GeneratorBits(5)):
            result = invoke(("ask", case.sql, "--epsilon", 1, "--policy", path))
        found.append((result.exit_code, result.stderr.replace(str(path.parent), "")))
    if found[0] != found[1]:
        raise Violation(f"the program ends differently: {found}\n{reproduction(world, case)}")
    return found[0][0]
