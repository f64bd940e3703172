"""Why a piece of SQL is not answered, and what to write instead."""

from __future__ import annotations

import difflib

from sqlglot import exp

from discreet.base.errors import QueryError
from discreet.plan.functions import FUNCTIONS
from discreet.query.parse import quote_sql

VOLATILE = "its value changes from one moment to the next; write a constant, or use a parameter such as $today"
REGEX = "instead of regular expressions use LIKE, CONTAINS, STARTS_WITH or ENDS_WITH, or compare REGEXP_REPLACE(x, ...)"
UNBOUNDED = "its text could be of any length; write the text, or use LPAD or RPAD with a constant length"
NESTED = "instead of lists, structs, maps and JSON declare plain columns"
PARTS = "unnest(string_split(x, ',')[1:5]) AS part"
PIECES = (
    "texts do not become lists; write SPLIT_PART(x, ',', 1) for one part, CONTAINS(',' || x || ',', ',a,') for 'a' in "
    f"it, or a column {PARTS}"
)
FROM_PARTS = "write MAKE_DATE(year, month, day), or a constant such as TIMESTAMP '2026-03-01 12:00:00'"
FORMAT = "formats are DuckDB's: write STRFTIME(x, '%Y-%m') or STRPTIME(x, '%Y-%m-%d')"
HASHES = "instead of hashes compare the values themselves"
SUBQUERY = (
    "a subquery in place of a value is not answered here; ask the inner question by itself and write its number here, "
    "or JOIN (SELECT unit, AVG(x) AS m ... GROUP BY unit)"
)

REWRITES: dict[type[exp.Expression], str] = {
    exp.Subquery: SUBQUERY,
    exp.Exists: SUBQUERY,
    exp.Window: "window functions look at other people's rows; use GROUP BY",
    exp.Filter: "FILTER stands after an aggregate only; put the condition into WHERE",
    exp.IgnoreNulls: "values of single rows are not released; use an aggregate such as COUNT, MIN or MAX",
    exp.Star: "rows are not released; name an aggregate such as COUNT(*)",
    exp.Try: "every function here gives NULL where it has no value; leave TRY out",
    exp.SimilarTo: REGEX,
    exp.Array: NESTED,
    exp.Bracket: NESTED,
    exp.Struct: NESTED,
    exp.Lambda: NESTED,
    exp.Explode: f"unnest is a column of a SELECT, as in FROM (SELECT {PARTS} FROM ...)",
    exp.Collate: "instead of collations compare LOWER(x) or UPPER(x)",
    exp.Interval: "an interval stands beside a date, as in seen + INTERVAL 3 DAY",
    exp.AtTimeZone: "all times are in UTC; leave AT TIME ZONE out",
    exp.Tuple: "rows are not compared; compare each column and join the conditions with AND",
}

_BY_REASON = {
    VOLATILE: "rand random now today currentdate currenttime currenttimestamp localtime localtimestamp getdate uuid"
    " get_current_time currentdatetime transaction_timestamp gen_random_uuid uuidv4 uuidv7 nextval currval setseed"
    " txid_current current_user currentuser session_user current_date current_time current_timestamp version"
    " get_current_timestamp sessionuser current_schema currentschema current_database currentdatabase"
    " current_setting getvariable pg_backend_pid",
    REGEX: "regexplike regexp_like regexp_matches regexp_full_match regexpfullmatch regexpextract regexp_extract glob"
    " regexpilike regexpsplit regexp_extract_all regexpextractall regexpcount"
    " regexp_split_to_array similar_to",
    UNBOUNDED: "repeat space format printf bar string_agg listagg group_concat",
    FORMAT: "date_format to_char tochar to_date to_timestamp",
    HASHES: "md5 md5digest hash sha sha1 sha2 sha256 standardhash md5_number",
    "write AVG(x)": "mean average",
    "use DATE_TRUNC('day', x), or another unit": "datebin date_bin time_bucket",
    "ask `discreet robust interquartile-range`, or QUANTILE_CONT(x, 0.75) - QUANTILE_CONT(x, 0.25)": "mad iqr",
    "ask `discreet robust trimmed-mean`": "trimmed_mean trimmedmean trim_mean",
    NESTED: "transform list_transform list_filter arrayfilter list_value struct_pack row map tomap jsonextract"
    " jsonextractscalar json_extract unnest",
    PIECES: "split string_split str_split string_to_array string_split_regex list_contains list_has array_contains"
    " array_has arraycontains",
    FROM_PARTS: "timestampfromparts make_timestamp make_time",
}
NAMES = {name: reason for reason, names in _BY_REASON.items() for name in names.split()}
"""Functions by their names in lower case, as DuckDB has them or as sqlglot does."""

_OTHERS = (
    "strftime strptime monthname dayname make_date"
    " ifnull if iif ceiling log power pi substr prefix suffix instr position ilike date_part datediff datetrunc year"
    " quarter month week day hour minute second dayofweek isodow dayofyear mod char_length lcase ucase cast"
    " try_cast count sum avg min max median quantile stddev variance"
)
KNOWN = sorted(
    {row.word.lower() for row in FUNCTIONS.values() if row.word.replace("_", "").isalpha()} | set(_OTHERS.split())
)
"""Names that an unknown one may have been meant to be."""

SHAPE = (
    "robust.bootstrap_interval in Python tells any function of means, such as of x, x * x and x * x * x; the middle of "
    "heavy tails has `discreet robust trimmed-mean` and `discreet robust interquartile-range`"
)
ALLOWED = "COUNT, SUM, AVG, MIN, MAX, VARIANCE, STDDEV, MEDIAN, QUANTILE_CONT, CORR and COVAR_POP are"
BEST_KEY = (
    "write SELECT key ... GROUP BY key ORDER BY SUM(x) DESC LIMIT 1, or ARG_MAX(key, score) FROM (SELECT key, "
    "SUM(x) AS score ... GROUP BY key)"
)
LINE = "over rows that have both; `discreet robust regression` has intervals for a population"
AGGREGATES: dict[type[exp.Expression], str] = {
    exp.RegrSlope: f"for REGR_SLOPE(y, x) write COVAR_POP(y, x) / VAR_POP(x) {LINE}",
    exp.RegrIntercept: f"write AVG(y) - COVAR_POP(y, x) / VAR_POP(x) * AVG(x) {LINE}",
    exp.RegrR2: f"write CORR(y, x) * CORR(y, x) {LINE}",
    exp.RegrCount: "write COUNT(*) FILTER (WHERE y IS NOT NULL AND x IS NOT NULL)",
    exp.Kurtosis: SHAPE,
    exp.Skewness: SHAPE,
    exp.CountIf: "write COUNT(*) FILTER (WHERE ...)",
    exp.LogicalOr: "write COUNT(*) FILTER (WHERE ...) and compare it with 0",
    exp.LogicalAnd: "write COUNT(*) FILTER (WHERE NOT ...) and compare it with 0",
    exp.ApproxDistinct: "write COUNT(DISTINCT x)",
    exp.ApproxQuantile: "write QUANTILE_CONT(x, q)",
    exp.Mode: "it chooses among all rows: write it in the outermost SELECT",
    exp.ArgMax: BEST_KEY,
    exp.ArgMin: BEST_KEY,
    exp.Grouping: "it stands beside the GROUP BY of a whole question",
}
"""What to write instead of aggregates that are not answered."""


def explain_refused_aggregate(node: exp.Expression) -> QueryError:
    """Return the refusal of an aggregate that is not answered, with what to write instead."""
    return QueryError(f"{quote_sql(node)}: this aggregate is not answered; {AGGREGATES.get(type(node), ALLOWED)}")


def explain_refusal(node: exp.Expression) -> QueryError:
    """Return the refusal of a node that is not answered, with what to write instead."""
    if isinstance(node, exp.Bracket) and isinstance(node.this, exp.Split):
        node = node.this
    reason = REWRITES.get(type(node))
    if reason is None and isinstance(node, exp.Func):
        written = name_function(node)
        reason = NAMES.get(written) or NAMES.get(type(node).__name__.lower()) or _unknown(written)
    if reason is not None and "answered" not in reason:
        reason = f"this is not answered; {reason}"
    if reason is None:
        listed = ", ".join(sorted({row.word for row in FUNCTIONS.values()}))
        reason = f"this is not answered; these are: {listed}"
    return QueryError(f"{quote_sql(node)}: {reason}")


def name_function(node: exp.Func) -> str:
    """Return a function's name in lower case as it is written, which is not always what sqlglot calls it."""
    if isinstance(node, exp.Anonymous):
        return str(node.name).lower()
    head, bracket, _ = quote_sql(node).lstrip("`").partition("(")
    plain = bracket and head.replace("_", "").isalnum() and head.lower() not in KNOWN
    return head.lower() if plain else type(node).__name__.lower()


def _unknown(name: str) -> str:
    near = difflib.get_close_matches(name, KNOWN, 3)
    hint = f"did you mean {' or '.join(each.upper() for each in near)}?" if near else "docs/sql.md lists those that are"
    return f"the function {name.upper()} is not answered; {hint}"
