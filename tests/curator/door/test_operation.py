"""What an operation is for the ledger: golden identities, and everything that changes one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import ClassVar

import pytest

from discreet.curator import Curator
from discreet.curator.asking.question_operation import QuestionOperation
from discreet.curator.bounds import declare_bounds
from discreet.curator.door.operation import Operation, find_schedule, identify
from discreet.mechanisms import Laplace
from discreet.privacy.charges import Charge
from discreet.query.draws import Draws
from support.clinic import open_clinic
from support.toy_wings import two_looks

GOLDEN = {
    "SELECT COUNT(*) FROM visits": ("ec93638b40db2ccc5b5a01e1a402f4e5254ede7f19857c58ddc335501862914e"),
    "SELECT ward, AVG(cost) FROM visits WHERE age >= 65 GROUP BY ward": (
        "3f6f50800a8e4eb60b39d6445e2f07aa4f9e442e4a026e04353db70819abf233"
    ),
    "SELECT CAST(patient_id AS TEXT), COUNT(*) FROM visits GROUP BY 1": (
        "dc3fc2e2281b0cd98f1c55971291a22091158b606b713172444aae3a4731a533"
    ),
    "bounds": ("236ba89bfa8869f9059dd21d0d8b8e264175ad29086f21ca79560d0df1435f47"),
}
"""Identities of questions at epsilon 0.2 on version 1. None ever changes: renaming things must charge nobody twice."""


def operation_of(curator: Curator, text: str, epsilon: float = 0.2) -> Operation[object]:
    if text == "bounds":
        return declare_bounds(curator._holdings.catalog, "visits.cost", Fraction(str(epsilon)))
    return curator.prepare(text, epsilon).operation


@pytest.mark.parametrize("text", GOLDEN)
def test_the_identity_of_an_operation_never_changes(tmp_path: Path, text: str) -> None:
    with open_clinic(tmp_path) as curator:
        assert identify(operation_of(curator, text), "visits=1") == GOLDEN[text]


def test_everything_that_shapes_the_answer_or_its_price_changes_the_identity(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        first = curator.prepare("SELECT COUNT(*) FROM visits", 0.2).operation
        others = [
            curator.prepare("SELECT COUNT(*) FROM visits", 0.3).operation,
            curator.prepare("SELECT COUNT(*) FROM visits", rho=0.02).operation,
            curator.prepare("SELECT COUNT(age) FROM visits", 0.2).operation,
            curator.prepare("SELECT COUNT(*) FROM visits", 0.2, max_rows=1).operation,
            replace(first, charge=Charge(Fraction(1, 2), first.charge.rho)),
            replace(first, draws=Draws((Laplace(99.0),))),
        ]
    found = {identify(each, "1") for each in (first, *others)}
    assert len(found) == 1 + len(others)
    assert identify(first, "2") not in found, "the data's version"


@dataclass(frozen=True)
class Renamed(QuestionOperation):
    """The same operation under another name, with a method more."""

    def describe(self) -> str:
        return "renamed"


@dataclass(frozen=True)
class Changed(QuestionOperation):
    """An operation whose parameters mean something else now."""

    version: ClassVar[int] = 2


def test_kind_and_version_name_an_operation_and_its_class_does_not(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        first = curator.prepare("SELECT COUNT(*) FROM visits", 0.2).operation
    fields = (first.plan, first.draws, first.charge)
    assert identify(Renamed(*fields), "1") == identify(first, "1")
    assert identify(Changed(*fields), "1") != identify(first, "1")


def test_charges_are_compared_as_they_are_charged(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        first = curator.prepare("SELECT COUNT(*) FROM visits", 0.2).operation
    nearly = replace(first, charge=Charge(first.charge.epsilon - Fraction(1, 10**40), first.charge.rho))
    assert identify(nearly, "1") == identify(first, "1")


def test_operations_are_recognised_by_what_they_have(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        wing = two_looks(
            curator.prepare("SELECT ward, COUNT(*) FROM visits GROUP BY ward", 1).operation.plan, Fraction(1)
        )
    assert isinstance(wing, Operation)
    assert find_schedule(wing) is None
    assert not isinstance(object(), Operation)
