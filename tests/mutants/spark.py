"""The rules of questions on Spark, each broken once."""

from __future__ import annotations

from mutants.mutant import broken

SETTINGS, SESSION, SOURCES, JOBS, LITERALS, DIALECT, DIVISION, ROUNDING, MATH, TEXT, TIME = (
    f"engines/spark/{name}.py"
    for name in (
        "settings",
        "session",
        "sources",
        "jobs",
        "literals",
        "dialect",
        "division",
        "rounding",
        "forms_math",
        "forms_text",
        "forms_time",
    )
)
TESTS = "tests/engines/spark"
FORMS = f"{TESTS}/test_forms.py::test_every_form_gives_what_duckdbs_gives"

MUTATIONS = [
    broken(
        "spark: the statistics of files decide which NaN is seen",
        SETTINGS,
        '"spark.sql.parquet.filterPushdown": "false"',
        '"spark.sql.parquet.filterPushdown": "true"',
        f"{TESTS}/test_sources.py::test_rows_are_not_skipped_by_what_files_say_of_their_numbers",
    ),
    broken(
        "spark: files that cannot be read are left out in silence",
        SETTINGS,
        '"spark.sql.files.ignoreCorruptFiles": "false"',
        '"spark.sql.files.ignoreCorruptFiles": "true"',
        f"{TESTS}/test_sources.py::test_a_file_that_cannot_be_read_is_an_error_and_not_left_out",
    ),
    broken(
        "spark: what does not fit wraps around",
        SETTINGS,
        '"spark.sql.ansi.enabled": "true"',
        '"spark.sql.ansi.enabled": "false"',
        f"{TESTS}/test_session.py::test_what_does_not_fit_is_an_error_and_never_another_value",
    ),
    broken(
        "spark: variables are put into names",
        SETTINGS,
        '"spark.sql.variable.substitute": "false"',
        '"spark.sql.variable.substitute": "true"',
        f"{TESTS}/test_literals.py::test_every_name_names_itself",
    ),
    broken(
        "spark: an owner may set what results rest on",
        SETTINGS,
        "return name not in REQUIRED and name != UNLIMITED and (",
        "return name in REQUIRED or name != UNLIMITED or (",
        f"{TESTS}/test_settings.py",
    ),
    broken(
        "spark: who is there changes how a statement runs",
        SETTINGS,
        '"spark.sql.adaptive.enabled": "false"',
        '"spark.sql.adaptive.enabled": "true"',
        f"{TESTS}/test_session.py::test_how_a_statement_runs_does_not_change_with_the_rows_that_it_meets",
    ),
    broken(
        "spark: what a cluster sets for all stays set",
        SESSION,
        "            session.conf.unset(name)\n",
        "            pass\n",
        f"{TESTS}/test_session.py::test_what_a_cluster_sets_for_all_is_put_back_to_the_default",
    ),
    broken(
        "spark: the settings are those of whoever else is there",
        SESSION,
        "SparkSession(context).newSession()",
        "SparkSession(context)",
        f"{TESTS}/test_session.py::test_what_others_set_in_the_same_spark_changes_nothing_here",
    ),
    broken(
        "spark: closing one session stops all",
        SESSION,
        "            if not _SHARED[id(self.context)]:\n",
        "            if True:\n",
        f"{TESTS}/test_session.py::test_closing_one_of_several_sessions_stops_nothing",
    ),
    broken(
        "spark: a constant may hold a variable",
        LITERALS,
        'string.digits + " ")',
        'string.digits + " ${}")',
        f"{TESTS}/test_literals.py::test_no_letter_in_a_constant_means_anything_to_spark",
    ),
    broken(
        "spark: a name in which Hadoop puts other words is a column",
        SOURCES,
        'None if "${" in name else _type(kind)',
        "_type(kind)",
        f"{TESTS}/test_sources.py::test_a_name_in_which_hadoop_puts_other_words_is_no_column",
    ),
    broken(
        "spark: one decimal is two units by the zeros at its end",
        SOURCES,
        "THEN {short} ELSE {written} END)",
        "THEN {written} ELSE {written} END)",
        f"{TESTS}/test_sources.py::test_units_that_are_decimals_are_texts_without_zeros_at_their_ends",
    ),
    broken(
        "spark: a cancelled run goes on",
        JOBS,
        "            self._context.cancelJobsWithTag(self.tag)\n",
        "            pass\n",
        f"{TESTS}/test_engine.py::test_a_cancelled_run_has_no_jobs_any_more_and_no_result",
    ),
    broken(
        "spark: long quotients are not split",
        DIVISION,
        "    if bits <= SHORT_BITS:\n",
        "    if True:\n",
        f"{TESTS}/test_division.py",
    ),
    broken(
        "spark: -0.0 is told as 0.0",
        DIALECT,
        "(CASE WHEN startswith({written}, '-') THEN",
        "(CASE WHEN FALSE THEN",
        f"{TESTS}/test_dialect.py::test_values_are_told_letter_by_letter_as_duckdb_tells_them",
    ),
    broken(
        "spark: halves are rounded to even",
        ROUNDING,
        "{x} - rint({x}) = 0.5D THEN rint({x}) + 1",
        "{x} - rint({x}) = 0.5D THEN rint({x})",
        f"{TESTS}/test_rounding.py::test_floats_go_where_duckdb_puts_them",
    ),
    broken(
        "spark: 2^63 is the whole number before it",
        MATH,
        "number(Fraction(2**63 - 1024))",
        "number(Fraction(2**63))",
        FORMS,
    ),
    broken("spark: a number may end in a line break", MATH, '([+-]?[0-9]+) *\\z"', '([+-]?[0-9]+) *$"', FORMS),
    broken("spark: 1 to the power of NaN is NaN", MATH, "({x} = 1 OR", "(FALSE OR", FORMS),
    broken("spark: position 0 is position 1", TEXT, "(CASE WHEN {p} = 0 THEN 1 ELSE 0 END)", "0", FORMS),
    broken("spark: Sunday is day 1", TIME, '"(dayofweek({}) - 1)"', '"dayofweek({})"', FORMS),
    broken(
        "spark: what it says of rows is written beside being raised",
        "engines/spark/running.py",
        "    with session.unheard():\n        return session",
        "    if session:\n        return session",
        f"{TESTS}/test_engine.py",
    ),
    broken(
        "spark: a text is as long as it likes",
        "engines/spark/sources.py",
        "CASE WHEN char_length({value}) <= {most} THEN {value} END COLLATE",
        "{value} COLLATE",
        "tests/conformance/test_long_texts.py",
    ),
    broken(
        "spark: a public table that is gone is told in Java's words",
        "engines/spark/engine.py",
        "            raise explain_unreadable(table) from None",
        "            raise",
        f"{TESTS}/test_engine.py",
    ),
    broken(
        "a table that is gone costs a charge",
        "curator/session.py",
        "                shared.engines.ready(plan)\n",
        "                pass\n",
        "tests/curator/test_ready.py",
    ),
]
