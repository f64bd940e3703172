"""Generated databases: a policy, tables of people, public tables, and neighbours that differ in one of the people."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import duckdb
import pyarrow as pa

from discreet.base.types import Type
from discreet.engines.duck.connection import connect
from discreet.engines.engines import Engines
from discreet.policy import loads
from hostile.values import DAYS, KINDS, LISTED, NOW, UNITS, WHOLES, Kind, some
from support.duck import parse_once
from support.hospital import duck

Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Col:
    """A column as a question writes it. `bounded`: sums of it are answered; `listed`: it has a public domain."""

    sql: str
    type: Type
    bounded: bool = False
    listed: bool = False


@dataclass(frozen=True)
class Tab:
    """A table as a question sees it; `unit` is the column that says whose row it is, as it is written."""

    name: str
    columns: tuple[Col, ...]
    unit: str | None = None
    public: bool = False
    keys: tuple[tuple[Col, ...], ...] = ()
    """Columns that are declared to be unique, which they are not."""


@dataclass
class World:
    """A policy and databases under it: `one` and `other` are neighbours, `alone` has the unit that `base` lacks."""

    seed: int
    policy: str
    tabs: list[Tab]
    frames: dict[str, dict[str, Any]]
    replace: bool
    heavy: dict[str, int]
    """How many rows of each table the changed unit has."""

    engines: dict[str, Engines] = field(default_factory=dict)
    parsed: dict[str, duckdb.Statement] = field(default_factory=dict)
    """What DuckDB parsed: the databases of a world are asked the same."""

    def engine(self, name: str) -> Engines:
        if name not in self.engines:
            made = Engines(loads(self.policy, "owner/policy.toml"), self.frames[name])
            duck(made)._connection = connect()
            duck(made)._connection.execute("SET threads = 1")
            parse_once(made, self.parsed)
            self.engines[name] = made
        return self.engines[name]

    def close(self) -> None:
        for engine in self.engines.values():
            engine.close()
        self.engines, self.parsed = {}, {}


USUAL: dict[str, list[Any]] = {
    "age": [0, 1, 2, 3, 5, 7, 9],
    "big": WHOLES[:6],
    "half": [0, 1, 2, 3],
    "cost": [0.0, 0.5, 2.25, 47.25, 99.75],
    "raw": [0.0, 1.5, -3.0],
    "price": [0, 1, 5, 30],
    "ward": LISTED,
    "note": ["x", "y", "null", None],
    "sick": [True, False],
    "day": [18262, 18263, 18266],
    "seen": DAYS[:5],
    "at": [NOW, NOW + 3_600_000_000],
    "moment": [0, 1],
}
FAMILIES = {"age": "whole", "big": "whole", "half": "whole", "cost": "float", "raw": "float", "price": "decimal"}
FAMILIES |= {"ward": "text", "note": "text", "sick": "truth", "day": "day", "seen": "day", "at": "moment"}
FAMILIES |= {"moment": "moment"}
BOUNDS = {
    "age": "lower = 0, upper = 9",
    "big": "lower = -1000, upper = 1000",
    "half": "lower = 0, upper = 4, step = 0.5",
    "cost": "lower = 0, upper = 100, step = 0.25",
    "price": "lower = -5, upper = 50",
    "ward": 'values = ["north", "south", "icu"]',
    "day": "lower = 2020-01-01, upper = 2020-01-10",
    "at": "lower = 2020-01-01T00:00:00, upper = 2020-01-02T12:00:00",
}
SURE = {"age", "cost", "ward"}
NAMES = ["{}", "{}", "{}_", "my {}", "{}é", 'o"{}']


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


class _Maker:
    """One world being made."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(f"world {seed}")
        self.seed = seed
        self.replace = self.random.random() < 0.35
        self.family = self.random.choice([*UNITS, "whole", "text"])
        self.delta = self.random.random() < 0.9
        self.lines: list[str] = []
        self.tabs: list[Tab] = []
        self.rows: dict[str, Rows] = {}
        self.arrows: dict[str, dict[str, Kind]] = {}
        self.names: dict[str, dict[str, str]] = {}
        self.units: dict[str, str | None] = {}
        self.keyed = seed % 3 == 2
        """Whether tables have keys, and there are tables whose units lie across foreign keys."""

    def table(self, name: str, unit: bool, through: tuple[str, str] | None = None) -> None:
        """Declare a table of people, of rows, or of rows that reach people through a column of another table."""
        rng, style = self.random, self.random.choice(NAMES)
        named = {logical: style.format(logical) for logical in USUAL}
        self.arrows[name] = kinds = {each: rng.choice(KINDS[FAMILIES[logical]]) for logical, each in named.items()}
        kinds[named["age"]] = KINDS["whole"][0]
        place = f"[tables.{name}]"
        self.lines += [place, "size = 1000", 'version = "1"']
        declared, columns = [f"[tables.{name}.columns]"], []
        unit_name, hidden = None, False
        if unit:
            unit_name = rng.choice(["u", "person", "who is it"])
            hidden = rng.random() < 0.3
            self.lines += [f"unit = '{unit_name}'", 'identifies = "person"', *self.limits()]
            self.lines += [f"hidden = ['{unit_name}']"] if hidden else []
            types, _ = UNITS[self.family]
            kinds[unit_name] = Kind(rng.choice(types), Type.INTEGER, [])
            if not hidden:
                columns.append(Col(quoted(unit_name), _unit_type(self.family)))
        elif through is not None:
            logical, other = through
            self.lines += [f"through = '{named[logical]} -> {other}.{self.names[other][logical]}'", *self.limits()]
        else:
            self.lines += ["rows_are_units = true"]
        for logical, each in named.items():
            says = logical in BOUNDS and (logical in SURE or rng.random() < 0.7)
            if logical == "price" and kinds[each].arrow == pa.uint64():
                says = False
            if says:
                declared.append(f"'{each}' = {{ {BOUNDS[logical]} }}")
            numeric = kinds[each].type.numeric
            listed = logical == "sick" or (says and logical in ("ward", "age", "day"))
            columns.append(Col(quoted(each), kinds[each].type, says and numeric, listed))
        keys = self.keys(named) if self.keyed and (unit or through) else []
        self.lines += [f"unique = {[[named[logical] for logical in key] for key in keys]}"] if keys else []
        self.lines += declared
        self.units[name], self.names[name] = unit_name, named
        found = {each.sql: each for each in columns}
        unique = tuple(tuple(found[quoted(named[logical])] for logical in key) for key in keys)
        written = self.tabs[0].unit if through is not None else quoted(unit_name) if unit_name else None
        self.tabs.append(Tab(name, tuple(columns), written, keys=unique))
        self.rows[name] = []

    def keys(self, named: dict[str, str]) -> list[tuple[str, ...]]:
        """Return columns that are declared to be unique."""
        listed: list[tuple[str, ...]] = [("age",), ("ward",), ("age", "sick"), ("note",), ("day",)]
        return self.random.sample(listed, self.random.choice([1, 2]))

    def limits(self) -> list[str]:
        rng = self.random
        rows, groups, each = rng.choice([1, 2, 3, 5]), rng.choice([1, 2, 3]), rng.choice([1, 2, 4])
        chosen = rng.choice(["r", "rg", "re", "ge", "rge"])
        listed = {"r": f"max_rows = {rows}", "g": f"max_groups = {groups}", "e": f"max_rows_per_group = {each}"}
        return [listed[letter] for letter in chosen]

    def row(self, name: str, unit: Any = None) -> dict[str, Any]:
        odds = self.random.choice([0.1, 0.4])
        made = {}
        for (logical, usual), each in zip(USUAL.items(), list(self.arrows[name])[: len(USUAL)], strict=True):
            kind = self.arrows[name][each]
            fits = [value for value in usual if value in kind.pool] or kind.pool
            made[each] = some(self.random, kind.pool, fits if logical not in ("cost", "at") else usual, odds)
        if self.units[name] is not None:
            made[str(self.units[name])] = unit
        return made

    def frame(self, name: str, rows: Rows) -> Any:
        rows = self.random.sample(rows, len(rows))
        return pa.table({each: kind.array([row[each] for row in rows]) for each, kind in self.arrows[name].items()})


def _unit_type(family: str) -> Type:
    return {"whole": Type.INTEGER, "text": Type.TEXT, "day": Type.DATE, "decimal": Type.DECIMAL}.get(
        family, Type.TIMESTAMP
    )


def public(rng: random.Random) -> dict[str, Any]:
    """Return public tables: one with unique keys, and one in which a key is found up to three times."""
    wards = [*LISTED, rng.choice(["", "null", "é"])]
    floors = pa.array([rng.choice([1, 2, None]) for _ in wards], pa.int64())
    ages = [0, 1, 1, 2, 2, 2, 5, 7, None, None, 2**53 + 1]
    labels = [rng.choice(["low", "mid", "high", None]) for _ in ages]
    days = pa.array([rng.choice([18262, 18263, None]) for _ in ages], pa.date32())
    return {
        "wards": pa.table({"ward": wards, "floor": floors, "beds": pa.array([3, 5, 7, 9], pa.int64())}),
        "codes": pa.table({"age": pa.array(ages, pa.int64()), "label": pa.array(labels, pa.string()), "first": days}),
    }


PATHS = {"p": ("age", "a"), "q": ("ward", "p")}
"""Tables whose units lie across one foreign key and across two: by which column, and of which table it is."""

PUBLIC = [
    Tab("wards", (Col("ward", Type.TEXT), Col("floor", Type.INTEGER), Col("beds", Type.INTEGER)), None, True),
    Tab("codes", (Col("age", Type.INTEGER), Col("label", Type.TEXT), Col("first", Type.DATE)), None, True),
]


def world(seed: int) -> World:
    """Return the world of a seed."""
    made = _Maker(seed)
    rng = made.random
    private = ["a", "b", "c"][: rng.choice([1, 2, 2, 3])]
    for name in private:
        made.table(name, True)
    made.table("r", False)
    paths = PATHS if made.keyed else {}
    for name, through in paths.items():
        made.table(name, False, through)
    _, people = UNITS[made.family]
    chosen = rng.sample(people, min(len(people), rng.choice([2, 5, 7])))
    unit, entering, others = chosen[0], chosen[-1], chosen[1:-1]
    base: dict[str, Rows] = {name: [] for name in [*private, "r"]}
    changed: dict[str, Rows] = {}
    entered: dict[str, Rows] = {}
    empty = rng.random() < 0.1
    for name in private:
        for other in [] if empty else others:
            base[name] += [made.row(name, other) for _ in range(rng.choice([0, 1, 2, 4, 9]))]
        base[name] += [made.row(name, None) for _ in range(rng.choice([0, 0, 2]))]
        rows = [made.row(name, unit) for _ in range(rng.choice([0, 1, 3, 8, 14]))]
        changed[name] = rows + rng.sample(rows, len(rows) // 3)
        entered[name] = [made.row(name, entering) for _ in range(rng.choice([0, 2, 8]))]
    base["r"] = [made.row("r") for _ in range(rng.choice([0, 3, 8]))]
    changed["r"], entered["r"] = [made.row("r")], [made.row("r")]
    named = {name: [made.row(name) for _ in range(rng.choice([4, 9, 14]))] for name in paths}
    shared = public(rng)
    parts = {"one": (base, changed), "base": (base,), "alone": (changed,), "other": (base, entered)}
    if not made.replace:
        parts["other"] = (base,)
    frames = {
        key: shared | {name: made.frame(name, [row for part in each for row in part[name]]) for name in base}
        for key, each in parts.items()
    }
    for key in frames:  # rows that name nobody are the same, whoever is there
        frames[key] |= {name: made.frame(name, rows) for name, rows in named.items()}
    neighbours = "replace" if made.replace else "add-remove"
    budget = ["[budget]", "epsilon = 1000.0", *(["delta = 1e-9"] if made.delta else [])]
    policy = [*budget, "[privacy]", f'neighbours = "{neighbours}"', *made.lines]
    policy += ["[tables.wards]", "public = true", 'version = "1"', "[tables.codes]", "public = true", 'version = "1"']
    first = made.tabs[0]
    age, cost, ward = (next(each for each in first.columns if word in each.sql) for word in ("age", "cost", "ward"))
    seen = f"SELECT {first.unit} AS u, {age.sql} AS age, {cost.sql} AS cost, {ward.sql} AS ward FROM a"
    policy += ["[views]", f"seen = {{ sql = '''{seen} WHERE {age.sql} > 0''' }}"]
    policy += ["old = { sql = '''SELECT * FROM seen WHERE age >= 3''' }"]
    columns = (Col("age", Type.INTEGER, True, True), Col("cost", Type.FLOAT, True), Col("ward", Type.TEXT, False, True))
    views = [Tab(name, columns, "u") for name in ("seen", "old")]
    heavy = {name: len(rows) for name, rows in changed.items()}
    reached = changed
    for name, (logical, other) in paths.items():
        theirs, mine = made.names[other][logical], made.names[name][logical]
        values = {row[theirs] for row in reached[other] if row[theirs] is not None}
        reached = {name: [row for row in named[name] if row[mine] in values]}
        heavy[name] = len(reached[name])
    return World(seed, "\n".join(policy) + "\n", [*made.tabs, *views, *PUBLIC], frames, made.replace, heavy)
