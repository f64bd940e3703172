"""Every mechanism there is, with its number on the wire: a number never changes its meaning."""

from __future__ import annotations

from typing import Any

from .direct import DirectResponse
from .errors import ClientError
from .hadamard import HadamardBit
from .hashing import LocalHashing
from .mechanism import Mechanism
from .memoised import MemoisedHashing, MemoisedUnary
from .projective import ProjectiveResponse
from .rappor import Rappor
from .rappor_strings import RapporStrings
from .subset import SubsetSelection
from .unary import UnaryEncoding

CODES: dict[int, type[Mechanism]] = {
    1: DirectResponse,
    2: UnaryEncoding,
    3: LocalHashing,
    4: HadamardBit,
    5: SubsetSelection,
    6: ProjectiveResponse,
    7: Rappor,
    8: MemoisedUnary,
    9: MemoisedHashing,
    18: RapporStrings,
}

KINDS = {mechanism.kind: mechanism for mechanism in CODES.values()}


def read_mechanism(form: object) -> Mechanism:
    """Return the mechanism of a form."""
    if not isinstance(form, dict) or form.get("kind") not in KINDS:
        raise ClientError(f"a mechanism has a kind: one of {', '.join(sorted(KINDS))}")
    fields: dict[str, Any] = {name: value for name, value in form.items() if name != "kind"}
    return KINDS[form["kind"]].read(fields)


def find_code(mechanism: Mechanism) -> int:
    """Return the number of a mechanism's kind on the wire."""
    return next(code for code, kind in CODES.items() if kind is type(mechanism))
