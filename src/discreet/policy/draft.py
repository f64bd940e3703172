"""A first policy for an owner to complete: names and types from the schema, and nothing from the rows.

But for types of csv files, which their first rows propose (`engines/duck/csv_types.py`), to be confirmed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from discreet.base.types import Type
from discreet.policy.model import SourceFormat
from discreet.policy.problems import join_path, quote
from discreet.policy.tables import guess_format

HEAD = """\
# What discreet may know about this data, and how much privacy may be spent on it in all.
# Fill in the lines that begin with "# ->": take the mark away and write what is true of the population, not what you
# saw in these rows, since bounds and categories are public. `discreet check` says what is still missing.

[budget]
# -> epsilon = 1.0            # the most that all answers together may cost; the smaller, the more private
# delta = 1e-9                # with it many small questions cost less; every table then needs its size

[privacy]
neighbours = "add-remove"     # or "replace", where the number of people is public
"""

UNIT = """\
# Whose rows are these? One of the four:
{units}# -> through = "... -> T.c"   # the column that another table T knows as c, and with it whose row it is
# -> rows_are_units = true    # every row is about somebody else
# -> public = true            # the table is about nobody
# -> max_rows = 20            # with a unit: the most rows that one unit may have; further rows are left out
# identifies = "person"       # tables with the same word speak of the same people
# size = 1_000_000            # public order of magnitude of the rows; needed where delta is above 0
# version = "1"               # your name for this state of the data
# hidden = ["..."]            # columns that nobody may use
"""


def draft_policy(
    tables: Iterable[tuple[str, str, Mapping[str, Type | None]]], inner: Mapping[str, str] | None = None
) -> str:
    """Return a commented policy for tables given as (name, source, columns with their types).

    `inner` says which tables have another name inside their database file.

    It is valid TOML, and `load` refuses it with what only the owner can say: the budget, whose rows these are, and how
    many each may have. A column that looks like a unit is suggested in a comment; nothing is chosen for the owner.
    """
    return HEAD + draft_tables(tables, inner)


def draft_tables(
    tables: Iterable[tuple[str, str, Mapping[str, Type | None]]], inner: Mapping[str, str] | None = None
) -> str:
    """Return the tables of a draft alone, for a policy that there is."""
    known = inner or {}
    return "".join(_table(name, source, schema, known.get(name)) for name, source, schema in tables)


def looks_like_unit(column: str) -> bool:
    """Say whether a column's name sounds like one that says whose row it is.

    >>> [looks_like_unit(name) for name in ("patient_id", "userId", "ID", "patientid", "malic_acid", "paid")]
    [True, True, True, True, False, False]
    """
    return bool(_UNIT.search(column) or _PEOPLE.fullmatch(column))


def is_row_number(table: str, column: str) -> bool:
    """Say whether a column is named after its table, and not after people: then it numbers the rows.

    As a unit it would protect every row by itself, and nobody who has several.

    >>> [is_row_number("loans", name) for name in ("loan_id", "loan id", "LoanId", "borrower_id", "id")]
    [True, True, True, False, False]
    >>> is_row_number("patients", "patient_id"), is_row_number("categories", "category_id")
    (False, True)
    """
    stem = _plain(re.sub("id$", "", column, flags=re.IGNORECASE))
    whole = _plain(table)
    forms = {whole, whole.removesuffix("s"), whole.removesuffix("es"), re.sub("ies$", "y", whole)}
    return bool(stem) and stem in forms and not _PEOPLE.fullmatch(stem)


def _plain(name: str) -> str:
    return re.sub(r"[\W_]", "", name).lower()


_UNIT = re.compile(r"(^|[^A-Za-z])(id|Id|ID)$|[a-z0-9](Id|ID)$")
_PEOPLE = re.compile(
    r"(patient|person|user|customer|client|member|subject|participant|account|borrower|reader|subscriber|student|pupil|"
    r"employee|worker|resident|citizen|household|passenger|rider|driver|donor|tenant|guest|visitor)_?(id)?",
    re.IGNORECASE,
)


def _table(name: str, source: str, schema: Mapping[str, Type | None], inner: str | None) -> str:
    csv = guess_format(source) is SourceFormat.CSV
    lines = "".join(f"{line}\n" for column, kind in schema.items() for line in _column(column, kind, csv))
    head = f"\n[{join_path(['tables', name])}]\nsource = {quote(source)}\n"
    head += f"table = {quote(inner)}\n" if inner is not None else ""
    columns = f"\n[{join_path(['tables', name, 'columns'])}]\n{_ABOUT[csv]}{lines}"
    return head + UNIT.format(units=_suggest_units(name, schema)) + columns


def _suggest_units(table: str, schema: Mapping[str, Type | None]) -> str:
    """Return a line for each column that sounds like a unit; one that only numbers the rows is no suggestion."""
    named = [column for column, kind in schema.items() if kind is not Type.FLOAT and looks_like_unit(column)]
    numbers = [column for column in named if is_row_number(table, column)]
    likely = [column for column in named if column not in numbers]
    likely = [column for column in likely if column.lower() != "id"] or likely
    if likely:
        return "".join(f"# -> unit = {quote(column)}  # likely, by its name: whose row it is\n" for column in likely)
    beside = f", hardly {quote(numbers[0])}, which sounds like the row's own number" if numbers else ""
    return f'# -> unit = "..."             # the column that says whose row it is{beside}\n'


_ABOUT = {
    False: "# All columns may be filtered on. Sums and means need bounds; keys that are declared cost no delta.\n"
    "# Texts with more letters than `longest` (1024 where nothing is declared) are NULL.\n",
    True: "# A csv file has no types. Those marked with -> fit its first rows: confirm them by taking the mark away,\n"
    "# or write another: boolean, integer, decimal, float, text, date or timestamp. They are public once you do.\n"
    "# Sums and means need bounds (lower, upper); keys that are declared cost no delta.\n"
    "# Texts with more letters than `longest` (1024 where nothing is declared) are NULL.\n",
}

_FACTS = {
    Type.BOOLEAN: None,
    Type.INTEGER: "lower = ..., upper = ...",
    Type.DECIMAL: "lower = ..., upper = ..., step = ...",
    Type.FLOAT: "lower = ..., upper = ..., step = ...",
    Type.TEXT: 'values = ["...", "..."], longest = ...',
    Type.DATE: "lower = YYYY-MM-DD, upper = YYYY-MM-DD",
    Type.TIMESTAMP: "lower = YYYY-MM-DDT00:00:00Z, upper = YYYY-MM-DDT00:00:00Z",
}


def _column(name: str, type_: Type | None, csv: bool) -> Iterator[str]:
    key = join_path([name])
    if csv:
        type_ = type_ or Type.TEXT
        facts = _FACTS[type_]
        mark = "" if type_ is Type.TEXT else "# -> "
        yield f"{mark}{key} = {{ type = {quote(type_)} }}" + (f"  # add: {facts}" if facts else "")
    elif type_ is None:
        yield f"# {key}: of a type that discreet does not know; it cannot be used"
    else:
        facts = _FACTS[type_]
        yield f"# {key} = {{ {facts} }}  # {type_}" if facts else f"# {key}: {type_}, needs nothing"
