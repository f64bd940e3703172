"""Receipts: what an answer cost, and the place in the ledger's chain that proves it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.base.exact import read_exact, write_exact
from discreet.base.showing import ShownAsText
from discreet.privacy.charges import Charge

CHARGED, SHARED, FREE = "charged", "own cap only", "free"
PAID = (CHARGED, SHARED, FREE)

_MARK = re.compile(r"([1-9][0-9]{0,17}):([0-9a-f]{64})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in a ledger's chain: an entry's number and the chain's hash there, which covers every entry up to it.

    Kept away from the ledger, it is the witness that nothing up to that entry was edited, removed or cut off since.
    """

    entry: int
    head: str

    def __post_init__(self) -> None:
        if not _MARK.fullmatch(str(self)):
            raise ParameterError("receipt", str(self), "an entry's number, a colon and 64 hexadecimal digits")

    def __str__(self) -> str:
        return f"{self.entry}:{self.head}"

    @classmethod
    def parse(cls, text: str) -> Mark:
        """Return the mark with this text, such as a receipt prints.

        >>> Mark.parse("7:" + "0" * 64).entry
        7
        """
        found = _MARK.fullmatch(text.strip()) if isinstance(text, str) else None
        if not found:
            raise ParameterError("receipt", text, "an entry's number, a colon and 64 hexadecimal digits")
        return cls(int(found[1]), found[2])


@dataclass(frozen=True, slots=True, repr=False)
class Receipt(ShownAsText):
    """What one asking cost. `charge` is the price of the answer; `paid` says who bore it this time.

    `charged`: the total and the analyst's own cap. `own cap only`: another analyst had paid the total. `free`: this
    analyst had paid before, or has no cap of their own.
    """

    mark: Mark
    analyst: str | None
    charge: Charge
    paid: str

    def __post_init__(self) -> None:
        check.choice("paid", self.paid, PAID)

    @property
    def entry(self) -> int:
        """The number of the ledger's entry that this receipt was given for."""
        return self.mark.entry

    @property
    def head(self) -> str:
        """The chain's hash at that entry."""
        return self.mark.head

    def __str__(self) -> str:
        return str(self.mark)

    def to_dict(self) -> dict[str, Any]:
        """Return the receipt as JSON values, numbers exact."""
        prices = {name: write_exact(getattr(self.charge, name)) for name in ("epsilon", "rho", "delta")}
        return {"receipt": str(self), "analyst": self.analyst, "paid": self.paid, **prices}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Receipt:
        """Return the receipt that `to_dict` wrote."""
        charge = Charge(*(read_exact(values[name]) for name in ("epsilon", "rho", "delta")))
        return cls(Mark.parse(values["receipt"]), values["analyst"], charge, values["paid"])
