"""Read where the ledger is: beside the policy, or on a PostgreSQL server that an environment variable names."""

from __future__ import annotations

import re
from pathlib import Path

from discreet.base.errors import PolicyError
from discreet.policy.engines import read_variable
from discreet.policy.model import LedgerServer
from discreet.policy.problems import Problems, quote_value
from discreet.policy.section import Section

KEYS = ("dsn_env", "schema")
SCHEMA = "discreet"


def read_ledger(root: Section) -> LedgerServer | None:
    """Return the server in the section [ledger]; None where there is no such section."""
    if "ledger" not in root:
        return None
    section = root.section("ledger", KEYS)
    name = read_variable(section, "dsn_env")
    if "dsn_env" not in section:
        wrong = "is missing: a ledger on PostgreSQL needs the name of an environment variable"
        section.wrong("dsn_env", wrong, 'write dsn_env = "LEDGER_DSN", or take the section out for a file')
    schema = section.text("schema", f'write a name such as schema = "{SCHEMA}"') or SCHEMA
    if not re.fullmatch(r"(?!pg_)[a-z_][a-z0-9_]{0,62}", schema):
        remedy = f'write small letters, digits and _ without pg_ before them, such as schema = "{SCHEMA}"'
        section.wrong("schema", f"is {quote_value(schema)}", remedy)
    return LedgerServer(name, schema) if name is not None else None


def read_ledger_alone(content: dict[str, object], path: Path) -> LedgerServer | None:
    """Return the server that a policy names even where the rest of it is wrong."""
    problems = Problems(path)
    found = read_ledger(Section(problems, (), content, None))
    problems.refuse()
    if "ledger" in content and found is None:
        raise PolicyError(f"{path}: ledger: cannot be read; write dsn_env in it")
    return found
