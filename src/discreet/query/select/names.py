"""What names mean: the relations of one FROM, their columns as expressions, and which of those are the unit."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlglot import exp

from discreet.base.errors import QueryError
from discreet.base.types import Type
from discreet.plan.expressions import Column, Expression
from discreet.plan.relations import Block
from discreet.policy.model import DeclaredColumn
from discreet.policy.schema import Resolved
from discreet.query.catalog import suggest_name
from discreet.query.parse import quote_sql, refuse_other_parts

COLUMN = {"this", "table"}
"""What a column may be written with: its name and its table's, not a schema's."""


@dataclass(frozen=True, slots=True)
class OutputColumn:
    """A column of a relation: an expression over its rows. A hidden unit has none, and only names whose row it is.

    A unit that lies across foreign keys is not `stored`: its table has no such column, and any other of its name is
    meant before it.
    """

    name: str
    expression: Expression | None
    unit: bool = False
    stored: bool = True


@dataclass(frozen=True, slots=True)
class RelationColumns:
    """What one name in FROM stands for."""

    outputs: tuple[OutputColumn, ...]
    private: bool

    def output(self, name: str) -> OutputColumn | None:
        """Return the column of that name; upper and lower case are the same."""
        return next((each for each in self.outputs if each.name.casefold() == name.casefold()), None)


def describe_table(table: Resolved, relation: str) -> RelationColumns:
    """Return the columns of a table; the unit is among them even where it is hidden."""
    unit = table.table.unit
    outputs = []
    for column in table.columns:
        outputs.append(OutputColumn(column.name, refer_to_stored(column, relation), column.name == unit))
    if unit is not None and not any(each.unit for each in outputs):
        outputs.append(OutputColumn(unit, None, unit=True, stored=table.table.through is None))
    return RelationColumns(tuple(outputs), not table.table.public)


def refer_to_stored(column: DeclaredColumn, relation: str) -> Column:
    """Return a column of a table; decimals of which nobody knows how many digits they have are read as floats."""
    assert column.type is not None
    if column.type is Type.DECIMAL and column.digits is None:
        return Column(relation, column.name, Type.FLOAT)
    return Column(relation, column.name, column.type, digits=column.digits)


@dataclass(frozen=True, slots=True)
class Selected:
    """A subquery over private rows: a block, and its columns as expressions over it."""

    block: Block
    view: RelationColumns


@dataclass
class Names:
    """The views of one FROM by folded name, and the columns that USING merged."""

    views: dict[str, tuple[str, RelationColumns]] = field(default_factory=dict)
    merged: set[tuple[str, str]] = field(default_factory=set)
    """Columns that USING joined by: without a table, their name means the one before."""

    def add(self, name: str, view: RelationColumns) -> None:
        """Add a relation under the name it has in this FROM."""
        if name.casefold() in self.views:
            raise QueryError(f"two tables are called {name!r}; give one another name with AS")
        self.views[name.casefold()] = (name, view)

    def has(self, name: str) -> bool:
        """Say whether some relation has a column of that name, which is stored."""
        found = (view.output(name) for _, view in self.views.values())
        return any(each is not None and each.stored for each in found)

    def knows(self, node: exp.Column) -> bool:
        """Say whether a column can be meant here."""
        if node.table:
            place = self.views.get(node.table.casefold())
            return place is not None and place[1].output(node.name) is not None
        return any(view.output(node.name) is not None for _, view in self.views.values())

    def find(self, node: exp.Column) -> OutputColumn:
        """Return the column that a name means, or refuse one that is unknown or means several."""
        refuse_other_parts(node, COLUMN)
        if node.table:
            if node.table.casefold() not in self.views:
                raise QueryError(f"{quote_sql(node)}: there is no table {node.table!r} in this question")
            places = [self.views[node.table.casefold()]]
        else:
            places = [place for place in self.views.values() if place[1].output(node.name) is not None]
            places = [place for place in places if (place[0].casefold(), node.name.casefold()) not in self.merged]
            places = places or list(self.views.values())[:1]
        if len(places) > 1:  # units that no table stores are all the same one here
            stored = [(name, view) for name, view in places if (each := view.output(node.name)) and each.stored]
            places = stored or places[:1]
        if len(places) > 1:
            names = " or ".join(f"{relation}.{node.name}" for relation, _ in places)
            raise QueryError(f"{node.name!r} is a column of several tables; write {names}")
        found = places[0][1].output(node.name)
        if found is None:
            raise self._unknown(node, places if node.table else list(self.views.values()))
        return found

    def _unknown(self, node: exp.Column, places: list[tuple[str, RelationColumns]]) -> QueryError:
        there = [each.name for _, view in places for each in view.outputs if each.expression is not None]
        hint = suggest_name(node.name, list(dict.fromkeys(there)))
        if isinstance(node.parent, exp.Predicate) and "did you mean" not in hint:
            hint += f"; texts stand in single quotes, as in '{node.name}'"
        where = f"{places[0][0]!r} has no" if len(places) == 1 else "no table here has a"
        return QueryError(f"{where} column {node.name!r}; {hint}")

    def column(self, node: exp.Column) -> Expression:
        """Return what a column holds; a hidden unit may not be read."""
        found = self.find(node)
        if found.expression is None:
            raise QueryError(
                f"{quote_sql(node)} is hidden: it says whose row it is, in COUNT(DISTINCT {found.name}), joins and "
                f"GROUP BY inside a subquery, and may not be read"
            )
        return found.expression

    def is_unit(self, node: exp.Expression) -> bool:
        """Say whether a node is the unit: not by its name, but by where it comes from."""
        return isinstance(node, exp.Column) and self.knows(node) and self.find(node).unit

    def all(self, table: str = "") -> list[OutputColumn]:
        """Return the columns that `*` stands for, or `table.*`; a hidden unit stays with them."""
        if table and table.casefold() not in self.views:
            raise QueryError(f"`{table}.*`: there is no table {table!r} in this question")
        chosen = [self.views[table.casefold()]] if table else list(self.views.values())
        found = []
        for name, view in chosen:
            for each in view.outputs:
                if (name.casefold(), each.name.casefold()) not in self.merged:
                    found.append(each)
        named: dict[str, OutputColumn] = {}
        for each in sorted(found, key=lambda column: not column.stored):
            named.setdefault(each.name.casefold(), each)
        return [each for each in found if each.stored or named[each.name.casefold()] is each]

    @property
    def unit_word(self) -> str:
        """The unit column's name, for messages."""
        units = [each.name for _, view in self.views.values() for each in view.outputs if each.unit]
        return units[0] if units else "the unit"
