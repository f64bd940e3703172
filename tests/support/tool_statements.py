# ruff: noqa: E501
"""What DBeaver, Metabase, Superset, Grafana, Tableau and Power BI look up of a database, and sample in the background."""

from __future__ import annotations

TOOLS = {
    "DBeaver": [
        "SELECT current_schema(), session_user",
        "SELECT n.oid, n.*, d.description FROM pg_catalog.pg_namespace n LEFT OUTER JOIN pg_catalog.pg_description d "
        "ON d.objoid = n.oid AND d.objsubid = 0 AND d.classoid = 'pg_namespace'::regclass ORDER BY nspname",
        "SELECT db.oid, db.datname, db.datdba, db.encoding, db.datistemplate, db.datallowconn, db.datconnlimit, db.datacl FROM pg_catalog.pg_database db WHERE datname = 'template1'",
        "SELECT * FROM pg_catalog.pg_enum WHERE 1 <> 1 LIMIT 1",
        "SELECT reltype FROM pg_catalog.pg_class WHERE 1 <> 1 LIMIT 1",
        "SELECT c.relname, a.*, pg_catalog.pg_get_expr(ad.adbin, ad.adrelid, true) AS def_value, dsc.description, "
        "dep.objid FROM pg_catalog.pg_attribute a INNER JOIN pg_catalog.pg_class c ON (a.attrelid = c.oid) "
        "LEFT OUTER JOIN pg_catalog.pg_attrdef ad ON (a.attrelid = ad.adrelid AND a.attnum = ad.adnum) "
        "LEFT OUTER JOIN pg_catalog.pg_description dsc ON (c.oid = dsc.objoid AND a.attnum = dsc.objsubid) "
        "LEFT OUTER JOIN pg_depend dep ON dep.refobjid = a.attrelid AND dep.deptype = 'i' "
        "AND dep.refobjsubid = a.attnum AND dep.classid = dep.refclassid "
        "WHERE NOT a.attisdropped AND c.relkind NOT IN ('i', 'I', 'c') AND c.oid = 'visits'::regclass ORDER BY a.attnum",
        "SELECT c.oid, c.*, t.relname AS tabrelname, rt.relnamespace AS refnamespace, d.description, case when "
        "c.contype = 'c' then substring(pg_get_constraintdef(c.oid), 7) else null end consrc_copy "
        "FROM pg_catalog.pg_constraint c INNER JOIN pg_catalog.pg_class t ON t.oid = c.conrelid "
        "LEFT OUTER JOIN pg_catalog.pg_class rt ON rt.oid = c.confrelid LEFT OUTER JOIN pg_catalog.pg_description d "
        "ON d.objoid = c.oid AND d.objsubid = 0 AND d.classoid = 'pg_constraint'::regclass WHERE c.conrelid = 1",
        "select description from pg_shdescription join pg_database on objoid = pg_database.oid "
        "where datname = 'template0'",
    ],
    "Metabase": [
        'SELECT nspname AS "TABLE_SCHEM", current_database() AS "TABLE_CATALOG" FROM pg_catalog.pg_namespace '
        "WHERE nspname <> 'pg_toast' AND (nspname !~ '^pg_temp_' OR nspname = (pg_catalog.current_schemas(true))[1]) "
        'ORDER BY "TABLE_SCHEM"',
        "with table_privileges as (select NULL as role, t.schemaname as schema, t.objectname as table, "
        "pg_catalog.has_any_column_privilege(current_user, '\"' || replace(t.schemaname, '\"', '\"\"') || '\".\"' || "
        "replace(t.objectname, '\"', '\"\"') || '\"', 'select') as select, pg_catalog.has_table_privilege(current_user, "
        "'\"' || t.schemaname || '\".\"' || t.objectname || '\"', 'delete') as delete from (select schemaname, tablename "
        "as objectname from pg_catalog.pg_tables union select schemaname, viewname as objectname from "
        "pg_catalog.pg_views union select schemaname, matviewname as objectname from pg_catalog.pg_matviews) t where "
        "t.schemaname !~ '^pg_' and t.schemaname <> 'information_schema' and "
        "pg_catalog.has_schema_privilege(current_user, t.schemaname, 'usage')) select t.* from table_privileges t",
        'SELECT "c"."column_name" AS "name", "c"."udt_name" AS "database-type", "c"."ordinal_position" - 1 AS '
        '"database-position", "c"."table_schema" AS "table-schema", "c"."table_name" AS "table-name", NOT '
        '("c"."is_nullable" = \'YES\') AS "database-required" FROM "information_schema"."columns" AS "c" WHERE '
        "c.table_schema !~ '^information_schema|catalog_history|pg_' AND (\"c\".\"table_schema\" IN ('public')) "
        'ORDER BY "table-schema" ASC, "table-name" ASC, "database-position" ASC',
    ],
    "Superset": [
        "SELECT nspname FROM pg_namespace WHERE nspname NOT LIKE 'pg_%' ORDER BY nspname",
        "SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'public' "
        "AND c.relkind in ('r', 'p')",
        "SELECT datname FROM pg_database WHERE datistemplate = false AND datname <> 'postgres' "
        "AND datname NOT LIKE 'test%'",
    ],
    "Grafana": [
        "SELECT CASE WHEN quote_ident(table_schema) IN (SELECT CASE WHEN trim(s[i]) = '\"$user\"' THEN user ELSE "
        "trim(s[i]) END FROM generate_series(array_lower(string_to_array(current_setting('search_path'), ','), 1), "
        "array_upper(string_to_array(current_setting('search_path'), ','), 1)) as i, "
        "string_to_array(current_setting('search_path'), ',') s) THEN quote_ident(table_name) ELSE "
        "quote_ident(table_schema) || '.' || quote_ident(table_name) END AS \"table\" FROM information_schema.tables "
        "WHERE quote_ident(table_schema) NOT IN ('information_schema', 'pg_catalog', '_timescaledb_cache')",
        'SELECT quote_ident(column_name) AS "column", data_type AS "type" FROM information_schema.columns WHERE CASE '
        "WHEN array_length(parse_ident('public.visits'), 1) = 2 THEN quote_ident(table_schema) = "
        "(parse_ident('public.visits'))[1] AND quote_ident(table_name) = (parse_ident('public.visits'))[2] ELSE false END",
        "SELECT current_setting('server_version_num')::int / 10000 AS version",
    ],
    "Tableau": [
        "SELECT NULL, n.nspname, c.relname, CASE c.relkind WHEN 'r' THEN 'TABLE' WHEN 'v' THEN 'VIEW' END FROM "
        "pg_catalog.pg_class c, pg_catalog.pg_namespace n WHERE c.relkind IN ('r', 'v', 'm', 'f', 'p') AND n.nspname NOT "
        "IN ('pg_catalog', 'information_schema', 'pg_toast', 'pg_temp_1') AND n.oid = c.relnamespace ORDER BY 2, 3",
        "select n.nspname, c.relname, a.attname, a.atttypid, t.typname, a.attnum, a.attlen, a.atttypmod, a.attnotnull, "
        "c.relhasrules, c.relkind, c.oid, pg_get_expr(d.adbin, d.adrelid), case t.typtype when 'd' then t.typbasetype "
        "else 0 end, t.typtypmod from (((pg_catalog.pg_class c inner join pg_catalog.pg_namespace n on n.oid = "
        "c.relnamespace and c.relname like 'visits' and n.nspname like 'public') inner join pg_catalog.pg_attribute a "
        "on (not a.attisdropped) and a.attnum > 0 and a.attrelid = c.oid) inner join pg_catalog.pg_type t on t.oid = "
        "a.atttypid) left outer join pg_attrdef d on a.atthasdef and d.adrelid = a.attrelid and d.adnum = a.attnum "
        "order by n.nspname, c.relname, attnum",
        "select ta.attname, ia.attnum, ic.relname, n.nspname, tc.relname from pg_catalog.pg_attribute ta, "
        "pg_catalog.pg_attribute ia, pg_catalog.pg_class tc, pg_catalog.pg_index i, pg_catalog.pg_namespace n, "
        "pg_catalog.pg_class ic where tc.relname = 'visits' and n.nspname = 'public' and tc.oid = i.indrelid and "
        "n.oid = tc.relnamespace and i.indisprimary = 't' and ia.attrelid = i.indexrelid and ta.attrelid = i.indrelid "
        "and ta.attnum = i.indkey[ia.attnum - 1] and (not ta.attisdropped) and ic.oid = i.indexrelid order by ia.attnum",
    ],
    "Power BI": [
        "SELECT ns.nspname, found.* FROM (SELECT typ.oid, typ.typnamespace, typ.typname, CASE WHEN proc.proname = "
        "'array_recv' THEN 'a' ELSE typ.typtype END AS typtype, CASE WHEN proc.proname = 'array_recv' THEN typ.typelem "
        "WHEN typ.typtype = 'r' THEN rngsubtype WHEN typ.typtype = 'm' THEN (SELECT rngtypid FROM pg_range WHERE "
        "rngmultitypid = typ.oid) WHEN typ.typtype = 'd' THEN typ.typbasetype END AS elemtypoid FROM pg_type AS typ "
        "LEFT JOIN pg_class AS cls ON (cls.oid = typ.typrelid) LEFT JOIN pg_proc AS proc ON proc.oid = typ.typreceive "
        "LEFT JOIN pg_range ON (pg_range.rngtypid = typ.oid)) AS found JOIN pg_namespace AS ns ON (ns.oid = "
        "typnamespace) WHERE typtype IN ('b', 'r', 'm', 'e', 'd') OR (typtype = 'p' AND typname IN ('record', 'void'))",
        "SELECT pg_type.oid, enumlabel FROM pg_enum JOIN pg_type ON pg_type.oid = enumtypid ORDER BY oid, enumsortorder",
        "select character_set_name from INFORMATION_SCHEMA.character_sets",
        "select TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE from INFORMATION_SCHEMA.tables where TABLE_SCHEMA not in "
        "('information_schema', 'pg_catalog') order by TABLE_SCHEMA, TABLE_NAME",
        "select COLUMN_NAME, ORDINAL_POSITION, IS_NULLABLE, case when (data_type like '%unsigned%') then DATA_TYPE || "
        "' unsigned' else DATA_TYPE end as DATA_TYPE from INFORMATION_SCHEMA.columns where TABLE_SCHEMA = 'public' and "
        "TABLE_NAME = 'visits' order by TABLE_SCHEMA, TABLE_NAME, ORDINAL_POSITION",
        "select i.CONSTRAINT_SCHEMA || '_' || i.CONSTRAINT_NAME as INDEX_NAME, ii.COLUMN_NAME, ii.ORDINAL_POSITION from "
        "INFORMATION_SCHEMA.table_constraints i inner join INFORMATION_SCHEMA.key_column_usage ii on "
        "i.CONSTRAINT_SCHEMA = ii.CONSTRAINT_SCHEMA and i.CONSTRAINT_NAME = ii.CONSTRAINT_NAME where i.TABLE_SCHEMA = "
        "'public' and i.TABLE_NAME = 'visits' and i.CONSTRAINT_TYPE in ('PRIMARY KEY', 'UNIQUE')",
    ],
}
"""What tools look up, after their sources and the threads of those who met them."""

PROBES = [
    "SELECT * FROM visits WHERE 1 = 0",
    "SELECT * FROM visits WHERE 1<>1 LIMIT 1",
    "SELECT * FROM visits LIMIT 0",
    'SELECT * FROM "public"."visits" WHERE false',
    "SELECT * FROM (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward) AS q LIMIT 0",
    'SELECT "t".* FROM (SELECT ward, age FROM public.visits) "t" WHERE (1 = 0)',
    'SELECT "visits"."ward" AS "ward", COUNT(*) AS "n" FROM "public"."visits" "visits" GROUP BY 1 LIMIT 0',
    'SELECT TRUE AS "_" FROM "public"."visits" WHERE 1 <> 1 LIMIT 0',
]
"""Statements without rows, by which tools see the columns of tables and questions."""

DECLARED = [
    "SELECT DISTINCT ward FROM visits",
    'SELECT "public"."visits"."ward" AS "ward" FROM "public"."visits" GROUP BY "public"."visits"."ward" ORDER BY "public"."visits"."ward" ASC LIMIT 1000',
    'SELECT DISTINCT "ward" FROM "public"."visits" WHERE "ward" IS NOT NULL ORDER BY "ward" LIMIT 100',
    "SELECT ward FROM visits GROUP BY 1 ORDER BY 1",
]
"""Lists of filters."""

SCANS = [
    'SELECT "public"."visits"."patient_id" AS "patient_id", "public"."visits"."age" AS "age" FROM "public"."visits" LIMIT 10000',
    'SELECT "public"."visits"."doctor" AS "doctor" FROM "public"."visits" GROUP BY "public"."visits"."doctor" ORDER BY "public"."visits"."doctor" ASC LIMIT 1000',
    "SELECT DISTINCT doctor FROM visits",
    "SELECT x.* FROM public.visits x LIMIT 200",
    "SELECT * FROM public.visits",
    'SELECT "visits"."age" FROM "public"."visits" "visits" GROUP BY 1',
    'select "_"."patient_id", "_"."age" from "public"."visits" "_" limit 1001',
    "SELECT substring(doctor, 1, 1234) AS d FROM public.visits LIMIT 10000",
    "TABLE visits",
]
"""What tools sample in the background: rows, and values that nobody declared."""
