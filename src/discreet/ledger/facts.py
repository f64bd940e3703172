"""What the ledger knows of the policy: what may never change under it, what it decides by, and what it only shows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from discreet.base import check
from discreet.base.canonical import write_json
from discreet.base.check import Exact
from discreet.base.errors import LedgerError, ParameterError
from discreet.base.exact import read_exact, to_exact, write_exact
from discreet.privacy.budget import BudgetFilter


@dataclass(frozen=True)
class LedgerFacts:
    """The policy's fingerprint in full.

    `neighbours` and each table's entry in `tables` (its unit, and whose table it is) say what is protected: what was
    spent so far means nothing under others, so they never change under one ledger. New tables may come. `epsilon`,
    `delta` and `caps` (analyst to epsilon and delta) are the budget that decides. `other` is everything else in the
    policy, as JSON values. Every change but the first kind is allowed, and written into the chain.
    """

    neighbours: str
    tables: Mapping[str, Any]
    epsilon: Exact
    delta: Exact = 0.0
    caps: Mapping[str, tuple[Exact, Exact]] = field(default_factory=dict)
    other: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", to_exact("epsilon", check.positive("epsilon", self.epsilon)))
        object.__setattr__(self, "delta", to_exact("delta", check.delta("delta", self.delta)))
        caps = {}
        for name, (epsilon, delta) in self.caps.items():
            if not name or not isinstance(name, str):
                raise ParameterError("analyst", name, "a name that is not empty")
            caps[name] = (
                to_exact("epsilon", check.positive("epsilon", epsilon)),
                to_exact("delta", check.delta("delta", delta)),
            )
        object.__setattr__(self, "caps", caps)

    @property
    def total(self) -> BudgetFilter:
        """The filter of the whole budget, with nothing spent."""
        return BudgetFilter(self.epsilon, self.delta)

    @property
    def filters(self) -> dict[str, BudgetFilter]:
        """The filter of each analyst's own cap, with nothing spent."""
        return {name: BudgetFilter(epsilon, delta) for name, (epsilon, delta) in self.caps.items()}

    def to_dict(self) -> dict[str, Any]:
        """Return the facts as JSON values, numbers exact."""
        caps = {name: {"epsilon": write_exact(e), "delta": write_exact(d)} for name, (e, d) in self.caps.items()}
        facts = {
            "neighbours": self.neighbours,
            "tables": dict(self.tables),
            "budget": {"epsilon": write_exact(self.epsilon), "delta": write_exact(self.delta)},
            "analysts": caps,
            "other": dict(self.other),
        }
        copied: dict[str, Any] = json.loads(write_json(facts))
        return copied

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> LedgerFacts:
        """Return the facts that `to_dict` wrote."""
        budget = values["budget"]
        caps = {
            name: (read_exact(cap["epsilon"]), read_exact(cap["delta"])) for name, cap in values["analysts"].items()
        }
        exactly = (read_exact(budget["epsilon"]), read_exact(budget["delta"]))
        return cls(values["neighbours"], values["tables"], *exactly, caps, values["other"])


def list_changes(old: Any, new: Any, path: str = "") -> Iterator[dict[str, Any]]:
    """Yield every key, as a dotted path, whose value differs, with both values; a value that is not there is None.

    >>> list(list_changes({"a": {"b": 1, "c": 2}}, {"a": {"b": 1, "c": 3}}))
    [{'key': 'a.c', 'old': 2, 'new': 3}]
    """
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted({*old, *new}):
            if key not in old or key not in new or old[key] != new[key]:
                yield from list_changes(old.get(key), new.get(key), f"{path}.{key}" if path else key)
    else:
        yield {"key": path, "old": old, "new": new}


def check_protected(known: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """Return all tables ever known, the new ones added; raise where what is protected would change.

    Tables that left the policy are remembered, so that they cannot come back with another unit.
    """
    tables = {**known["tables"], **new["tables"]}
    before = {"neighbours": known["neighbours"], "tables": known["tables"]}
    now = {"neighbours": new["neighbours"], "tables": {name: tables[name] for name in known["tables"]}}
    wrong = list(list_changes(before, now))
    if wrong:
        said = "; ".join(f"{w['key']} was {write_json(w['old'])} and is {write_json(w['new'])}" for w in wrong)
        raise LedgerError(
            f"the policy protects something else than this ledger has counted for: {said}. "
            "Change the policy back, or create a new ledger with `discreet init` in another folder"
        )
    return {"neighbours": new["neighbours"], "tables": tables}
