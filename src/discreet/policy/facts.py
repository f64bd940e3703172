"""What a policy says, as plain mappings: for the ledger, which must know its policy again."""

from __future__ import annotations

from datetime import date, datetime
from fractions import Fraction
from typing import Any

from discreet.base.canonical import hash_json
from discreet.policy.exact import write_number
from discreet.policy.model import (
    DUCKDB,
    DeclaredColumn,
    DeclaredOnline,
    DeclaredServer,
    LedgerServer,
    Policy,
    Table,
    Value,
)

JsonObject = dict[str, Any]
"""Plain JSON: numbers that need not be whole are exact decimals in text."""


def describe_protected(policy: Policy) -> JsonObject:
    """Return whom the budget protects: what it spends has one meaning only while none of this changes.

    That is the neighbour relation and each private table's unit, with the path that leads there. Bounds, keys, sizes,
    sources, versions, analysts and the budget itself may change without it, and public tables are about nobody.
    """
    return {
        "neighbours": policy.neighbours.value,
        "tables": {table.name: _unit(table) for table in policy.tables if not table.public},
    }


def describe_policy(policy: Policy) -> JsonObject:
    """Return all that the policy declares; not where its file lies."""
    return {
        "budget": {
            "epsilon": write_number(policy.epsilon),
            "delta": write_number(policy.delta),
            "question_delta": write_number(policy.question_delta),
            **({"key_delta": write_number(policy.key_delta)} if policy.key_delta is not None else {}),
            "least_share": write_number(policy.least_share),
        },
        "neighbours": policy.neighbours.value,
        "tables": {table.name: _table(table) for table in policy.tables},
        **({"engines": engines} if (engines := _engines(policy)) else {}),
        **({"views": {view.name: view.sql for view in policy.views}} if policy.views else {}),
        **({"ledger": _ledger(policy.ledger)} if policy.ledger else {}),
        **({"time": {"deadline": write_number(policy.deadline)}} if policy.deadline is not None else {}),
        **({"server": server} if (server := _server(policy.server)) else {}),
        "analysts": {
            analyst.name: {"epsilon": write_number(analyst.epsilon), "delta": write_number(analyst.delta)}
            | ({"tables": sorted(analyst.tables)} if analyst.tables is not None else {})
            for analyst in policy.analysts
        },
    }


def hash_policy(policy: Policy) -> str:
    """Return the SHA-256 of everything that the policy declares: it changes with every fact, and only then."""
    return hash_json(describe_policy(policy))


def _server(server: DeclaredServer) -> JsonObject:
    """Return what differs from the usual: a policy that says nothing of a server keeps its hash."""
    told: JsonObject = {
        "hosts": list(server.hosts),
        "workers": server.workers,
        "rate": server.rate,
        "login_epsilon": None if server.login_epsilon is None else write_number(server.login_epsilon),
        "patience": write_number(server.patience),
        "session_hours": write_number(server.session_hours),
    }
    return told if server != DeclaredServer() else {}


def _ledger(server: LedgerServer) -> JsonObject:
    return {"dsn_env": server.dsn_env, "schema": server.schema}


def _unit(table: Table) -> JsonObject:
    found = {"unit": table.unit, "rows_are_units": table.rows_are_units, "identifies": table.identifies}
    return found | ({"through": str(table.through)} if table.through is not None else {})


def _table(table: Table) -> JsonObject:
    return _unit(table) | {
        "source": table.source,
        "format": table.format.value,
        "table": table.database_table,
        **({"engine": table.engine} if table.engine != DUCKDB else {}),
        "public": table.public,
        "size": table.size,
        "version": table.version,
        "max_rows": table.max_rows,
        "max_groups": table.max_groups,
        "max_rows_per_group": table.max_rows_per_group,
        "min_count": table.min_count,
        "columns": {column.name: _column(column) for column in table.columns},
        "hidden": sorted(table.hidden),
        **({"unique": [list(key) for key in table.unique]} if table.unique else {}),
        **({"online": _online(table.online)} if table.online is not None else {}),
    }


def _online(online: DeclaredOnline) -> JsonObject:
    amounts = {"epsilon": write_number(online.epsilon), "confidence": write_number(online.confidence)}
    return {"columns": list(online.columns), **amounts}


def _engines(policy: Policy) -> JsonObject:
    return {
        engine.name: {
            "kind": engine.kind.value,
            "master": engine.master,
            "remote": engine.remote,
            "dsn_env": engine.dsn_env,
            "settings": dict(engine.settings),
        }
        for engine in policy.engines
        if engine.name != DUCKDB
    }


def _column(column: DeclaredColumn) -> JsonObject:
    return {
        "type": column.type.value if column.type else None,
        "lower": _plain(column.lower),
        "upper": _plain(column.upper),
        "step": _plain(column.step),
        "values": None if column.values is None else [_plain(value) for value in column.values],
        **({"longest": column.longest} if column.longest is not None else {}),
        **({"digits": list(column.digits)} if column.digits is not None else {}),
    }


def _plain(value: Fraction | Value | None) -> Any:
    """Return a value as JSON in which a date is never equal to the text that looks like it."""
    if isinstance(value, Fraction):
        return write_number(value)
    if isinstance(value, datetime):
        return {"timestamp": value.isoformat()}
    return {"date": value.isoformat()} if isinstance(value, date) else value
