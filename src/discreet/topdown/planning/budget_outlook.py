"""Whether a run of a release would be admitted, as a plan tells it: whether it fits, and what would be left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from discreet.base.showing import ShownAsText
from discreet.curator.owner.budget import Share
from discreet.privacy.charges import Charge

MEASURED = "it was measured before with just these settings: a run finds that, and costs nothing"


@dataclass(frozen=True, repr=False)
class BudgetOutlook(ShownAsText):
    """Whether a charge fits what is left, of the whole budget and of who asks; where no ledger says, why not."""

    charge: Charge
    shares: tuple[Share, ...] = ()
    """The whole budget, and the own cap of who asks, before the charge."""
    measured: bool | None = None
    """Whether who asks has paid for the same before, so that a run is free; None where that cannot be told."""
    unknown: str = ""
    """Why nothing is known of the budget: a run is refused for the same reason."""
    refusals: tuple[str, ...] = ()
    """What else a run is refused for, line by line: columns that the table lacks, an analyst who is suspended."""

    @property
    def fits(self) -> bool | None:
        """Whether a run would be admitted now; None where nothing is known of the budget."""
        if not self.shares:
            return None
        return bool(self.measured) or all(share.filter.take(self.charge) is not None for share in self.shares)

    @property
    def left(self) -> dict[str, tuple[float, float | None]]:
        """By name of a budget, the share of it that is left now, and after a run: None where it does not fit."""
        found = {}
        for share in self.shares:
            taken = share.filter if self.measured else share.filter.take(self.charge)
            after = None if taken is None else Share(share.name, share.epsilon, share.delta, taken).left
            found[share.name] = (share.left, after)
        return found

    @property
    def is_admitted(self) -> bool:
        """Whether a run would begin, as far as is known before it does."""
        return self.fits is True and not self.refusals

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON values."""
        left = {name: {"now": now, "after": after} for name, (now, after) in self.left.items()}
        told = {"fits": self.fits, "measured": self.measured, "left": left, "unknown": self.unknown or None}
        return {**told, "refusals": list(self.refusals)}

    def __str__(self) -> str:
        if not self.refusals:
            return self._describe_budget()
        return "\n".join(["a run is refused:", *(f"  {line}" for line in self.refusals), self._describe_budget()])

    def _describe_budget(self) -> str:
        if not self.shares:
            return f"whether it fits the budget is not known: {self.unknown}"
        if self.measured:
            return MEASURED
        if not self.fits:
            short = [(share.name, share.describe_short(self.charge)) for share in self.shares]
            told = "; ".join(f"{' and '.join(parts)} in {name}" for name, parts in short if parts)
            return f"it does not fit into what is left of the budget: there is too little of {told}. A run is refused"
        told = ", ".join(
            f"{name} {now:.2%} left now, {after or 0.0:.2%} after" for name, (now, after) in self.left.items()
        )
        known = "" if self.measured is not None else "; less, where the same was measured before"
        return f"it fits into what is left of the budget: {told}{known}"
