"""A finished release, as it lies in its folder."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa

from discreet.answers.receipt import Receipt
from discreet.base.errors import DiscreetError, ParameterError
from discreet.base.later import Later
from discreet.base.showing import ShownAsText
from discreet.policy.exact import write_number
from discreet.topdown.release import microdata, receipt
from discreet.topdown.release.payment import ReleasePayment
from discreet.topdown.release.rows import CSV, read_rows
from discreet.topdown.release.writing import AREAS
from discreet.topdown.running.run_folder import FINISHED, read_json
from discreet.topdown.running.size_errors import QueryErrors
from discreet.topdown.spec.allocation import write_epsilon, write_rho

parquet = Later("pyarrow.parquet")


@dataclass(frozen=True, eq=False, repr=False)
class CensusRelease(ShownAsText):
    """Tables at every level with margins of error, microdata, the measurements, the receipt. All of it is public."""

    folder: Path
    told: dict[str, Any]
    """What the list of its files says."""
    payment: ReleasePayment | None = None
    """What the run that returned it paid, where one did: nothing, where all was found."""

    @classmethod
    def open(cls, folder: str | Path) -> CensusRelease:
        """Return the finished release in a folder."""
        path = Path(folder)
        told = read_json(path / FINISHED)
        if told is None:
            raise DiscreetError(f"{path} holds no finished release; `discreet census run census.toml` makes one")
        return cls(path, told)

    @property
    def levels(self) -> tuple[str, ...]:
        """The names of the levels, the whole first."""
        return tuple(name for name, _ in self.told["levels"])

    @property
    def queries(self) -> tuple[str, ...]:
        """The names of the published queries."""
        return tuple(dict.fromkeys(each["query"] for each in self.told["tables"]))

    @property
    def receipt(self) -> dict[str, Any]:
        """What it cost, what that means, and between which databases the guarantee holds."""
        found = read_json(self.folder / receipt.FILE)
        assert found is not None
        return found

    @property
    def charge(self) -> Receipt:
        """The ledger's receipt."""
        return Receipt.from_dict(self.receipt["charge"])

    @property
    def errors(self) -> tuple[QueryErrors, ...]:
        """How far it is off on average, simulated, by level and query."""
        return tuple(QueryErrors.from_dict(each) for each in self.told["errors"])

    def find_file(self, level: str, query: str) -> Path:
        """Return where a table lies: a file of Parquet or csv, or a folder of such where it is large."""
        return self.folder / str(_find(self.told["tables"], level, query)["file"])

    def table(self, level: str, query: str) -> pa.Table:
        """Return a table: area, labels, count, interval and margin, unbiased estimate with margin."""
        path = self.find_file(level, query)
        if path.suffix == f".{CSV}":
            return read_rows(path, _find(self.told["tables"], level, query)["labels"])
        return parquet.read_table(path, partitioning=None)

    def measurement(self, level: str, query: str) -> pa.Table:
        """Return the noisy answers of a query at a level."""
        return parquet.read_table(
            self.folder / _find(self.told["measurements"], level, query)["file"], partitioning=None
        )

    def microdata(self) -> pa.Table:
        """Return a row for each person: smallest area and attributes."""
        return parquet.read_table(self.folder / microdata.FILE)

    def areas(self) -> pa.Table:
        """Return all measured areas with their people and simulated errors."""
        return parquet.read_table(self.folder / AREAS)

    def __str__(self) -> str:
        sizes = ", ".join(f"{name} {areas:,}" for name, areas in self.told["levels"])
        told = self.told["receipt"]
        epsilons = " and ".join(
            f"{write_epsilon(each['epsilon'])} at delta {write_number(Fraction(each['delta']))}"
            for each in told["epsilon"]
        )
        lines = [
            f"{self.folder}: {self.told['people']:,} people of {self.told['table']}",
            f"  areas: {sizes}",
            f"  tables: {len(self.told['tables'])}, measurements: {len(self.told['measurements'])}",
            f"  rho {write_rho(Fraction(told['rho']))}: epsilon {epsilons}, certified, between {told['protects']}",
        ]
        return "\n".join([*lines, *(f"  {words}" for words in told["guarantee"])])


def _find(listed: list[dict[str, Any]], level: str, query: str) -> dict[str, Any]:
    for each in listed:
        if (each["level"], each["query"]) == (level, query):
            return each
    known = ", ".join(f"{each['level']} / {each['query']}" for each in listed[:30])
    raise ParameterError("table", f"{level} / {query}", f"one of {known}")
