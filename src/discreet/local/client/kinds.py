"""Every mechanism there is, with its number on the wire: a number never changes its meaning."""

from __future__ import annotations

from typing import Any

from .direct import DirectResponse
from .errors import ClientError
from .hadamard import HadamardBit
from .hashing import LocalHashing
from .mechanism import Mechanism
from .memoised import MemoisedHashing, MemoisedUnary
from .numbers import OneBitMean
from .piecewise import HybridMean, PiecewiseMean
from .prefix import PrefixExtending
from .projective import ProjectiveResponse
from .puzzle import FragmentPuzzle
from .rappor import Rappor
from .rappor_strings import RapporStrings
from .sampled import Sampled
from .sketch import CountMeanSketch, HadamardSketch
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
    10: CountMeanSketch,
    11: HadamardSketch,
    12: FragmentPuzzle,
    13: PrefixExtending,
    14: OneBitMean,
    15: PiecewiseMean,
    16: HybridMean,
    17: Sampled,
    18: RapporStrings,
}

KINDS = {mechanism.kind: mechanism for mechanism in CODES.values()}


def read_mechanism(form: object, depth: int = 0) -> Mechanism:
    """Return the mechanism of a form. It may have parts, and these parts again: no deeper."""
    if not isinstance(form, dict) or str(form.get("kind")) not in KINDS or depth > 2:
        raise ClientError(f"a mechanism has a kind: one of {', '.join(sorted(KINDS))}")
    fields: dict[str, Any] = {name: _read_parts(value, depth + 1) for name, value in form.items() if name != "kind"}
    return KINDS[form["kind"]].read(fields)


def find_code(mechanism: Mechanism) -> int:
    """Return the number of a mechanism's kind on the wire."""
    return next(code for code, kind in CODES.items() if kind is type(mechanism))


def _read_parts(value: object, depth: int) -> object:
    """Return the mechanism of a field, or all of them, or what else the field is."""
    if isinstance(value, dict):
        return read_mechanism(value, depth)
    return tuple(read_mechanism(each, depth) for each in value) if isinstance(value, list) else value
