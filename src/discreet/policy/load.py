"""Read a policy from TOML: exact, complete, or refused with everything that is wrong with it."""

from __future__ import annotations

import re
import tomllib
from fractions import Fraction
from pathlib import Path

from discreet.base.errors import PolicyError
from discreet.policy import exact
from discreet.policy.engines import read_engines
from discreet.policy.ledger import read_ledger
from discreet.policy.model import LEAST_SHARE, Analyst, DeclaredEngine, DeclaredView, Policy, Table
from discreet.policy.paths import read_paths
from discreet.policy.problems import Problems, quote_value
from discreet.policy.section import Section
from discreet.policy.server import read_server
from discreet.policy.tables import KEYS as TABLE_KEYS
from discreet.policy.tables import read_table
from discreet.privacy.neighbours import Neighbours

SECTIONS = ("budget", "privacy", "engine", "engines", "tables", "views", "analysts", "ledger", "time", "server")
MOST_PUBLISHED = Fraction(1, 100)
"""The most that delta * size may be: with delta = 1 / size a mechanism may publish a whole person."""


def load(path: str | Path) -> Policy:
    """Return the policy in that file."""
    path = Path(path)
    return loads(_text(path), path)


def load_raw(path: str | Path) -> dict[str, object]:
    """Return the keys of the file as they stand, or raise if it is no TOML."""
    path = Path(path)
    return _parsed(_text(path), path)


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise PolicyError(f"{path}: there is no such file; `discreet init DATA...` drafts one") from None
    except UnicodeDecodeError as error:
        raise PolicyError(f"{path}: byte {error.start} is not UTF-8; save the file as UTF-8") from None
    except OSError as error:
        raise PolicyError(f"{path}: cannot be read ({error.strerror}); name a readable file") from None


def loads(text: str, path: str | Path) -> Policy:
    """Return the policy in that text; `path` is where it comes from: sources are relative to its folder."""
    path = Path(path)
    problems = Problems(path)
    root = Section(problems, (), _parsed(text, path), SECTIONS)
    budget = root.section("budget", ("epsilon", "delta", "question_delta", "key_delta", "least_share"))
    epsilon, delta, question_delta = _budget(budget)
    least_share = _least_share(budget)
    key_delta = _key_delta(budget, question_delta)
    neighbours = _neighbours(root)
    engines = read_engines(root)
    tables = _tables(root, delta, engines)
    views = _views(root, tables)
    analysts = _analysts(root, epsilon, delta, [*(each.name for each in tables), *(each.name for each in views)])
    ledger = read_ledger(root)
    deadline = _deadline(root)
    server = read_server(root)
    problems.refuse()
    if epsilon is None or delta is None or question_delta is None or neighbours is None:
        raise PolicyError(f"{path}: budget: cannot be read; write epsilon and delta as numbers")
    return Policy(
        path,
        epsilon,
        delta,
        question_delta,
        neighbours,
        tables,
        analysts,
        views,
        engines,
        ledger,
        deadline=deadline,
        least_share=least_share,
        key_delta=key_delta,
        server=server,
    )


def _parsed(text: str, path: Path) -> dict[str, object]:
    try:
        return tomllib.loads(text.removeprefix("\ufeff"), parse_float=exact.parse_number)
    except tomllib.TOMLDecodeError as error:
        found = re.fullmatch(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", str(error), re.DOTALL)
        wrong, line, column = found.groups() if found else (str(error), None, None)
        line = line or str(text.rstrip().count("\n") + 1)
        remedy = "check the quotes, brackets and equals signs there: text is in quotes, numbers are not"
        if "overwrite" in wrong or "declare" in wrong or "mutate" in wrong:
            remedy = "write every key and every section once"
        where = f"line {line}, column {column}" if column else f"line {line}, the last"
        raise PolicyError(f"{path}: {where}: {' '.join(wrong.split())}; {remedy}") from None
    except (ValueError, RecursionError):
        raise PolicyError(f"{path}: a number is too long or lists are too deep; write shorter ones") from None


def _budget(section: Section) -> tuple[Fraction | None, Fraction | None, Fraction | None]:
    epsilon = section.number("epsilon", "write a number above 0, such as epsilon = 1.0")
    if "epsilon" not in section:
        section.wrong(
            "epsilon", "is missing: the most that all answers together may cost is yours to say", "write epsilon = 1.0"
        )
    elif epsilon is not None and epsilon <= 0:
        section.wrong("epsilon", f"is {exact.write_number(epsilon)}", "write a number above 0, such as epsilon = 1.0")
        epsilon = None
    delta = _delta(section, "delta", Fraction(0))
    question_delta = _delta(section, "question_delta", delta)
    if delta is not None and question_delta is not None and question_delta > delta:
        wrong = f"is {exact.write_number(question_delta)}, more than the budget's delta"
        section.wrong("question_delta", wrong, f"write at most {exact.write_number(delta)}")
    return epsilon, delta, question_delta


def _least_share(section: Section) -> Fraction:
    remedy = "write a number above 0 and at most 1, such as least_share = 1e-6"
    share = section.number("least_share", remedy)
    if share is not None and not 0 < share <= 1:
        section.wrong("least_share", f"is {exact.write_number(share)}", remedy)
    return LEAST_SHARE if share is None else share


def _key_delta(section: Section, question_delta: Fraction | None) -> Fraction | None:
    delta = _delta(section, "key_delta", None)
    if delta == 0:
        section.wrong("key_delta", "is 0, which selects no keys", "write a number above 0, or leave it out")
    elif delta is not None and question_delta is not None and delta > question_delta:
        wrong = f"is {exact.write_number(delta)}, more than one question may have"
        section.wrong("key_delta", wrong, f"write at most {exact.write_number(question_delta)}")
    return delta


def _delta(section: Section, name: str, default: Fraction | None) -> Fraction | None:
    remedy = f"write a number from 0 to below 1, such as {name} = 1e-9"
    delta = section.number(name, remedy)
    if name not in section:
        return default
    if delta is not None and not 0 <= delta < 1:
        section.wrong(name, f"is {exact.write_number(delta)}", remedy)
        return None
    return delta


def _neighbours(root: Section) -> Neighbours | None:
    section = root.section("privacy", ("neighbours",))
    name = section.content.get("neighbours", Neighbours.ADD_REMOVE.value)
    if name in list(Neighbours):
        return Neighbours(name)
    section.wrong("neighbours", f"is {quote_value(name)}", 'write "add-remove" (the default) or "replace"')
    return None


def _deadline(root: Section) -> Fraction | None:
    section = root.section("time", ("deadline",))
    remedy = "write seconds above 0, such as deadline = 60"
    deadline = section.number("deadline", remedy)
    if deadline is not None and deadline <= 0:
        section.wrong("deadline", f"is {exact.write_number(deadline)}", remedy)
        return None
    return deadline


def _tables(root: Section, delta: Fraction | None, engines: tuple[DeclaredEngine, ...]) -> tuple[Table, ...]:
    section = root.section("tables", None)
    if not section.content:
        section.wrong((), "there is none", "write a section such as [tables.visits] for each table")
    tables = []
    for name, part in section.sections(TABLE_KEYS):
        table = read_table(name, part, engines)
        tables.append(table)
        if delta and not table.public:
            _check_delta(part, table, delta)
    return read_paths(section, tuple(tables))


def _views(root: Section, tables: tuple[Table, ...]) -> tuple[DeclaredView, ...]:
    """Return the views, in their order: each sees the tables, and the views before it."""
    section, views = root.section("views", None), []
    taken = {table.name.casefold() for table in tables}
    for name, part in section.sections(("sql",)):
        text = part.text("sql", 'write a SELECT in quotes, such as sql = "SELECT * FROM visits WHERE age >= 18"')
        if "sql" not in part:
            part.wrong("sql", "is missing", 'write a SELECT in quotes, such as sql = "SELECT * FROM visits"')
        if name.casefold() in taken:
            part.wrong((), "has the name of a table, which nobody could ask about any more", "give it another name")
        if text is not None:
            views.append(DeclaredView(name, text))
    return tuple(views)


def _check_delta(section: Section, table: Table, delta: Fraction) -> None:
    """Refuse a delta that lets a mechanism publish whole persons."""
    if "size" not in section:
        wrong = "is missing, and the budget's delta above 0 is safe only for a table of known size"
        section.wrong("size", wrong, "write the public order of magnitude of its rows, such as size = 1_000_000")
    elif table.size is not None and delta * table.size > MOST_PUBLISHED:
        most = exact.round_below(MOST_PUBLISHED / table.size)
        wrong = f"delta * size is {exact.write_number(delta * table.size)}, above {exact.write_number(MOST_PUBLISHED)}"
        section.wrong("size", wrong, f"write budget.delta = {most} or less for a table of size {table.size}")


def _analysts(root: Section, epsilon: Fraction | None, delta: Fraction | None, names: list[str]) -> tuple[Analyst, ...]:
    section = root.section("analysts", None)
    if "analysts" in root and isinstance(root.content["analysts"], dict) and not section.content:
        section.wrong(
            (), "names nobody, so nobody could ask", "write a section such as [analysts.alice], or take it out"
        )
    analysts = []
    for name, part in section.sections(("epsilon", "delta", "tables")):
        share = part.number("epsilon", "write a number above 0, such as epsilon = 1.0")
        own_delta = _delta(part, "delta", delta)
        if "epsilon" not in part:
            part.wrong("epsilon", "is missing", "write the most that this analyst may spend, such as epsilon = 1.0")
        elif share is not None and share <= 0:
            part.wrong("epsilon", f"is {exact.write_number(share)}", "write a number above 0, such as epsilon = 1.0")
        elif share is not None and epsilon is not None and share > epsilon:
            wrong = f"is {exact.write_number(share)}, more than the budget's epsilon"
            part.wrong("epsilon", wrong, f"write at most {exact.write_number(epsilon)}")
        if own_delta is not None and delta is not None and own_delta > delta:
            wrong = f"is {exact.write_number(own_delta)}, more than the budget's delta"
            part.wrong("delta", wrong, f"write at most {exact.write_number(delta)}")
        if share is not None and own_delta is not None:
            analysts.append(Analyst(name, share, own_delta, _shown_tables(part, names)))
    return tuple(analysts)


def _shown_tables(part: Section, names: list[str]) -> tuple[str, ...] | None:
    """Return the tables and views that an analyst may ask about, as the policy spells them; None where it says none."""
    if "tables" not in part:
        return None
    known = {name.casefold(): name for name in names}
    listed = part.texts("tables")
    if part.content["tables"] == []:
        part.wrong(
            "tables", "is empty, so they could ask about nothing", "name a table, or leave it out for all of them"
        )
    for name in listed:
        if name.casefold() not in known:
            there = ", ".join(sorted(names)) or "none"
            part.wrong("tables", f"{quote_value(name)} is no table or view", f"write names of these: {there}")
    return tuple(known[name.casefold()] for name in listed if name.casefold() in known)
