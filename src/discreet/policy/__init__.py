"""Floor 2: what the data owner declared, read from TOML into immutable values."""

from discreet.policy.draft import draft
from discreet.policy.facts import everything, fingerprint, identity
from discreet.policy.ledger import ledger_alone
from discreet.policy.load import load, load_raw, loads
from discreet.policy.model import Analyst, Column, Format, LedgerServer, Policy, Table
from discreet.policy.problems import problem
from discreet.policy.schema import Resolved, check_people, check_schema

__all__ = [
    "Analyst",
    "Column",
    "Format",
    "LedgerServer",
    "Policy",
    "Resolved",
    "Table",
    "check_people",
    "check_schema",
    "draft",
    "everything",
    "fingerprint",
    "identity",
    "ledger_alone",
    "load",
    "load_raw",
    "loads",
    "problem",
]
