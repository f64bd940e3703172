"""How large values are once columns of subqueries, unions and per-unit aggregates are followed to what they hold.

Where an expression is made, a column stands for one text of a table. One that holds ten texts joined is larger, and so
is everything made from it; here it is held to the limits that one expression has. Columns of whole numbers say for
themselves how many bits they have (`Column.bits`); here that is looked at again, from what they hold.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from discreet.base.errors import QueryError
from discreet.base.types import Type
from discreet.plan.expressions import Call, Column, Expression, Slot, find_columns, refer
from discreet.plan.functions import (
    FUNCTIONS,
    MOST_BITS,
    MOST_GROWTH,
    MOST_LETTERS,
    bound_growth,
    count_bits,
    may_overflow,
)
from discreet.plan.growths import Growth, bound_any, bound_joined
from discreet.plan.relations import Block, InnerKind, Nested, PerUnit, Union, list_sources

MOST_TOGETHER = 128
"""How many times as long as a column's text all texts of a row may be together: engines hold a row in one piece.

With the longest texts of all (`policy.model.MOST_LONGEST`) that is 32 MiB, a thirtieth of what PostgreSQL has room
for, and a small part of an executor's memory: no row can be what makes a question fail.
"""


def check_widths(expressions: Iterable[Expression], block: Block) -> None:
    """Refuse expressions of which some part could be too large a number or text, over the rows of a block."""
    widths, texts = Widths(block), set[Expression]()
    for expression in expressions:
        widths.check(expression)
        texts.update(each for each in (expression, *find_columns(expression)) if each.type is Type.TEXT)
    times, letters = bound_joined([widths.of(each)[1] for each in texts])
    if times > MOST_TOGETHER or letters > MOST_LETTERS:
        raise QueryError(
            f"the texts of one row could be more than {MOST_TOGETHER} times as long together as a column's, or hold "
            f"more than {MOST_LETTERS} letters of constants; ask about fewer texts at once"
        )


@dataclass
class Widths:
    """Bits and growths of the expressions over a block; each column of a subquery is looked at once."""

    block: Block
    held: dict[Column, list[Expression]] = field(default_factory=dict)
    known: dict[Column, tuple[int, Growth]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for each in list_sources(self.block):
            if isinstance(each, Nested):
                self._note(each.relation, Slot.OUTPUT, [each.outputs])
            elif isinstance(each, Union):
                self._note(each.relation, Slot.OUTPUT, [outputs for _, outputs in each.branches])
            elif isinstance(each, PerUnit):
                self._note(each.relation, Slot.KEY, [each.keys])
                for place, inside in enumerate(each.aggregates):
                    if inside.kind in (InnerKind.LEAST, InnerKind.GREATEST) and inside.argument is not None:
                        self.held[refer(each.relation, Slot.AGGREGATE, place, inside.type)] = [inside.argument]

    def _note(self, relation: str, slot: Slot, sides: list[tuple[Expression, ...]]) -> None:
        for place, each in enumerate(zip(*sides, strict=True)):
            for kind in {side.type for side in each} | {Type.FLOAT}:
                self.held[refer(relation, slot, place, kind)] = list(each)

    def check(self, expression: Expression) -> None:
        """Refuse an expression some part of which could be too large."""
        self.of(expression)

    def of(self, expression: Expression) -> tuple[int, Growth]:
        """Return bits and growth of an expression."""
        if isinstance(expression, Column):
            return self._column(expression)
        if not isinstance(expression, Call):
            return count_bits(expression), bound_growth(expression)
        row = FUNCTIONS[expression.function]
        found = [self.of(argument) for argument in expression.arguments]
        bits = row.bits([each for each, _ in found] or [0]) if expression.type is Type.INTEGER else 0
        bits = min(bits, MOST_BITS) if may_overflow(expression) else bits
        growth = row.growth([each for _, each in found]) if expression.type is Type.TEXT else bound_growth(expression)
        if bits > MOST_BITS:
            raise QueryError(
                f"{row.word} over a subquery's column could make a whole number of more than 38 digits; "
                "write CAST(... AS BIGINT) in it, which is NULL where 64 bits do not hold it"
            )
        if growth[0] > MOST_GROWTH or growth[1] > MOST_LETTERS:
            raise QueryError(
                f"{row.word} over a subquery's column could make a text more than {MOST_GROWTH} times as long as a "
                f"table's, or add more than {MOST_LETTERS} letters; join fewer texts"
            )
        return bits, growth

    def _column(self, column: Column) -> tuple[int, Growth]:
        if column not in self.held:
            return count_bits(column), bound_growth(column)
        if column not in self.known:
            found = [self.of(each) for each in self.held[column]]
            self.known[column] = max(bits for bits, _ in found), bound_any([growth for _, growth in found])
        return self.known[column]
