"""The questions of the conformance suite: every example of the page about SQL, and one for each quirk of an engine."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

PAGE = (Path(__file__).parents[2] / "docs" / "sql.md").read_text()

CURVES = (
    *("EXP(", "LN(", "LOG(", "LOG10(", "LOG2(", "POW(", "SIN(", "COS(", "TAN(", "ASIN(", "ACOS(", "ATAN(", "ATAN2("),
    *("RADIANS(", "DEGREES(", "^ "),
)
"""What engines compute with different last bits; a float sum of cells may then lie one grid step off."""


@dataclass(frozen=True)
class Case:
    """A question about a world. `line` is what the page or the list below calls it."""

    world: str
    line: str
    text: str

    @property
    def close(self) -> bool:
        """Say whether results may differ by a grid step for each row: where a curve is added up."""
        return any(word in self.text for word in CURVES)


def cells(part: str) -> list[list[str]]:
    """Return the cells of every line of the tables in a part of the page."""
    heads = ("| | ", "| refused", "| function", "|---")
    found = [line for line in part.splitlines() if line.startswith("| ") and not line.startswith(heads)]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in found]


def examples() -> list[Case]:
    """Return every example of the page, and what it says to write instead of what is refused."""
    asked, functions = PAGE.split("## Functions")
    plain, refused = asked.split("### Refused")
    told = functions.split("### What is refused")[0]
    found = [Case("clinic", line[0], line[1].strip("`")) for line in cells(plain)]
    found += [Case("clinic", f"instead of {line[0]}", line[2].strip("` |")) for line in cells(refused)]
    found += [Case("hospital", line[0], line[1].strip("`")) for line in cells(told)]
    return [Case(each.world, each.line, each.text.replace("$age", "65")) for each in found]


QUIRKS: dict[str, list[str]] = {
    "integer division": [
        "SELECT SUM(CAST(LEAST(GREATEST(big // 7, -50), 50) AS INTEGER)) FROM single",
        "SELECT COUNT(*) FROM readings WHERE big // -3 = -10 OR big // 0 IS NULL",
        "SELECT COUNT(*) FROM readings WHERE (big * big) // 1000003 % 7 = 3",
        "SELECT COUNT(*) FROM readings WHERE big % -7 = 2 OR big % 7 = -2 OR x % 0.3 > 0.1",
    ],
    "integers near 2^63": [
        "SELECT COUNT(*) FROM readings WHERE big + 1 > 9223372036854775807",
        "SELECT COUNT(*) FROM readings WHERE big * 9223372036854775807 > 1e37",
        "SELECT COUNT(*) FROM readings WHERE -big > big AND ABS(big) >= 9223372036854775808",
        "SELECT COUNT(*) FROM readings WHERE CAST(big AS DOUBLE) = 9223372036854775807",
        "SELECT COUNT(*) FROM readings WHERE ROUND(big, -1) = 9223372036854775810 OR ROUND(big, -19) <> 0",
        "SELECT COUNT(DISTINCT big) FROM readings",
        "SELECT word, COUNT(DISTINCT person) FILTER (WHERE big > 5 OR x < 0), MEDIAN(x) FROM readings GROUP BY word",
        "SELECT flag, COUNT(DISTINCT person) FILTER (WHERE big > 5), SUM(x) FROM readings GROUP BY flag",
        "SELECT SUM(DISTINCT big), AVG(DISTINCT big), COUNT(*) FROM readings",
        "SELECT SUM(big) FROM readings",
        "SELECT COUNT(*) FROM readings WHERE big * big * big IS NULL AND big IS NOT NULL",
        "SELECT COUNT(*) FROM readings WHERE big * big + 4 > 0 OR 1 - big * big * 2 < 0",
        "SELECT SUM(big * big * big + 4), COUNT(big * big * 9) FROM readings",
        "SELECT MEDIAN(big), MIN(big), MAX(big) FROM readings",
    ],
    "floats at their edges": [
        "SELECT COUNT(*) FROM readings WHERE x * 10 = x OR x * y > 1e308",
        "SELECT COUNT(*) FROM readings WHERE x * x = 0 AND x <> 0",
        "SELECT COUNT(*) FROM readings WHERE x / y > 1e300 OR x / 0 IS NULL OR x / y = 0",
        "SELECT COUNT(*) FROM readings WHERE x + y = x OR x - y > 1e308",
        "SELECT SUM(x * y), SUM(x + y), SUM(x - y), SUM(x / 3) FROM readings",
        "SELECT SUM(LEAST(GREATEST(x / y, -20), 20)) FROM single WHERE x / y IS NOT NULL",
        "SELECT SUM(x), AVG(y), VARIANCE(x), COUNT(x) FROM readings",
        "SELECT SUM(exact), AVG(exact * 2), COUNT(exact) FROM readings",
        "SELECT CORR(x, y), COVAR_POP(x, exact) FROM readings",
        "SELECT COUNT(*) FROM readings WHERE exact = 12345678901234567890123456789.123456789",
    ],
    "decimals": [
        "SELECT COUNT(*) FROM readings WHERE price <= 0.06 + 0.01 OR price * 100 = 7",
        "SELECT COUNT(*) FROM readings WHERE price BETWEEN 0.06 - 0.01 AND 0.06 + 0.01",
        "SELECT COUNT(*) FROM readings WHERE price IN (0.05, 0.070, 3) OR price = 1.1",
        "SELECT COUNT(*) FROM readings WHERE price = x OR price < big OR exact > price * 0.001",
        "SELECT COUNT(*) FROM readings WHERE price * exact > 0.5 OR exact * exact * exact IS NULL",
        "SELECT COUNT(*) FROM readings WHERE exact + 0.5 > exact AND big * 0.5 > 1.25 AND exact - price <> exact",
        "SELECT COUNT(*) FROM readings WHERE price % 0.03 = 0.01 OR ABS(-price) = 2.5 OR -price = 2.5",
        "SELECT COUNT(*) FROM readings WHERE FLOOR(price) = -3 OR CEIL(price) = -2 OR TRUNC(price) = 49",
        "SELECT COUNT(*) FROM readings WHERE ROUND(price, 1) = 0.1 OR ROUND(price) = -3 OR ROUND(exact, -2) = 100",
        "SELECT COUNT(*) FROM readings WHERE price::INTEGER = -3 OR CAST(price AS BOOLEAN) OR SIGN(price) < 0",
        "SELECT COUNT(*) FROM readings WHERE CAST(x AS DECIMAL(9, 2)) = 2.68 OR CAST(big AS DECIMAL(9, 2)) = 17",
        "SELECT COUNT(*) FROM readings WHERE CAST(word AS DECIMAL(12, 1)) = 2.5 OR CAST(word AS DECIMAL) > 40",
        "SELECT COUNT(*) FROM readings WHERE CAST(exact AS DECIMAL(4, 2)) = 50 OR price / 2 > 0.5 OR SQRT(price) > 1",
        "SELECT COUNT(*) FROM readings WHERE COALESCE(price, 0.5) = GREATEST(price, 1) OR NULLIF(price, 0.07) IS NULL",
        "SELECT SUM(price), AVG(price), VARIANCE(price), MEDIAN(price), MAX(price) FROM readings",
        "SELECT SUM(price * (1 - price / 4)), SUM(price * (1 - price)) FROM readings WHERE price BETWEEN 0 AND 2",
        "SELECT COUNT(DISTINCT price), COUNT(DISTINCT exact), COUNT(price) FROM readings",
        "SELECT word, SUM(DISTINCT price), AVG(DISTINCT exact), COUNT(DISTINCT price) FROM readings GROUP BY word",
        "SELECT price, COUNT(*) FROM readings WHERE price > 0 GROUP BY price",
        "SELECT price, COUNT(*) FROM readings WHERE price IN (0.05, 0.070, 3, 1.1) GROUP BY price",
        "SELECT FLOOR(price / 10), ROUND(price, 1), COUNT(*) FROM single GROUP BY 1, 2",
        "SELECT COUNT(*) FROM (SELECT person, SUM(price) AS s FROM readings GROUP BY person HAVING SUM(price) > 1.17)",
        "SELECT COUNT(*) FROM (SELECT person, AVG(price) AS a, MIN(price) AS m FROM readings GROUP BY person) "
        "WHERE a < 2.5 AND m <= 0.07",
        "SELECT COUNT(*) FROM (SELECT person, SUM(x) AS s FROM readings WHERE x BETWEEN 0 AND 50 GROUP BY person) "
        "WHERE s > 2.675",
        "SELECT COUNT(*) FROM (SELECT price AS p FROM readings UNION ALL SELECT exact FROM readings) WHERE p <= 1.1",
        "SELECT COUNT(*) FROM readings AS a JOIN readings AS b ON a.person = b.person AND a.price = b.exact",
    ],
    "rounding": [
        "SELECT SUM(ROUND(x, 2)), SUM(ROUND(x)), SUM(ROUND(x, -1)) FROM readings",
        "SELECT COUNT(*) FROM readings WHERE ROUND(x, 2) = 2.68 OR ROUND(x, 1) = 0.1 OR ROUND(x) = 3 OR ROUND(x) = -3",
        "SELECT COUNT(*) FROM readings WHERE ROUND(x, 38) = x OR ROUND(x, -38) = 0",
        "SELECT SUM(FLOOR(x)), SUM(CEIL(x)), SUM(TRUNC(x)), SUM(ABS(x)), SUM(SIGN(x)) FROM readings",
        "SELECT COUNT(*) FROM readings WHERE x::INTEGER = 2 OR y::INTEGER = 3 OR CAST(x AS BIGINT) IS NULL",
        "SELECT FLOOR(y * 2) AS bucket, COUNT(*) FROM readings GROUP BY 1",
    ],
    "NaN and -0.0": [
        "SELECT COUNT(*) FROM readings WHERE x > 1e308 AND x <> x + 1",
        "SELECT COUNT(*) FROM readings WHERE x = y OR x IS NOT DISTINCT FROM y",
        "SELECT COUNT(*) FROM readings WHERE GREATEST(x, y) > 1e308 OR LEAST(x, y) < -1e308 OR LEAST(x, y) IS NULL",
        "SELECT COUNT(DISTINCT x) FROM readings",
        "SELECT SUM(DISTINCT x), AVG(DISTINCT y) FILTER (WHERE flag), AVG(DISTINCT x) FROM readings",
        "SELECT SUM(LEAST(GREATEST(s, -9), 9)), COUNT(*) FILTER (WHERE m > 1) FROM (SELECT person, "
        "SUM(DISTINCT x) AS s, AVG(DISTINCT y) AS m FROM readings GROUP BY person) WHERE s IS NOT NULL",
        "SELECT AVG(m) FROM (SELECT person, MAX(x) AS m FROM readings WHERE x < 1e300 GROUP BY person)",
        "SELECT SUM(LEAST(GREATEST(m, -9), 9)) FROM (SELECT person, MIN(x) AS m FROM readings GROUP BY person) "
        "WHERE m IS NOT NULL",
        "SELECT COUNT(*) FROM readings WHERE ATAN2(x, -1) > 0",
        "SELECT COUNT(*) FROM readings WHERE x IN (0, 2.675, 1e308)",
    ],
    "NULL": [
        "SELECT COUNT(*) FROM readings WHERE NOT (flag AND x > 1)",
        "SELECT COUNT(*) FROM readings WHERE flag IS NOT TRUE AND (x > 1) IS NOT FALSE",
        "SELECT COUNT(*) FROM readings WHERE COALESCE(flag, x > 0, TRUE)",
        "SELECT COUNT(*) FROM readings WHERE big NOT IN (1, 2, 30) OR word NOT IN ('north')",
        "SELECT flag, COUNT(*), SUM(y) FROM readings GROUP BY flag",
        "SELECT COUNT(*) FROM readings WHERE LEAST(big, NULL) = 30 OR CASE WHEN flag THEN NULL ELSE 1 END IS NULL",
        "SELECT COUNT(*) FROM readings WHERE NULLIF(word, 'north') IS NULL",
    ],
    "texts": [
        "SELECT COUNT(*) FROM readings WHERE word < other",
        "SELECT COUNT(*) FROM readings WHERE word < 'a' OR word > 'Z' AND word < 'b'",
        "SELECT COUNT(*) FROM readings WHERE UPPER(word) = UPPER(other) AND word <> other",
        "SELECT COUNT(*) FROM readings WHERE LOWER(word) = 'i' OR LOWER(word) LIKE '%i%'",
        "SELECT COUNT(*) FROM readings WHERE LENGTH(word) = 2 OR LENGTH(other) > 100",
        "SELECT SUM(LEAST(STRLEN(word), 20)), COUNT(DISTINCT STRLEN(other)) FROM readings WHERE word IS NOT NULL",
        "SELECT COUNT(DISTINCT SPLIT_PART(word, 'a', 1)), COUNT(DISTINCT SPLIT_PART(other, 'a', -1)) FROM readings",
        "SELECT COUNT(DISTINCT REGEXP_REPLACE(word, '[^a-z]+', '$0', 'g')), COUNT(DISTINCT REGEXP_REPLACE(other, "
        "'.$', '5')) FROM readings",
        "SELECT COUNT(DISTINCT REGEXP_REPLACE(word, '[a-m]{1,2}', '')), COUNT(DISTINCT REGEXP_REPLACE(other, "
        "'\\s', '&', 'g')) FROM readings",
        "SELECT COUNT(DISTINCT REGEXP_REPLACE(other, '^\\W*[a-z]+', '1')), COUNT(DISTINCT REGEXP_REPLACE(word, "
        "'[\u00e9\U0001f600]', 'e')) FROM readings",
        "SELECT COUNT(*) FROM readings WHERE SPLIT_PART(word, ' ', 2) = '' OR SPLIT_PART(other, 'aa', -2) = ''",
        "SELECT SUM(LEAST(LENGTH(word), 20)) FROM readings WHERE word IS NOT NULL",
        "SELECT COUNT(*) FROM readings WHERE REVERSE(word) = word",
        "SELECT COUNT(*) FROM readings WHERE SUBSTRING(word, 0, 2) = 'n' OR SUBSTRING(word, -2) = 'th' "
        "OR SUBSTRING(word, -9, 3) = 'x'",
        "SELECT COUNT(*) FROM readings WHERE SUBSTR(word, big) = 'orth' OR LEFT(word, -1) = 'nort' "
        "OR RIGHT(word, -4) = 'h'",
        "SELECT COUNT(*) FROM readings WHERE STRPOS(word, '') = 1 OR STRPOS(word, other) > 0",
        "SELECT COUNT(*) FROM readings WHERE CONTAINS(word, other) OR STARTS_WITH(word, LEFT(other, 1))",
        "SELECT COUNT(*) FROM readings WHERE TRIM(word) = word AND RTRIM(word, 'h ') <> word",
        "SELECT COUNT(*) FROM readings WHERE LTRIM(word, ' n') = 'orth' OR ENDS_WITH(word, 'h')",
        "SELECT COUNT(*) FROM readings WHERE LPAD(word, 3, '*') = '**a' OR RPAD(word, 2, 'ab') = 'ab'",
        "SELECT COUNT(*) FROM readings WHERE REPLACE(word, 'o', '0') || other = 'n0rthnorth'",
        "SELECT COUNT(*) FROM readings WHERE CONCAT(word, other, CAST(big AS TEXT)) LIKE '%north17'",
        "SELECT COUNT(DISTINCT word), COUNT(DISTINCT other) FROM readings",
        "SELECT other, COUNT(*) FROM readings GROUP BY other",
        "SELECT word, COUNT(*), SUM(x) FROM readings GROUP BY word",
        "SELECT LEFT(word, 1) AS initial, COUNT(*) FROM readings GROUP BY 1",
        "SELECT COUNT(*) FROM readings WHERE word = '${x}' OR other = '${x}'",
    ],
    "texts that are too long": [
        "SELECT COUNT(*), COUNT(other), COUNT(DISTINCT other) FROM readings",
        "SELECT SUM(LEAST(LENGTH(other), 30)) FROM readings WHERE other IS NOT NULL",
        "SELECT COUNT(*), COUNT(DISTINCT word), COUNT(other) FROM named",
        "SELECT COUNT(*), COUNT(DISTINCT word) FROM named WHERE LENGTH(word) > 5",
        "SELECT COUNT(*) FROM single WHERE LENGTH(word) > 300",
    ],
    "LIKE and its escapes": [
        "SELECT COUNT(*) FROM readings WHERE word LIKE '%\\%' OR word LIKE 'a\\b'",
        "SELECT COUNT(*) FROM readings WHERE word LIKE 'a_b'",
        "SELECT COUNT(*) FROM readings WHERE word LIKE 'a!_b' ESCAPE '!' OR word LIKE '!%%' ESCAPE '!'",
        "SELECT COUNT(*) FROM readings WHERE word ILIKE 'NOR%' OR other ILIKE '%\u00c9%'",
        "SELECT COUNT(*) FROM readings WHERE word LIKE '_' OR word LIKE '12_' OR word LIKE ''",
    ],
    "casts of texts": [
        "SELECT COUNT(*) FROM readings WHERE CAST(word AS INTEGER) IS NOT NULL",
        "SELECT COUNT(*) FROM readings WHERE CAST(word AS INTEGER) > 10 OR CAST(other AS INTEGER) < 0",
        "SELECT COUNT(*) FROM readings WHERE CAST(word AS DOUBLE) IS NOT NULL",
        "SELECT COUNT(*) FROM readings WHERE CAST(word AS DOUBLE) < 1 OR CAST(other AS DOUBLE) > 1e30",
        "SELECT COUNT(*) FROM readings WHERE CAST(word AS BOOLEAN)",
        "SELECT COUNT(*) FROM readings WHERE NOT CAST(other AS BOOLEAN)",
        "SELECT COUNT(*) FROM readings WHERE CAST(word AS DATE) IS NOT NULL",
        "SELECT COUNT(*) FROM readings WHERE CAST(word AS TIMESTAMP) > '2020-02-29 12:00:00'",
        "SELECT COUNT(*) FROM readings WHERE CAST(flag AS TEXT) = 'true' OR CAST(day AS TEXT) LIKE '0001%'",
        "SELECT COUNT(*) FROM readings WHERE CAST(CAST(big AS TEXT) AS INTEGER) = big",
        "SELECT COUNT(*) FROM readings WHERE CAST(flag AS INTEGER) + big = 31 OR CAST(big AS BOOLEAN)",
        "SELECT COUNT(*) FROM readings WHERE CAST(x AS BOOLEAN)",
    ],
    "dates and times": [
        "SELECT COUNT(*) FROM readings WHERE EXTRACT(dow FROM day) = 0 OR EXTRACT(isodow FROM day) = 7",
        "SELECT COUNT(*) FROM readings WHERE EXTRACT(week FROM day) = 1 OR EXTRACT(doy FROM at) = 366",
        "SELECT COUNT(*) FROM readings WHERE EXTRACT(second FROM at) = 59 OR EXTRACT(hour FROM at) = 2",
        "SELECT COUNT(*) FROM readings WHERE EXTRACT(quarter FROM at) = 4 AND EXTRACT(year FROM day) < 1900",
        "SELECT EXTRACT(month FROM day) AS m, COUNT(*) FROM readings GROUP BY 1",
        "SELECT DATE_TRUNC('week', day) AS w, COUNT(*) FROM readings GROUP BY 1",
        "SELECT COUNT(*) FROM readings WHERE DATE_TRUNC('quarter', day) = DATE '1970-01-01'",
        "SELECT COUNT(*) FROM readings WHERE DATE_TRUNC('week', day) < DATE '0002-01-01'",
        "SELECT COUNT(*) FROM readings WHERE DATE_TRUNC('second', at) = at OR DATE_TRUNC('hour', at) < '1970-01-01'",
        "SELECT COUNT(*) FROM readings WHERE DATE_DIFF('month', day, DATE '2025-01-31') = 1",
        "SELECT COUNT(*) FROM readings WHERE DATE_DIFF('year', at, day) <> 0 OR DATE_DIFF('hour', at, "
        "TIMESTAMP '1970-01-01 00:30:00') = 1",
        "SELECT COUNT(*) FROM readings WHERE DATE_DIFF('microsecond', at, TIMESTAMP '2025-01-01 00:00:00') > 1e12",
        "SELECT COUNT(*) FROM readings WHERE day + INTERVAL 1 MONTH = DATE '2025-02-28'",
        "SELECT COUNT(*) FROM readings WHERE day - INTERVAL 13 MONTH IS NULL OR day + INTERVAL 4 YEAR IS NULL",
        "SELECT COUNT(*) FROM readings WHERE at + INTERVAL 90 MINUTE < '1970-01-02' OR at - INTERVAL 1 DAY IS NULL",
        "SELECT COUNT(*) FROM readings WHERE LAST_DAY(day) = day OR LAST_DAY(at) = DATE '2024-02-29'",
        "SELECT COUNT(*) FROM readings WHERE day < at OR CAST(at AS DATE) = day",
        "SELECT COUNT(DISTINCT STRFTIME(day, '%Y-%m-%d %y %j')) FROM readings",
        "SELECT COUNT(DISTINCT STRFTIME(at, '%H:%M:%S')) FROM readings",
        "SELECT STRFTIME(day, '%a %b') AS d, COUNT(*) FROM readings GROUP BY 1",
        "SELECT DAYNAME(at) AS d, COUNT(*) FROM readings GROUP BY 1",
        "SELECT COUNT(DISTINCT STRPTIME(STRFTIME(at, '%d.%m.%Y %S:%M:%H'), '%d.%m.%Y %S:%M:%H')) FROM readings",
        "SELECT COUNT(*) FROM readings WHERE STRPTIME(word, '%Y-%m-%d') IS NULL AND STRPTIME(other, '%y') IS NULL",
        "SELECT COUNT(DISTINCT MAKE_DATE(EXTRACT(year FROM day), 2, EXTRACT(day FROM day))) FROM readings",
        "SELECT COUNT(*) FROM readings WHERE MAKE_DATE(big, big, 1) IS NULL OR MAKE_DATE(2024, 2, big) IS NULL",
        "SELECT COUNT(*) FROM readings WHERE day - DATE '1970-01-01' < 0 OR day + 30 > DATE '9999-12-31'",
        "SELECT AVG(DATE_DIFF('day', day, DATE '2025-03-01')) FROM readings",
        "SELECT COUNT(*) FROM readings WHERE day + big IS NULL OR day - big IS NULL",
        "SELECT COUNT(DISTINCT day + CAST(y AS INTEGER)), COUNT(DISTINCT day - LENGTH(word)) FROM readings",
        "SELECT MIN(day), MAX(day), MAX(CASE WHEN x > 0 THEN TIMESTAMP '1969-12-31 23:59:59' ELSE TIMESTAMP "
        "'2025-01-01 00:00:01' END) FROM readings",
        "SELECT day, COUNT(*) FROM readings GROUP BY day",
        "SELECT at, COUNT(*) FROM readings GROUP BY at",
    ],
    "curves": [
        "SELECT SUM(SQRT(y)) FROM readings",
        "SELECT SUM(EXP(y)), SUM(LN(y + 1)), SUM(LOG10(y + 1)) FROM readings",
        "SELECT SUM(SIN(x)), SUM(COS(x)), SUM(ATAN(x)) FROM readings",
        "SELECT SUM(LEAST(GREATEST(POW(y, 3), 0), 400)) FROM single WHERE POW(y, 3) IS NOT NULL",
        "SELECT COUNT(*) FROM readings WHERE SQRT(x) = 1.5 OR SQRT(x) IS NULL",
        "SELECT COUNT(*) FROM readings WHERE EXP(x) IS NULL OR LN(x) IS NULL OR POW(x, y) IS NULL OR TAN(x) IS NULL",
        "SELECT COUNT(*) FROM readings WHERE ASIN(x) IS NULL OR RADIANS(x) IS NULL OR DEGREES(x) IS NULL",
        "SELECT COUNT(*) FROM readings WHERE ACOS(x) IS NULL OR LOG2(x) IS NULL OR LOG(x) IS NULL",
        "SELECT WIDTH_BUCKET(x, 0, 100, 7) AS b, COUNT(*) FROM readings GROUP BY 1",
    ],
    "what a unit keeps": [
        "SELECT flag, word, COUNT(*), COUNT(DISTINCT person), SUM(x), SUM(big) FROM readings GROUP BY flag, word",
        "SELECT other, COUNT(*), SUM(x) FROM readings GROUP BY other",
        "SELECT word, MEDIAN(x), COUNT(*) FROM readings GROUP BY word",
        "SELECT other, day, COUNT(*) FROM readings GROUP BY other, day",
        "SELECT COUNT(*), SUM(x) FROM named",
        "SELECT other, COUNT(*), COUNT(DISTINCT word), SUM(x) FROM named GROUP BY other",
        "SELECT flag, COUNT(*), SUM(x), COUNT(DISTINCT exact) FROM decimals GROUP BY flag",
        "SELECT MEDIAN(x), COUNT(DISTINCT other) FROM decimals",
        "SELECT QUANTILE_CONT(x, 0.1), QUANTILE_CONT(x, 0.5), QUANTILE_CONT(x, 0.9) FROM readings",
        "SELECT word, COUNT(*) FROM readings GROUP BY ROLLUP (word)",
        "SELECT flag, word, COUNT(*), SUM(y) FROM readings GROUP BY GROUPING SETS ((flag), (word), (flag, word), ())",
        "SELECT COUNT(*) FROM readings a JOIN readings b ON a.person = b.person AND a.word = b.word",
        "SELECT SUM(a.x) FROM readings a JOIN nobody b USING (person)",
        "SELECT COUNT(*) FROM readings a LEFT JOIN nobody b USING (person) WHERE b.x IS NULL",
    ],
    "inside one unit": [
        "SELECT word, COUNT(*), SUM(x) FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY person ORDER BY flag) AS r "
        "FROM readings) WHERE r <= 2 GROUP BY word",
        "SELECT r, COUNT(*), SUM(y) FROM (SELECT y, ROW_NUMBER() OVER (PARTITION BY person ORDER BY x DESC, "
        "word NULLS FIRST) AS r FROM readings) GROUP BY r",
        "SELECT COUNT(*) FILTER (WHERE r = 1), SUM(d), SUM(e) FROM (SELECT RANK() OVER (PARTITION BY person "
        "ORDER BY x) AS r, DENSE_RANK() OVER (PARTITION BY person ORDER BY other DESC NULLS FIRST) AS d, RANK() OVER "
        "(PARTITION BY person, flag ORDER BY day, price DESC) AS e FROM readings)",
        "SELECT AVG(n) FROM (SELECT person, COUNT(*) AS n FROM readings GROUP BY person)",
        "SELECT SUM(s) FROM (SELECT person, SUM(x) AS s, COUNT(x) AS n FROM readings GROUP BY person) WHERE n > 1",
        "SELECT SUM(LEAST(GREATEST(m, 0), 50)) FROM (SELECT person, AVG(x) AS m FROM readings GROUP BY person) "
        "WHERE m IS NOT NULL",
        "SELECT COUNT(*) FROM (SELECT person, SUM(big) AS s FROM readings GROUP BY person) WHERE s > 1000",
        "SELECT word, AVG(n) FROM (SELECT person, word, COUNT(DISTINCT other) AS n FROM readings "
        "GROUP BY person, word) GROUP BY word",
        "SELECT COUNT(*) FROM (SELECT person, MIN(word) AS a, MAX(day) AS b FROM readings GROUP BY person) "
        "WHERE a < 'b' AND b > DATE '2025-01-01'",
        "SELECT COUNT(*) FROM readings WHERE person IN (SELECT person FROM readings WHERE flag AND x > 3)",
        "SELECT COUNT(*) FROM readings WHERE person NOT IN (SELECT person FROM readings WHERE word = 'icu')",
        "SELECT COUNT(*) FROM readings r WHERE NOT EXISTS (SELECT 1 FROM nobody n WHERE n.person = r.person)",
        "SELECT COUNT(*) FROM readings r WHERE EXISTS (SELECT 1 FROM readings n WHERE n.person = r.person "
        "AND n.word = r.word AND n.flag)",
        "SELECT COUNT(*), SUM(x) FROM readings r WHERE NOT EXISTS (SELECT 1 FROM readings n WHERE n.person = r.person "
        "AND n.day = r.day AND n.big = r.big + 1)",
        "SELECT COUNT(*), SUM(v) FROM (SELECT person, x AS v FROM readings UNION ALL SELECT person, y FROM readings)",
    ],
    "public tables": [
        "SELECT code, COUNT(*) FROM readings JOIN codes USING (word) GROUP BY code",
        "SELECT COUNT(*) FROM readings LEFT JOIN codes USING (word) WHERE weight IS NULL OR weight > 1",
        "SELECT SUM(code) FROM readings JOIN codes ON readings.word = codes.word WHERE code < 100",
        "SELECT since, COUNT(*) FROM readings JOIN codes USING (word) GROUP BY since",
        "SELECT COUNT(*) FROM single JOIN codes USING (word)",
    ],
    "keys that follow conditions": [
        "SELECT word, COUNT(*), SUM(x) FROM readings WHERE word IN ('north', '', '%_\\', 'it''s', 'x') GROUP BY word",
        "SELECT other, COUNT(*) FROM readings WHERE other IN ('', ' ', '\u00e9', 'e\u0301', '${x}') GROUP BY other",
        "SELECT CASE WHEN other IN ('a%b', 'a', '\u00c9COLE') THEN other ELSE 'rest' END AS o, COUNT(*), SUM(y) "
        "FROM readings GROUP BY o",
        "SELECT big, COUNT(*) FROM readings WHERE big > 60 AND big % 2 = 0 AND big <> 64 GROUP BY big",
        "SELECT day, COUNT(*) FROM readings WHERE day > DATE '2024-12-29' AND day < DATE '2024-12-29' + 7 GROUP BY day",
        "SELECT EXTRACT(year FROM day) AS yr, EXTRACT(month FROM day) AS mo, COUNT(*), MEDIAN(x) FROM readings "
        "GROUP BY yr, mo",
        "SELECT word, code, since, COUNT(*), SUM(x) FROM readings JOIN codes USING (word) GROUP BY word, code, since",
        "SELECT code, flag, since, COUNT(*) FROM readings LEFT JOIN codes USING (word) WHERE code > 1 "
        "GROUP BY CUBE (code, flag, since)",
        "SELECT word, other, code, COUNT(*) FROM readings JOIN codes USING (word) GROUP BY word, other, code",
        "SELECT last - first AS d, COUNT(*) FROM (SELECT person, MIN(day) AS first, MAX(day) AS last FROM readings "
        "WHERE day > DATE '2025-01-01' GROUP BY person) GROUP BY d",
    ],
    "empty tables and groups": [
        "SELECT COUNT(*), SUM(x), COUNT(DISTINCT person) FROM nobody",
        "SELECT word, COUNT(*), MEDIAN(x) FROM nobody GROUP BY word",
        "SELECT other, COUNT(*) FROM nobody GROUP BY other",
        "SELECT word, COUNT(*), SUM(x) FROM readings WHERE x > 1e300 AND x < -1e300 GROUP BY word",
        "SELECT COUNT(DISTINCT other) FROM nobody",
    ],
}
"""Questions about the readings, by what engines are known to do differently."""


PATHS: dict[str, list[str]] = {
    "keys and paths": [
        "SELECT COUNT(*), SUM(quantity), COUNT(DISTINCT custkey) FROM lineitem",
        "SELECT flag, COUNT(*), SUM(quantity) FROM lineitem GROUP BY flag",
        "SELECT COUNT(*), SUM(weight) FROM shipment",
        "SELECT COUNT(*), SUM(quantity), SUM(total) FROM lineitem JOIN orders USING (orderkey)",
        "SELECT status, COUNT(*), SUM(quantity) FROM orders LEFT JOIN lineitem USING (orderkey) GROUP BY status",
        "SELECT segment, COUNT(*), SUM(total) FROM lineitem JOIN orders USING (orderkey) JOIN customer USING (custkey) "
        "GROUP BY segment",
        "SELECT COUNT(*), SUM(weight), SUM(quantity) FROM shipment JOIN lineitem USING (orderkey, line)",
        "SELECT COUNT(*), SUM(LEAST(GREATEST(n, 0), 30)) FROM orders o JOIN (SELECT custkey, orderkey, COUNT(*) AS n "
        "FROM lineitem GROUP BY custkey, orderkey) g ON o.custkey = g.custkey AND o.orderkey = g.orderkey",
        "SELECT COUNT(*) FROM orders WHERE custkey NOT IN (SELECT custkey FROM lineitem WHERE quantity > 40)",
    ],
    "odd keys": [
        "SELECT COUNT(*), SUM(weight), COUNT(DISTINCT person) FROM parcels",
        "SELECT COUNT(*), SUM(weight), COUNT(DISTINCT person) FROM bills",
        "SELECT COUNT(*), COUNT(b.day) FROM parcels JOIN labels b USING (code)",
        "SELECT COUNT(*), COUNT(b.day) FROM bills JOIN labels b USING (price, day)",
        "SELECT COUNT(*), COUNT(a.day), COUNT(b.day) FROM labels a JOIN labels b USING (person, price)",
    ],
}
"""Questions about the shop, whose items reach their customers through orders."""


def cases() -> list[Case]:
    """Return all questions."""
    found = [*examples(), *(Case("readings", line, text) for line, texts in QUIRKS.items() for text in texts)]
    return [*found, *(Case("shop", line, text) for line, texts in PATHS.items() for text in texts)]


CONDITION = re.compile(r"SELECT COUNT\(\*\) FROM (\w+) WHERE ((?!.*\b(?:SELECT|GROUP BY|JOIN)\b).*)")


def together(cases: list[Case], most: int) -> list[Case]:
    """Return the same questions in fewer: up to `most` counts under a condition are asked beside one another.

    Spark takes about a second for a question, however small.
    """
    counted: dict[tuple[str, str, bool], list[tuple[str, str]]] = {}
    rest = []
    for case in cases:
        found = CONDITION.fullmatch(case.text)
        if found is None:
            rest.append(case)
        else:
            counted.setdefault((case.world, found[1], case.close), []).append((case.line, found[2]))
    for (world, table, _), each in counted.items():
        for part in (each[at : at + most] for at in range(0, len(each), most)):
            counts = ", ".join(f"COUNT(*) FILTER (WHERE {condition})" for _, condition in part)
            rest.append(
                Case(world, "; ".join(dict.fromkeys(line for line, _ in part)), f"SELECT {counts} FROM {table}")
            )
    return rest
