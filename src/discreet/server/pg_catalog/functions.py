"""PostgreSQL's functions over the catalog, as macros of DuckDB; and which functions a look-up may call at all."""

from __future__ import annotations

from sqlglot import exp

PREFIX = "pgf_"
"""Before the names of macros here: DuckDB has some of these functions itself, with other results."""

VISIBLE = "(11, 2200)"

MACROS: dict[str, tuple[str, tuple[str, ...]]] = {
    "quote_ident(n)": (
        "CASE WHEN regexp_full_match(n, '[a-z_][a-z0-9_$]*') AND n NOT IN ('user', 'order', 'table', 'select', 'all') "
        "THEN n ELSE '\"' || replace(n, '\"', '\"\"') || '\"' END",
        (),
    ),
    "format_type(t, m)": (
        "(SELECT CASE WHEN t = 1700 AND m > 4 THEN 'numeric(' || ((m - 4) >> 16) || ',' || ((m - 4) & 65535) || ')' "
        "WHEN t IN (1042, 1043) AND m > 4 THEN in_n.formatted || '(' || (m - 4) || ')' "
        "ELSE in_n.formatted END FROM pgc.type_names in_n WHERE in_n.oid = t)",
        ("type_names",),
    ),
    "regtype_name(t)": (
        "coalesce((SELECT in_n.formatted FROM pgc.type_names in_n WHERE in_n.oid = t), "
        "CASE WHEN t = 0 THEN '-' ELSE t::VARCHAR END)",
        ("type_names",),
    ),
    "regclass_name(c)": (
        "coalesce((SELECT CASE WHEN in_r.relnamespace IN (11, 2200) THEN pgf_quote_ident(in_r.relname) "
        "ELSE in_s.nspname || '.' || pgf_quote_ident(in_r.relname) END FROM pgc.pg_class in_r "
        "JOIN pgc.pg_namespace in_s "
        "ON in_s.oid = in_r.relnamespace WHERE in_r.oid = c), CASE WHEN c = 0 THEN '-' ELSE c::VARCHAR END)",
        ("pg_class", "pg_namespace"),
    ),
    "regproc_name(p)": ("(SELECT in_p.proname FROM pgc.pg_proc in_p WHERE in_p.oid = p)", ("pg_proc",)),
    "parse_ident(n)": ("list_transform(string_split(n, '.'), lambda part: replace(part, '\"', ''))", ()),
    "regnamespace_name(s)": (
        "coalesce((SELECT pgf_quote_ident(in_n.nspname) FROM pgc.pg_namespace in_n WHERE in_n.oid = s), s::VARCHAR)",
        ("pg_namespace",),
    ),
    "regrole_name(o)": (
        "(SELECT pgf_quote_ident(in_a.rolname) FROM pgc.pg_roles in_a WHERE in_a.oid = o)",
        ("pg_roles",),
    ),
    "to_regclass(n)": (
        "(SELECT in_r.oid FROM pgc.pg_class in_r JOIN pgc.pg_namespace in_s ON in_s.oid = in_r.relnamespace "
        "WHERE (in_s.oid IN (11, 2200) AND in_r.relname = replace(n, '\"', '')) "
        "OR in_s.nspname || '.' || in_r.relname = replace(n, '\"', '') ORDER BY in_s.oid LIMIT 1)",
        ("pg_class", "pg_namespace"),
    ),
    "to_regtype(n)": (
        "(SELECT in_y.oid FROM pgc.pg_type in_y JOIN pgc.type_names in_z ON in_z.oid = in_y.oid "
        "WHERE lower(replace(replace(n, 'pg_catalog.', ''), '\"', '')) "
        "IN (in_y.typname, replace(in_z.formatted, '\"', '')) "
        "ORDER BY in_y.oid LIMIT 1)",
        ("pg_type", "type_names"),
    ),
    "to_regnamespace(n)": ("(SELECT in_s.oid FROM pgc.pg_namespace in_s WHERE in_s.nspname = n)", ("pg_namespace",)),
    "to_regrole(n)": ("(SELECT in_a.oid FROM pgc.pg_roles in_a WHERE in_a.rolname = n)", ("pg_roles",)),
    "pg_get_userbyid(o)": (
        "coalesce((SELECT in_a.rolname FROM pgc.pg_roles in_a WHERE in_a.oid = o), 'unknown (OID=' || o || ')')",
        ("pg_roles",),
    ),
    "pg_table_is_visible(c)": (
        f"(SELECT in_r.relnamespace IN {VISIBLE} FROM pgc.pg_class in_r WHERE in_r.oid = c)",
        ("pg_class",),
    ),
    "pg_type_is_visible(t)": (
        f"(SELECT in_y.typnamespace IN {VISIBLE} FROM pgc.pg_type in_y WHERE in_y.oid = t)",
        ("pg_type",),
    ),
    "col_description(c, n)": (
        "(SELECT in_d.description FROM pgc.pg_description in_d WHERE in_d.objoid = c AND in_d.classoid = 1259 "
        "AND in_d.objsubid = n "
        "AND n <> 0)",
        ("pg_description",),
    ),
    "obj_description(o, k)": (
        "(SELECT in_d.description FROM pgc.pg_description in_d JOIN pgc.pg_class in_r ON in_r.oid = in_d.classoid "
        "WHERE in_d.objoid = o AND in_d.objsubid = 0 AND in_r.relname = k AND in_r.relnamespace = 11)",
        ("pg_description", "pg_class"),
    ),
    "shobj_description(o, k)": (
        "(SELECT in_d.description FROM pgc.pg_shdescription in_d JOIN pgc.pg_class in_r ON in_r.oid = in_d.classoid "
        "WHERE in_d.objoid = o AND in_r.relname = k)",
        ("pg_shdescription", "pg_class"),
    ),
    "pg_get_viewdef(c)": ("(SELECT in_v.definition FROM pgc.view_texts in_v WHERE in_v.oid = c)", ("view_texts",)),
    "quote_literal(n)": ("'''' || replace(n, '''', '''''') || ''''", ()),
    "current_setting(n)": (
        "(SELECT in_s.setting FROM pgc.pg_settings in_s WHERE in_s.name = lower(n))",
        ("pg_settings",),
    ),
    "has_privilege(p)": ("(upper(p) IN ('SELECT', 'USAGE', 'CONNECT', 'EXECUTE', 'TEMPORARY', 'TEMP'))", ()),
    "pg_size_pretty(n)": (
        "CASE WHEN n < 10240 THEN n || ' bytes' WHEN n < 10485760 THEN (n // 1024) || ' kB' "
        "ELSE (n // 1048576) || ' MB' END",
        (),
    ),
    "pg_encoding_to_char(n)": ("CASE n WHEN 6 THEN 'UTF8' WHEN 0 THEN 'SQL_ASCII' ELSE '' END", ()),
    "pg_char_to_encoding(n)": ("CASE upper(n) WHEN 'UTF8' THEN 6 WHEN 'SQL_ASCII' THEN 0 ELSE -1 END", ()),
    "array_upper(a, d)": ("CASE WHEN len(a) > 0 THEN len(a)::INTEGER END", ()),
    "array_lower(a, d)": ("CASE WHEN len(a) > 0 THEN 1 END", ()),
    "array_length(a, d)": ("CASE WHEN len(a) > 0 THEN len(a)::INTEGER END", ()),
    "current_schemas(b)": ("CASE WHEN b THEN ['pg_catalog', 'public'] ELSE ['public'] END", ()),
    "generate_subscripts(a, d)": ("unnest(range(1, len(a) + 1))", ()),
    "_pg_expandarray(a)": ("unnest(list_transform(a, lambda v, i: {'x': v, 'n': i::INTEGER}))", ()),
}
"""Signatures, what they mean, and the relations that they read. Parameters shadow no column that they stand beside."""

CONSTANTS: dict[str, str] = {
    **dict.fromkeys(
        (
            "pg_get_expr", "pg_get_constraintdef", "pg_get_indexdef", "pg_get_ruledef", "pg_get_triggerdef",
            "pg_get_serial_sequence", "pg_get_function_result", "pg_get_function_arguments", "pg_get_functiondef",
            "pg_get_function_identity_arguments", "pg_get_function_sqlbody", "pg_get_statisticsobjdef",
            "pg_get_statisticsobjdef_columns", "pg_get_partkeydef", "pg_get_partition_constraintdef",
            "pg_stat_get_last_analyze_time", "inet_client_addr", "inet_server_addr",
            "pg_get_replica_identity_index", "pg_relation_filepath", "to_regproc", "to_regprocedure", "to_regoper",
            "to_regoperator", "to_regcollation",
        ),
        "CAST(NULL AS VARCHAR)",
    ),
    **dict.fromkeys(
        (
            "pg_relation_size", "pg_table_size", "pg_total_relation_size", "pg_indexes_size", "pg_database_size",
            "pg_tablespace_size", "inet_client_port", "inet_server_port", "pg_sequence_last_value",
        ),
        "CAST(NULL AS BIGINT)",
    ),
    **dict.fromkeys(
        (
            "pg_stat_get_numscans", "pg_stat_get_tuples_inserted", "pg_stat_get_live_tuples", "txid_current",
            "pg_stat_get_dead_tuples",
        ),
        "CAST(0 AS BIGINT)",
    ),
    **dict.fromkeys(
        (
            "pg_function_is_visible", "pg_collation_is_visible", "pg_conversion_is_visible", "pg_opfamily_is_visible",
            "pg_opclass_is_visible", "pg_operator_is_visible", "pg_ts_config_is_visible", "pg_ts_dict_is_visible",
            "pg_ts_parser_is_visible", "pg_ts_template_is_visible", "pg_statistics_obj_is_visible", "pg_has_role",
        ),
        "TRUE",
    ),
    **dict.fromkeys(
        (
            "pg_is_in_recovery", "pg_is_other_temp_schema", "pg_relation_is_publishable", "pg_is_wal_replay_paused",
            "pg_indexam_has_property", "pg_index_has_property", "pg_index_column_has_property", "row_security_active",
        ),
        "FALSE",
    ),
    "pg_my_temp_schema": "CAST(0 AS UINTEGER)",
    "getdatabaseencoding": "'UTF8'",
    "pg_tablespace_location": "''",
    "pg_advisory_unlock_all": "''",
    "pg_encoding_max_length": "4",
    "pg_sleep": "''",
    "pg_relation_is_updatable": "0",
}  # fmt: skip
"""Functions with one value here: there are no indexes, constraints, triggers, functions or files to tell of."""

PRIVILEGES = frozenset(
    f"has_{what}_privilege"
    for what in (
        "any_column", "column", "database", "foreign_data_wrapper", "function", "language", "schema", "sequence",
        "server", "table", "tablespace", "type", "parameter",
    )
)  # fmt: skip
"""Functions whose last argument is a privilege: an analyst may read, and nothing else."""

OWN = frozenset(signature.split("(")[0] for signature in MACROS)
NEEDS = {signature.split("(")[0]: needs for signature, (_, needs) in MACROS.items()}


def name_function(node: exp.Func) -> str:
    """Return the name by which a function is allowed or not."""
    if isinstance(node, exp.Anonymous | exp.AnonymousAggFunc):
        return str(node.name).lower()
    return type(node).__name__.lower()
