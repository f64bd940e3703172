"""Rows that every PostgreSQL has: schemas, databases, roles, access methods, functions of types."""

from __future__ import annotations

from collections.abc import Iterator

from discreet.server.pg_catalog.catalog_facts import (
    ANALYST_OID,
    DATABASE_OID,
    INFORMATION,
    CatalogFacts,
    CatalogRow,
    RowMaker,
)
from discreet.server.pg_catalog.facts import DATABASE, OWNER, OWNER_OID, ROLES
from discreet.server.pg_catalog.relations import PG_CATALOG, PUBLIC, TOAST, list_procedures


def _namespaces(facts: CatalogFacts) -> Iterator[CatalogRow]:
    acl = [f"{OWNER}=UC/{OWNER}", f"=U/{OWNER}"]
    yield {"oid": TOAST, "nspname": "pg_toast", "nspowner": OWNER_OID}
    yield {"oid": PG_CATALOG, "nspname": "pg_catalog", "nspowner": OWNER_OID, "nspacl": acl}
    owner = "pg_database_owner"
    yield {"oid": PUBLIC, "nspname": "public", "nspowner": 6171, "nspacl": [f"{owner}=UC/{owner}", f"=U/{owner}"]}
    yield {"oid": INFORMATION, "nspname": "information_schema", "nspowner": OWNER_OID, "nspacl": acl}


DATABASES = (
    (5, "postgres", False),
    (DATABASE_OID, DATABASE, False),
    (1, "template1", True),
    (4, "template0", True),
)


def _databases(facts: CatalogFacts) -> Iterator[CatalogRow]:
    acl = [f"=c/{OWNER}", f"{OWNER}=CTc/{OWNER}"]
    for oid, name, template in (
        (5, "postgres", False),
        (DATABASE_OID, DATABASE, False),
        (1, "template1", True),
        (4, "template0", True),
    ):
        yield {
            "oid": oid, "datname": name, "datdba": OWNER_OID, "encoding": 6, "datlocprovider": "c",
            "datistemplate": template, "datallowconn": name != "template0", "datconnlimit": -1, "datfrozenxid": 716,
            "datminmxid": 1, "dattablespace": 1663, "datcollate": "C", "datctype": "C",
            "datacl": acl if template else None,
        }  # fmt: skip


def _roles(facts: CatalogFacts) -> Iterator[CatalogRow]:
    for oid, name in (*ROLES, (ANALYST_OID, facts.analyst)):
        owner = oid == OWNER_OID
        flags = ("rolsuper", "rolcreaterole", "rolcreatedb", "rolreplication", "rolbypassrls")
        login = {"rolinherit": True, "rolcanlogin": owner or oid == ANALYST_OID, "rolconnlimit": -1}
        yield {"oid": oid, "rolname": name, **dict.fromkeys(flags, owner), **login, "rolpassword": "********"}


def _users(facts: CatalogFacts) -> Iterator[CatalogRow]:
    for row in _roles(facts):
        if row["rolcanlogin"]:
            owner = row["rolsuper"]
            names = {"usename": row["rolname"], "usesysid": row["oid"], "passwd": "********"}
            yield {**names, "usecreatedb": owner, "usesuper": owner, "userepl": owner, "usebypassrls": owner}


def _access_methods(facts: CatalogFacts) -> Iterator[CatalogRow]:
    methods = ((2, "heap", "heap_tableam_handler"), (403, "btree", "bthandler"), (405, "hash", "hashhandler"),
               (783, "gist", "gisthandler"), (2742, "gin", "ginhandler"), (4000, "spgist", "spghandler"),
               (3580, "brin", "brinhandler"))  # fmt: skip
    for oid, name, handler in methods:
        yield {"oid": oid, "amname": name, "amhandler": handler, "amtype": "t" if oid == 2 else "i"}


def _tablespaces(facts: CatalogFacts) -> Iterator[CatalogRow]:
    for oid, name in ((1663, "pg_default"), (1664, "pg_global")):
        yield {"oid": oid, "spcname": name, "spcowner": OWNER_OID}


def _collations(facts: CatalogFacts) -> Iterator[CatalogRow]:
    usual = {"collnamespace": PG_CATALOG, "collowner": OWNER_OID, "collisdeterministic": True, "collencoding": -1}
    yield usual | {"oid": 100, "collname": "default", "collprovider": "d"}
    for oid, name in ((950, "C"), (951, "POSIX")):
        yield usual | {"oid": oid, "collname": name, "collprovider": "c", "collcollate": name, "collctype": name}


def _languages(facts: CatalogFacts) -> Iterator[CatalogRow]:
    for oid, name, trusted in ((12, "internal", False), (13, "c", False), (14, "sql", True)):
        yield {
            "oid": oid,
            "lanname": name,
            "lanowner": OWNER_OID,
            "lanispl": False,
            "lanpltrusted": trusted,
            "lanplcallfoid": 0,
            "laninline": 0,
            "lanvalidator": 0,
        }


DATABASE_WORDS = {
    1: "default template for new databases",
    4: "unmodifiable empty database",
    5: "default administrative connection database",
}


def _shared_descriptions(facts: CatalogFacts) -> Iterator[CatalogRow]:
    told = {
        1: "default template for new databases",
        4: "unmodifiable empty database",
        5: "default administrative connection database",
    }
    for oid, text in told.items():
        yield {"objoid": oid, "classoid": 1262, "description": text}


def _procedures(facts: CatalogFacts) -> Iterator[CatalogRow]:
    usual = {
        "pronamespace": PG_CATALOG, "proowner": OWNER_OID, "prolang": 12, "procost": 1.0, "prorows": 0.0,
        "provariadic": 0, "prosupport": "-", "prokind": "f", "prosecdef": False, "proleakproof": False,
        "proisstrict": True, "proretset": False, "provolatile": "i", "proparallel": "s", "pronargdefaults": 0,
    }  # fmt: skip
    for oid, name, result, given in list_procedures():
        own = {"oid": oid, "proname": name, "prorettype": result, "proargtypes": list(given), "pronargs": len(given)}
        yield usual | own | {"prosrc": name}


RANGES = (
    (3904, 23, 4451, 1978, "int4range_canonical", "int4range_subdiff"),
    (3906, 1700, 4532, 3125, "-", "numrange_subdiff"),
    (3908, 1114, 4533, 3128, "-", "tsrange_subdiff"),
    (3910, 1184, 4534, 3127, "-", "tstzrange_subdiff"),
    (3912, 1082, 4535, 3122, "daterange_canonical", "daterange_subdiff"),
    (3926, 20, 4536, 3124, "int8range_canonical", "int8range_subdiff"),
)


def _ranges(facts: CatalogFacts) -> Iterator[CatalogRow]:
    names = ("rngtypid", "rngsubtype", "rngmultitypid", "rngsubopc", "rngcanonical", "rngsubdiff")
    for each in RANGES:
        yield {**dict(zip(names, each, strict=True)), "rngcollation": 0}


FIXED_ROWS: dict[str, RowMaker] = {
    "pg_catalog.pg_namespace": _namespaces,
    "pg_catalog.pg_proc": _procedures,
    "pg_catalog.pg_range": _ranges,
    "pg_catalog.pg_database": _databases,
    "pg_catalog.pg_roles": _roles,
    "pg_catalog.pg_user": _users,
    "pg_catalog.pg_am": _access_methods,
    "pg_catalog.pg_tablespace": _tablespaces,
    "pg_catalog.pg_collation": _collations,
    "pg_catalog.pg_shdescription": _shared_descriptions,
    "pg_catalog.pg_language": _languages,
}
"""What has such rows."""
