"""Types as SQL writes them."""

from __future__ import annotations

from discreet.server.pg_catalog.relations import PG_CATALOG, list_types


def format_type_names() -> list[tuple[int, str]]:
    """Return how types are written in SQL, by their number."""
    words = {"int8": "bigint", "int4": "integer", "int2": "smallint", "float8": "double precision", "float4": "real",
             "bool": "boolean", "bpchar": "character", "varchar": "character varying", "varbit": "bit varying",
             "timestamptz": "timestamp with time zone", "timestamp": "timestamp without time zone", "char": '"char"',
             "timetz": "time with time zone", "time": "time without time zone"}  # fmt: skip
    plain = {
        each.oid: ("" if each.values["typnamespace"] == PG_CATALOG else "information_schema.")
        + str(each.values["typname"])
        for each in list_types()
    }
    found = []
    for each in list_types():
        name, held = plain[each.oid], int(str(each.values["typelem"]))
        array = each.values["typcategory"] == "A" and held in plain
        shown = words.get(plain[held], plain[held]) + "[]" if array else words.get(name, name)
        found.append((each.oid, shown))
    return found
