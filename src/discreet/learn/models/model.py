"""What all models share: columns with public scales, what is predicted, what it cost, and a file of plain JSON.

Features are scaled as while learning: a number from -1 at its lower bound to 1 at its upper one, and 1 at a category's
place, 0 at all its others. `names` has one name for each scaled feature.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from dataclasses import KW_ONLY, dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from discreet.answers import Receipt
from discreet.base.canonical import Json
from discreet.base.errors import ParameterError
from discreet.base.grid import Floats
from discreet.learn.features import LearnedColumn, NumberColumn, read_learned_column
from discreet.learn.targets import ClassTarget, Target, read_target_form
from discreet.query.placing import take_table

FORMAT = "discreet model"
VERSION = 1
"""The version of the file. Files of a version that was ever released stay readable."""


class Subject(NamedTuple):
    """What a model is of: its kind, its table, its features, and what it predicts, if anything."""

    kind: str
    table: str
    columns: tuple[LearnedColumn, ...]
    target: Target | None

    def describe(self) -> str:
        """Say it in a line."""
        names = ", ".join(column.name for column in self.columns)
        what = names if self.target is None else f"{self.target.name} by {names}"
        return f"{self.kind} model of {self.table}: {what}"

    def to_json(self) -> dict[str, Json]:
        """Return the form of it."""
        return {
            "kind": self.kind,
            "table": self.table,
            "features": [column.describe() for column in self.columns],
            "target": None if self.target is None else self.target.describe(),
        }


def read_subject(form: Any) -> Subject:
    """Return the subject of what `to_json` wrote."""
    target = None if form["target"] is None else read_target_form(form["target"])
    return Subject(form["kind"], form["table"], tuple(read_learned_column(each) for each in form["features"]), target)


class Findings(NamedTuple):
    """What was learned as a table, in the units of the data: names beside numbers, a head for each column of them."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, tuple[float, ...]], ...]


@dataclass(frozen=True, eq=False, repr=False)
class Model(ABC):
    """A model of a table: what it was made of, and what it cost."""

    kind: str
    table: str
    columns: tuple[LearnedColumn, ...]
    target: Target | None
    rows: int
    """How many rows taught it, about."""
    _: KW_ONLY
    receipt: Receipt | None = None

    def __repr__(self) -> str:
        return f"<{type(self).__name__}, {self.subject.describe()}, from about {self.rows:,} rows>"

    @property
    def subject(self) -> Subject:
        """What it is a model of."""
        return Subject(self.kind, self.table, self.columns, self.target)

    @property
    def names(self) -> list[str]:
        """The names of all scaled features, in their order."""
        return [name for column in self.columns for name in column.weights]

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes, in the order of their probabilities."""
        if not isinstance(self.target, ClassTarget):
            raise ParameterError("model", self.kind, "one that predicts classes")
        return self.target.classes

    @property
    def places(self) -> list[tuple[str, slice]]:
        """Which scaled features belong to each column, by its name."""
        found, begin = [], 0
        for column in self.columns:
            found.append((column.name, slice(begin, begin + len(column.weights))))
            begin += len(column.weights)
        return found

    @abstractmethod
    def describe(self) -> dict[str, Json]:
        """Return what was learned as plain JSON, with names: the record in the ledger, and part of the file."""

    @classmethod
    @abstractmethod
    def read(cls, subject: Subject, form: Any) -> Self:
        """Return the model of what `describe` wrote."""

    @abstractmethod
    def tabulate(self) -> Findings:
        """Return what was learned, for people to read."""

    def with_receipt(self, receipt: Receipt) -> Self:
        """Return the model with what it cost."""
        return replace(self, receipt=receipt)

    def to_json(self) -> dict[str, Json]:
        """Return the model as plain JSON: nothing in it is private."""
        receipt = None if self.receipt is None else self.receipt.to_dict()
        return {
            "format": FORMAT,
            "version": VERSION,
            **self.subject.to_json(),
            **self.describe(),
            "receipt": receipt,
        }

    def save(self, path: str | Path) -> None:
        """Write the model to a file, from which `load_model` makes the same one."""
        Path(path).write_text(json.dumps(self.to_json(), indent=2, default=str) + "\n", encoding="utf-8")

    def scale_rows(self, table: Any) -> list[Floats]:
        """Return each column's features of rows that somebody holds: a number scaled to [-1, 1], or its place.

        The table is an Arrow table or a pandas frame. Features that are SQL are computed by DuckDB, in memory.
        """
        values = compute_features(self.columns, take_table("table", table))
        return [
            np.clip((given - column.middle) / column.half, -1, 1) if isinstance(column, NumberColumn) else given
            for column, given in zip(self.columns, values.T, strict=True)
        ]

    def combine(self, table: Any, weights: Floats) -> Floats:
        """Return the product of rows' scaled features with weights, a line for each of them: a line for each row."""
        scaled = self.scale_rows(table)
        found = np.zeros((len(scaled[0]), weights.shape[1]))
        for column, given, (_, part) in zip(self.columns, scaled, self.places, strict=True):
            own = weights[part]
            found += given[:, None] * own if isinstance(column, NumberColumn) else own[given.astype(int)]
        return found

    def unscale(self, features: Floats) -> Floats:
        """Return scaled features in the units of the data; a category's are left as they are."""
        return np.asarray(self.middles + self.halves * features)

    @property
    def middles(self) -> Floats:
        """What counts as 0 of each scaled feature, in the units of the data."""
        return np.concatenate(
            [[each.middle] if isinstance(each, NumberColumn) else np.zeros(len(each.weights)) for each in self.columns]
        )

    @property
    def halves(self) -> Floats:
        """What 1 of each scaled feature is, in the units of the data."""
        return np.concatenate(
            [[each.half] if isinstance(each, NumberColumn) else np.ones(len(each.weights)) for each in self.columns]
        )


def compute_features(columns: tuple[LearnedColumn, ...], table: Any) -> Floats:
    """Return each feature of each row as its SQL has it, in DuckDB, which sees this table and nothing else."""
    import duckdb

    parameters: dict[str, Any] = {}
    listed = ", ".join(f"{column.write_value(parameters)} AS feature{at}" for at, column in enumerate(columns))
    with duckdb.connect(config={"enable_external_access": "false"}) as database:
        database.register("given", table)
        try:
            found = database.sql(f"SELECT {listed} FROM given", params=parameters).to_arrow_table()
        except duckdb.Error as trouble:
            raise ParameterError("table", str(trouble), "one that has the columns of the model's features") from None
    return np.column_stack([np.asarray(found[name].cast("double")) for name in found.column_names])


def write_floats(values: Floats) -> list[float]:
    """Return numbers as JSON has them."""
    return [float(each) for each in values]
