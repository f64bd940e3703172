"""Floor 2: what the data owner declared, read from TOML into immutable values."""

from discreet.policy.draft import draft_policy, draft_tables
from discreet.policy.facts import describe_policy, describe_protected, hash_policy
from discreet.policy.ledger import read_ledger_alone
from discreet.policy.load import load, load_raw, loads
from discreet.policy.model import Analyst, DeclaredColumn, ForeignKey, LedgerServer, Policy, SourceFormat, Table
from discreet.policy.problems import explain_problem
from discreet.policy.schema import Resolved, check_people, check_schema

__all__ = [
    "Analyst",
    "DeclaredColumn",
    "ForeignKey",
    "LedgerServer",
    "Policy",
    "Resolved",
    "SourceFormat",
    "Table",
    "check_people",
    "check_schema",
    "describe_policy",
    "describe_protected",
    "draft_policy",
    "draft_tables",
    "explain_problem",
    "hash_policy",
    "load",
    "load_raw",
    "loads",
    "read_ledger_alone",
]
