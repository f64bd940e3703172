"""Ibis expressions as questions: their own SQL is taken, so they mean and cost what it does."""

from __future__ import annotations

from discreet.base.errors import QueryError


def to_sql(question: object) -> str:
    """Return a question's text; ibis itself is imported only where one of its expressions was given."""
    if isinstance(question, str):
        return question
    if type(question).__module__.partition(".")[0] != "ibis":
        raise QueryError(f"a question is SQL text or an Ibis expression, not {type(question).__name__}")
    import ibis

    try:
        return str(ibis.to_sql(question, dialect="duckdb"))
    except Exception as trouble:
        raise QueryError(f"Ibis cannot write this expression as SQL ({type(trouble).__name__}); write SQL") from None
