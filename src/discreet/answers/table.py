"""Tables: named columns of Python values, and every way they leave this package."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from discreet.answers.arrow import to_arrow, to_pandas, to_polars
from discreet.answers.export import (
    choose_format,
    describe_columns,
    save_parquet,
    save_text,
    write_csv,
    write_json_document,
)
from discreet.answers.fields import Field, Row, check_fields
from discreet.base.errors import ParameterError


@dataclass(frozen=True)
class AnswerTable:
    """Rows of values under named fields. Whatever it is turned into, no number is rounded on the way."""

    fields: tuple[Field, ...]
    rows: tuple[Row, ...]

    def __post_init__(self) -> None:
        check_fields(self.fields, self.rows)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(field.name for field in self.fields)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, object]]:
        return (dict(zip(self.names, row, strict=True)) for row in self.rows)

    def __getitem__(self, name: str) -> list[object]:
        if name not in self.names:
            raise ParameterError("column", name, "one of " + ", ".join(repr(known) for known in self.names))
        place = self.names.index(name)
        return [row[place] for row in self.rows]

    def about(self) -> dict[str, str]:
        """Return what is said of the table as a whole, as Arrow and Parquet carry it beside the schema."""
        return {}

    def to_arrow(self) -> Any:
        """Return a pyarrow table; whole numbers beyond 64 bits are decimals there."""
        return to_arrow(self.fields, self.rows, self.about())

    def to_pandas(self) -> Any:
        """Return a pandas frame."""
        return to_pandas(self.fields, self.rows)

    def to_polars(self) -> Any:
        """Return a polars frame."""
        return to_polars(self.fields, self.rows)

    def to_csv(self) -> str:
        """Return the table as comma-separated values."""
        return write_csv(self.fields, self.rows)

    def to_json(self) -> str:
        """Return the table as a JSON object with the parts `columns` and `rows`."""
        return write_json_document({"columns": describe_columns(self.fields), "rows": self.rows})

    def save(self, path: str | Path, format: str | None = None) -> None:
        """Write the table to a file: `csv`, `json` or `parquet`, by its ending where no format is named."""
        file = Path(path)
        match choose_format(file, format):
            case "csv":
                save_text(self.to_csv(), file)
            case "json":
                save_text(self.to_json(), file)
            case _:
                save_parquet(self.to_arrow(), file)
