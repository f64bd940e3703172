"""Units cut before the filter, in tables whose counts may be answered from earlier releases.

Elsewhere a unit keeps at most `max_rows` of the rows that WHERE leaves: so `WHERE a` and the cell `a` of a histogram
may count different rows of a unit that has more. Where the policy has `[tables.T.online]`, every question about T alone
that reads none but its columns keeps the same rows of each unit, whatever it asks: those with the least hash of the
content of all these columns. Then every count is a sum of cells of one table, and counts can be combined. Whoever asks
for anything but rows, such as distinct units, is combined with nothing: such questions are read as elsewhere.
"""

from __future__ import annotations

from dataclasses import replace

from discreet.plan.expressions import Column, find_columns
from discreet.plan.question import AggregateKind, Question
from discreet.plan.relations import Scan
from discreet.query.catalog import Catalog


def cut_first(question: Question, catalog: Catalog) -> Question:
    """Return the question with its units cut where they are read, if it is one of those above; else as it is."""
    question = replace(question, beside=tuple(cut_first(each, catalog) for each in question.beside))
    source = question.block.source
    if not isinstance(source, Scan) or question.block.joins or source.unique or source.rows is not None:
        return question
    table = catalog.table(source.table).table
    if table.online is None or table.unit is None or table.max_rows is None:
        return question
    if any(asked.kind is not AggregateKind.ROWS for asked in question.aggregates):
        return question
    read = {column.name for each in question.expressions() for column in find_columns(each)}
    if not read <= set(table.online.columns):
        return question
    return replace(question, block=replace(question.block, source=_cut(source, table.max_rows, catalog)))


def _cut(scan: Scan, rows: int, catalog: Catalog) -> Scan:
    found = catalog.table(scan.table)
    online = found.table.online
    assert online is not None
    types = dict(found.source_types)
    content = tuple(Column(scan.relation, name, types[name]) for name in sorted(online.columns))
    return replace(scan, rows=rows, content=content)
