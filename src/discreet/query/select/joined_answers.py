"""Answers joined to public tables and to one another: `FROM (SELECT ward, COUNT(*) ...) t JOIN wards USING (ward)`.

All of it is computed on released rows. Each answer is a question of its own, and released and paid for as such; rows of
public tables are read as they are. Rows of private tables never meet an answer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from sqlglot import exp

from discreet.base.errors import QueryError
from discreet.base.types import Type
from discreet.plan.expressions import Expression, join_conditions
from discreet.plan.question import Finish, Question
from discreet.plan.windows import Joined, JoinedTable, Stage, StageJoin, name_joined
from discreet.policy.schema import Resolved
from discreet.query.parse import quote_sql, refuse_other_parts, split_conjuncts
from discreet.query.scalars.expressions import Scope, translate
from discreet.query.select.context import Context
from discreet.query.select.from_clause import check_condition, refuse_aggregate
from discreet.query.select.names import Names, OutputColumn, RelationColumns, describe_table
from discreet.query.select.public_values import list_public_rows
from discreet.query.select.relations import read_alias
from discreet.query.select.scalar_subqueries import read_apart
from discreet.query.select.wrapping import wrap_question

ON = "JOIN and LEFT JOIN ... ON equal columns, or USING, join an answer to public tables and other answers"
FIRST = "an answer that is joined to public tables stands first; write FROM (SELECT ...) AS t LEFT JOIN ..."
CHOSEN = "MODE is chosen, and nothing about it is released: it is joined to nothing; leave it out"

FindAnswer = Callable[[exp.Expression, Context], tuple[exp.Select, Context] | None]


@dataclass(frozen=True)
class JoinedRelation:
    """One relation in FROM: an answer, or a public table."""

    name: str
    answer: tuple[exp.Select, Context] | None
    public: Resolved | None


def find_joined(select: exp.Select, reading: Context, find: FindAnswer) -> list[JoinedRelation] | None:
    """Return the relations of a FROM with joins where some are answers and all others public tables; else nothing."""
    source, joins = select.args.get("from_"), select.args.get("joins") or []
    if source is None or not joins:
        return None
    found = []
    for node in (source.this, *(each.this for each in joins)):
        answer = find(node, reading)
        if answer is not None:
            found.append(JoinedRelation(read_alias(node) or node.name or "subquery", answer, None))
            continue
        plain = isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier)
        if not plain or reading.subquery(node.name) is not None:
            return None
        table = reading.find_table(node.name)
        if not table.table.public:
            return None
        found.append(JoinedRelation(read_alias(node) or node.name, None, table))
    return found if any(each.answer is not None for each in found) else None


def join_answers(select: exp.Select, relations: list[JoinedRelation], reading: Context) -> Question:
    """Return the question of the first answer, joined to all other relations, with a SELECT around it."""
    joins = select.args["joins"]
    if relations[0].answer is None:
        if relations[1].answer is None or joins[0].args.get("side"):
            raise QueryError(f"{quote_sql(joins[0])}: {FIRST}")
        relations = [relations[1], relations[0], *relations[2:]]
    assert relations[0].answer is not None
    inner = read_apart(*relations[0].answer)
    if inner.pick is not None:
        raise QueryError(CHOSEN)
    made = _Joiner(relations[0].name, inner.finish, reading)
    for relation, join in zip(relations[1:], joins, strict=True):
        made.join(join, relation)
    finish = Finish((), stages=tuple(made.stages), tables=tuple(made.tables))
    return wrap_question(select, replace(inner, finish=finish), reading, made.names)


class _Joiner:
    """Released rows being joined to one relation after another."""

    def __init__(self, name: str, finish: Finish, reading: Context) -> None:
        self.reading, self.tables = reading, list(finish.tables)
        self.stages = [*finish.stages]
        if finish.cuts:
            self.stages.append(Stage(finish.having, (), False, finish.order, finish.limit, finish.offset))
        outputs = tuple(OutputColumn(*each) for each in finish.outputs)
        self.names = Names()
        self.names.add(name, RelationColumns(outputs, True))

    def join(self, join: exp.Expression, relation: JoinedRelation) -> None:
        """Add one relation."""
        refuse_other_parts(join, {"this", "on", "using", "side", "kind"})
        side, kind = str(join.args.get("side") or ""), str(join.args.get("kind") or "")
        if side not in ("", "LEFT") or kind not in ("", "INNER", "OUTER"):
            raise QueryError(f"{quote_sql(join)}: {ON}")
        view = self._add_table(join, relation)
        pairs, extra = self._read_on(join, relation.name, view, keep=side == "LEFT")
        if not pairs:
            raise QueryError(f"{quote_sql(join)}: {ON}")
        self.stages.append(Stage(join=StageJoin(len(self.tables) - 1, tuple(pairs), side == "LEFT")))
        self.names.add(relation.name, view)
        using = {each.name.casefold() for each in join.args.get("using") or []}
        self.names.merged |= {(relation.name.casefold(), name) for name in using}
        scope = Scope(self.names.column, refuse_aggregate, self.reading.parameters, finish=True)
        having = join_conditions([check_condition("ON", translate(each, scope)) for each in extra])
        if having is not None:
            self.stages.append(Stage(having))

    def _add_table(self, join: exp.Expression, relation: JoinedRelation) -> RelationColumns:
        place = len(self.tables)
        if relation.public is not None:
            listed = [(each.name, each.expression) for each in describe_table(relation.public, "").outputs]
            columns = [(name, _show_type(found.type)) for name, found in listed if found is not None]
            rows = list_public_rows(join, relation.public, self.reading)
            self.tables.append(JoinedTable(tuple(type_ for _, type_ in columns), rows))
        else:
            assert relation.answer is not None
            question = read_apart(*relation.answer)
            if question.pick is not None:
                raise QueryError(CHOSEN)
            columns = [(name, _show_type(shown.type)) for name, shown in question.finish.outputs]
            part = self.reading.beside.add(question)
            self.tables.append(JoinedTable(tuple(type_ for _, type_ in columns), part=part))
        noisy = relation.public is None
        outputs = [OutputColumn(name, name_joined(place, at, type_, noisy)) for at, (name, type_) in enumerate(columns)]
        return RelationColumns(tuple(outputs), noisy)

    def _read_on(
        self, join: exp.Expression, name: str, view: RelationColumns, *, keep: bool
    ) -> tuple[list[tuple[Expression, Joined]], list[exp.Expression]]:
        """Return what is equal, and other conditions of an inner join, which mean the same afterwards."""
        new = Names({name.casefold(): (name, view)})
        equal = [(exp.column(each.name), exp.column(each.name, name)) for each in join.args.get("using") or []]
        extra: list[exp.Expression] = []
        for part in split_conjuncts(join.args.get("on")):
            sides = (part.this, part.expression) if isinstance(part, exp.EQ) else ()
            both = [pair for pair in (sides, sides[::-1]) if pair and self._fits(*pair, new)]
            if both:
                equal.append(both[0])
            elif keep:
                raise QueryError(f"{quote_sql(part)}: {ON}; put other conditions around")
            else:
                extra.append(part)
        pairs = []
        for mine, theirs in equal:
            old, found = self.names.column(mine), new.column(theirs)
            assert isinstance(found, Joined)
            if old.type is not found.type or old.type in (Type.FLOAT, Type.DECIMAL):
                raise QueryError(
                    f"{quote_sql(theirs)} is {found.type}, and {old.type} is joined to it; whole numbers, texts, dates "
                    "and times are joined to their own kind"
                )
            pairs.append((old, found))
        return pairs, extra

    def _fits(self, mine: exp.Expression, theirs: exp.Expression, new: Names) -> bool:
        """Say whether one side is a column of what was there before, and the other one of the new relation alone."""
        if not isinstance(mine, exp.Column) or not isinstance(theirs, exp.Column):
            return False
        known = new.knows(theirs) and (bool(theirs.table) or not self.names.has(theirs.name))
        return known and self.names.knows(mine) and (bool(mine.table) or not new.has(mine.name))


def _show_type(type_: Type) -> Type:
    return Type.FLOAT if type_ is Type.DECIMAL else type_
