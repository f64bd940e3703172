"""What `fit_compiled` returns: trained parameters, how rows become what the model takes, and what it cost."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from discreet.answers import Receipt
from discreet.base.errors import ParameterError
from discreet.learn.features import NumberColumn
from discreet.learn.models.model import Subject, compute_features
from discreet.learn.targets import ClassTarget
from discreet.query.placing import take_table


@dataclass(frozen=True, eq=False)
class CompiledModel:
    """Parameters of a model of a table, as a tree of arrays: nothing in them is private."""

    subject: Subject
    parameters: Any
    receipt: Receipt | None = None

    def __repr__(self) -> str:
        return f"<CompiledModel, {self.subject.describe()}>"

    @property
    def names(self) -> list[str]:
        """The names of all features, in their order in x."""
        return [name for column in self.subject.columns for name in column.weights]

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes, in the order of their labels."""
        if not isinstance(self.subject.target, ClassTarget):
            raise ParameterError("model", self.subject.kind, "one that predicts classes")
        return self.subject.target.classes

    def encode(self, table: Any) -> Any:
        """Return a line x of features for each row that somebody holds: an Arrow table or a pandas frame."""
        columns = self.subject.columns
        values, found = compute_features(columns, take_table("table", table)), []
        for column, given in zip(columns, values.T, strict=True):
            if isinstance(column, NumberColumn):
                found.append(np.clip((given - column.middle) / column.half, -1, 1)[:, None])
            else:
                found.append(np.arange(len(column.weights)) == given[:, None])
        return np.concatenate(found, axis=1).astype(np.float32)

    def with_receipt(self, receipt: Receipt) -> CompiledModel:
        """Return the model with what it cost."""
        return replace(self, receipt=receipt)
