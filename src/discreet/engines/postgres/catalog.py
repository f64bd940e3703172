"""What PostgreSQL's catalog says of a table or view: its columns and types, and whether its rows hold still."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from discreet.base.errors import PolicyError
from discreet.base.types import Type
from discreet.engines.postgres.session import PostgresSession

TYPES = {
    "bool": Type.BOOLEAN,
    **dict.fromkeys(("int2", "int4", "int8"), Type.INTEGER),
    "numeric": Type.DECIMAL,
    **dict.fromkeys(("float4", "float8"), Type.FLOAT),
    **dict.fromkeys(("text", "varchar", "bpchar", "uuid"), Type.TEXT),
    "date": Type.DATE,
    **dict.fromkeys(("timestamp", "timestamptz"), Type.TIMESTAMP),
}
"""PostgreSQL's types in the words of a policy, and enumerations as text; others have none."""

Refuse = Callable[[str, str], PolicyError]
"""What is wrong with a table and the remedy, to an error that names the table."""

FIND = """
SELECT c.oid, c.relkind::text FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname = %s AND c.relname = %s AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
"""

COLUMNS = """
WITH RECURSIVE base AS (
  SELECT a.attnum, a.attname::text AS name, a.atttypid AS type, a.atttypmod AS modifier
  FROM pg_catalog.pg_attribute AS a WHERE a.attrelid = %s AND a.attnum > 0 AND NOT a.attisdropped
  UNION ALL
  SELECT b.attnum, b.name, t.typbasetype, t.typtypmod FROM base AS b JOIN pg_catalog.pg_type AS t ON t.oid = b.type
  WHERE t.typtype = 'd')
SELECT b.name, t.typname::text, t.typtype::text, t.typnamespace = 'pg_catalog'::pg_catalog.regnamespace, b.modifier
FROM base AS b JOIN pg_catalog.pg_type AS t ON t.oid = b.type WHERE t.typtype <> 'd' ORDER BY b.attnum
"""

BEHIND = """
WITH RECURSIVE behind(oid) AS (
  SELECT %s::oid
  UNION
  SELECT d.oid FROM behind AS b CROSS JOIN LATERAL (
    SELECT i.inhrelid AS oid FROM pg_catalog.pg_inherits AS i WHERE i.inhparent = b.oid
    UNION ALL
    SELECT p.refobjid FROM pg_catalog.pg_rewrite AS r JOIN pg_catalog.pg_depend AS p
      ON p.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass AND p.objid = r.oid
      AND p.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass WHERE r.ev_class = b.oid
      AND r.ev_class IN (SELECT c.oid FROM pg_catalog.pg_class AS c WHERE c.relkind = 'v')) AS d)
"""
"""The table itself, its partitions and children, and all that stands behind a view."""

FOREIGN = f"""{BEHIND} SELECT count(*) FROM behind JOIN pg_catalog.pg_class AS c USING (oid) WHERE c.relkind = 'f'"""

VOLATILE = rf"""{BEHIND} SELECT count(*) FROM behind AS b JOIN pg_catalog.pg_rewrite AS r ON r.ev_class = b.oid
JOIN pg_catalog.pg_class AS c ON c.oid = b.oid AND c.relkind = 'v'
CROSS JOIN LATERAL
regexp_matches(r.ev_action::text, ':(?:funcid|opfuncid|aggfnoid|winfnoid|tsmhandler) ([0-9]+)', 'g') AS m
JOIN pg_catalog.pg_proc AS p ON p.oid = m[1]::oid WHERE p.provolatile = 'v'"""

WRITES = rf"""{BEHIND} SELECT concat_ws(' ', pg_stat_get_bgwriter_stat_reset_time(),
(SELECT d.stats_reset FROM pg_catalog.pg_stat_database AS d WHERE d.datname = current_database()), string_agg(
concat_ws(' ', b.oid, pg_relation_filenode(b.oid), s.n_tup_ins, s.n_tup_upd, s.n_tup_del), ',' ORDER BY b.oid))
FROM behind AS b LEFT JOIN pg_catalog.pg_stat_all_tables AS s ON s.relid = b.oid"""
"""Counts of writes, and when counting began: after a crash it begins anew."""

COUNTED = "SELECT current_setting('track_counts') = 'on' AND NOT pg_is_in_recovery()"


@dataclass(frozen=True, slots=True)
class Stored:
    """A column as it is stored: the name of its type, and of decimals how many digits they have before and after."""

    kind: str
    type: Type | None
    digits: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class CatalogRelation:
    """A table, a partitioned one, a materialized view, or a view."""

    oid: int
    view: bool
    columns: dict[str, Stored]


def find(session: PostgresSession, schema: str, name: str, refuse: Refuse) -> CatalogRelation:
    """Return what the catalog knows of a table, or refuse one that no snapshot holds still.

    Rows of a foreign table come from elsewhere, from a state that nobody fixed, and a view with a volatile function,
    such as random(), or a sample is another table each time that it is read.
    """
    found = session.rows(FIND, schema, name)
    if not found:
        raise refuse(f'there is no table "{schema}"."{name}"', 'write table = "schema.name", letter by letter')
    ((oid, kind),) = found
    ((foreign,),) = session.rows(FOREIGN, oid)
    if foreign:
        raise refuse("it is a foreign table, or has one behind it", "copy the rows into a table of this database")
    ((volatile,),) = session.rows(VOLATILE, oid)
    if volatile:
        remedy = "leave functions such as random() out of the view, or make it a materialized view"
        raise refuse("the view calls a volatile function, so that it differs each time", remedy)
    return CatalogRelation(oid, kind == "v", {column: _stored(*facts) for column, *facts in session.rows(COLUMNS, oid)})


def writes(session: PostgresSession, relation: CatalogRelation) -> str | None:
    """Return what changes with every write to a table that is counted; None where nothing is: of views, on replicas.

    Writers report what they did when they are idle, a second later at most.
    """
    ((counted,),) = session.rows(COUNTED)
    if relation.view or not counted:
        return None
    ((found,),) = session.rows(WRITES, relation.oid)
    return str(found)


def _stored(kind: str, category: str, own: bool, modifier: int) -> Stored:
    """Return a column's type. `own` says that it is PostgreSQL's, and not another of that name."""
    if category == "e":
        return Stored("enum", Type.TEXT)
    if not own or kind not in TYPES:
        return Stored(kind, None)
    digits = None
    if kind == "numeric" and modifier >= 4:
        precision, scale = (modifier - 4) >> 16 & 0xFFFF, ((modifier - 4) & 0x7FF ^ 1024) - 1024
        digits = (precision - scale, scale)
    return Stored(kind, TYPES[kind], digits)
