"""Which functions of DuckDB a look-up may call."""

from __future__ import annotations

ALLOWED = frozenset(
    {
        "abs", "age", "and", "any_value", "anyvalue", "approx_distinct", "argmax", "argmin", "array", "array_agg",
        "array_append", "array_cat", "array_contains", "array_position", "array_to_string", "array_unique_agg",
        "arrayagg", "arrayany", "arrayconcat", "arraysize", "arraytostring", "avg", "between", "bit_and", "bit_or",
        "bool_and", "bool_or", "cardinality", "case", "cast", "cbrt", "ceil", "char_length", "chr", "coalesce",
        "concat", "concat_ws", "contains", "corr", "count", "count_if", "countif", "covarpop", "covarsamp",
        "cume_dist", "current_date", "current_timestamp", "currentdate", "currenttime", "currenttimestamp",
        "date_diff", "date_part", "date_trunc", "dateadd", "datediff", "datesub", "datetrunc", "day", "dayofmonth",
        "dayofweek", "dayofyear", "dense_rank", "encode", "ends_with", "every", "exists", "exp", "explode",
        "exploding_generate_series", "explodinggenerateseries", "extract", "firstvalue", "floor", "generate_series",
        "generateseries", "greatest", "group_concat", "groupconcat", "hour", "if", "ifnull", "initcap", "is_inf",
        "is_nan", "json_agg", "json_build_object", "json_extract", "json_object", "jsonarrayagg", "jsonextract",
        "jsonextractscalar", "jsonobject", "jsonobjectagg", "lag", "last_value", "lateral", "lead", "least", "left",
        "length", "list_contains", "list_sort", "list_value", "ln", "localtime", "localtimestamp", "log",
        "logical_and", "logical_or", "logicaland", "logicalor", "lower", "ltrim", "make_date", "max", "md5", "median",
        "min", "minute", "mod", "mode", "month", "not", "now", "nullif", "or", "overlay", "percent_rank",
        "percentile_cont", "percentile_disc", "percentilecont", "percentiledisc", "position", "pow", "power",
        "quantile_cont", "quantile_disc", "quarter", "range", "rank", "regexp_full_match", "regexp_like",
        "regexp_matches", "regexp_replace", "regexpilike", "regexplike", "replace", "reverse", "right", "round",
        "row_number", "rownumber", "rtrim", "second", "sign", "split_part", "splitpart", "sqrt", "starts_with",
        "startswith", "stddev", "stddev_pop", "stddev_samp", "stddevpop", "stddevsamp", "str_position", "string_agg",
        "string_split", "string_to_array", "stringtoarray", "strip", "strpos", "strposition", "struct",
        "structextract", "substr", "substring", "sum", "timestamp_trunc", "timestamptrunc", "to_char", "tochar",
        "trim", "trunc", "try_cast", "trycast", "tsordstodate", "tsordstotimestamp", "tstodate", "typeof",
        "unix_to_time", "unnest", "upper", "values", "var_pop", "var_samp", "variance", "variancepop", "week", "xor",
        "year",
    }
)  # fmt: skip
"""Names of functions, and of sqlglot's nodes for them. None reads files or settings, and none makes something long
out of something short."""
