"""Where rows come from on Spark: parquet files by path, pattern or address, and tables and views of its catalog."""

from __future__ import annotations

import glob
import hashlib
import re
from typing import TYPE_CHECKING

from discreet.base.types import Digits, Type
from discreet.engines.sources import TableSource, parse_digits
from discreet.engines.spark.dialect import SPARK
from discreet.engines.spark.forms_math import write_last_places
from discreet.engines.spark.literals import SQL_TYPES, quote_name
from discreet.engines.spark.session import SparkConnection
from discreet.policy.model import Policy, Table
from discreet.policy.problems import quote_value

if TYPE_CHECKING:
    from discreet.base.errors import PolicyError

TYPES = {
    "boolean": Type.BOOLEAN,
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint"), Type.INTEGER),
    "decimal": Type.DECIMAL,
    **dict.fromkeys(("float", "double"), Type.FLOAT),
    **dict.fromkeys(("string", "varchar", "char"), Type.TEXT),
    "date": Type.DATE,
    **dict.fromkeys(("timestamp", "timestamp_ntz"), Type.TIMESTAMP),
}
"""Spark's types in the words of a policy; others, such as arrays and binary, have none."""

SPECIAL = re.compile(r"([*?\[\]{}\\])")
ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")


class SparkSource(TableSource):
    """One table's rows, on a connection to Spark."""

    def __init__(self, policy: Policy, table: Table, session: SparkConnection) -> None:
        super().__init__(policy, table, SPARK)
        self.session = session
        self.found: dict[str, Type] = {}
        """Types that the source itself had then."""
        self.kinds: dict[str, str] = {}
        """Spark's own types of the columns, once the schema is read."""
        self.clause = self._clause()

    def _clause(self) -> str:
        place, name = location(self.policy, self.table), self.table.database_table
        if place is not None:
            return f"parquet.{quote_name(place)}"
        if name is None:
            wrong, remedy = "there is no source", 'write source = "...", or table = "..." for a table of the catalog'
            raise self.explain("source", wrong, remedy)
        return ".".join(quote_name(part) for part in name.split("."))

    def schema(self) -> dict[str, Type | None]:
        """Return the columns and their types, from the source's own schema.

        Spark hands names to Hadoop, which puts other words for ${...} in them; such a column is never asked for.
        """
        try:
            with self.session.unheard():
                fields = self.session.session.sql(f"SELECT * FROM {self.clause}").schema.fields
        except Exception:
            raise self._unreadable() from None
        self.kinds = {each.name: each.dataType.simpleString() for each in fields}
        return {name: None if "${" in name else _type(kind) for name, kind in self.kinds.items()}

    def write_cast(self, name: str) -> str:
        """Return a column in its type, NULL where it does not fit."""
        return f"try_cast({quote_name(name)} AS {SQL_TYPES[self.types[name]]})"

    def read_digits(self) -> dict[str, Digits]:
        """Return the digits of columns such as decimal(15,2)."""
        found = {name: parse_digits(kind) for name, kind in self.kinds.items()}
        return {name: digits for name, digits in found.items() if digits is not None}

    def write_places(self, name: str, digits: int, scale: int) -> str:
        """Return a column of decimals as whole numbers of their last places."""
        return write_last_places(f"try_cast({quote_name(name)} AS DECIMAL({digits},{scale}))", digits, scale)

    def write_text(self, name: str, most: int) -> str:
        """Return a column of texts, NULL where one has more letters."""
        value = self.write_cast(name)
        return f"(CASE WHEN char_length({value}) <= {most} THEN {value} END COLLATE UTF8_BINARY)"

    def write_decimal(self, name: str) -> str:
        """Return a column of wide numbers as texts."""
        written = f"CAST({quote_name(name)} AS STRING)"
        short = f"trim(TRAILING '.' FROM trim(TRAILING '0' FROM {written}))"
        return f"(CASE WHEN contains({written}, '.') THEN {short} ELSE {written} END)"

    def fingerprint(self) -> str:
        """Return a hash that changes with the files of a source: their paths, sizes and times."""
        facts = ("file_path", "file_size", "file_modification_time")
        listed = ", ".join(f"CAST(_metadata.{fact} AS STRING) AS {fact}" for fact in facts)
        try:
            with self.session.unheard():
                files = self.session.session.sql(f"SELECT DISTINCT {listed} FROM {self.clause}").collect()
        except Exception:
            if self.table.source is not None:
                raise self._unreadable() from None
            wrong = "nothing of Spark tells when this table or view changes"
            remedy = 'say so yourself, as in version = "2026-03", and write another whenever its rows change'
            raise self.explain("version", wrong, remedy) from None
        told = hashlib.sha256()
        for file in sorted(tuple(row) for row in files):
            told.update("\x00".join((*file, "")).encode())
        return told.hexdigest()

    def _unreadable(self) -> PolicyError:
        """Say what is wrong with a source without quoting what it holds."""
        source, key = self.table.source, "source" if self.table.source is not None else "table"
        wrong, remedy = "Spark cannot read it", self._remedy(source)
        here = source is not None and not ADDRESS.match(source) and self.session.context is not None
        if here and not glob.glob(str(self.policy.path.parent / str(source)), recursive=True):
            wrong = f"there is no file {quote_value(source)}"
            remedy = "check the path, which begins at the policy's folder"
        return self.explain(key, wrong, remedy)

    def _remedy(self, source: str | None) -> str:
        if source is None:
            return "check that the catalog has a table of this name; Hive's needs spark.sql.catalogImplementation"
        remedy = "check that it is parquet, and holds no time of day or point in time told to the nanosecond"
        if ADDRESS.match(source):
            return f"{remedy}; that it is there; and that Spark has the connector and the rights for this address"
        return remedy


def _type(kind: str) -> Type | None:
    """Return the type of a column of Spark's, such as decimal(9,2) or string collate UNICODE."""
    return TYPES.get(re.split(r"[( ]", kind)[0])


def location(policy: Policy, table: Table) -> str | None:
    """Return a table's source as Spark takes it: an address as it is, a path from the policy's folder on.

    Characters that Hadoop takes for patterns, and Python does not, mean themselves.
    """
    source = table.source
    if source is None or ADDRESS.match(source):
        return source
    folder = str(policy.path.parent.absolute())
    found = _pattern(source) if glob.has_magic(source) else SPECIAL.sub(r"\\\1", source)
    start = "" if source.startswith("/") else SPECIAL.sub(r"\\\1", folder) + "/"
    return f"file:{start}{found}"


def _pattern(source: str) -> str:
    r"""Return a pattern as Hadoop writes it: braces mean themselves, and so does what stands alone in brackets.

    >>> print(_pattern("a[*]{1}/*.parquet"))
    a\*\{1\}/*.parquet
    """
    return re.sub(r"\[([*?\[])\]|([{}\\])", lambda found: "\\" + (found[1] or found[2]), source)
