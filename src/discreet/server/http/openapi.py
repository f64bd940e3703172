"""The paths for programs in the words of OpenAPI: what is sent, what comes back, and what errors mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

NUMBER = {"type": ["string", "number"], "description": "an exact decimal, such as 0.1"}
COUNT = {"type": "integer", "minimum": 1}
FLAG = {"type": "boolean"}
COMMON: dict[str, Any] = {
    "epsilon": {**NUMBER, "description": "the price; one of epsilon, rho and within, and there is no default"},
    "rho": {**NUMBER, "description": "the price in zero-concentrated differential privacy"},
    "params": {"type": "object", "description": "values of $name in the text"},
    "fresh": {**FLAG, "description": "pay for new noise; needs a key"},
    "key": {"type": "string", "description": "under one key an analyst pays once; also the header Idempotency-Key"},
    "max_rows": COUNT,
    "max_groups": COUNT,
    "max_rows_per_group": COUNT,
}
INTERVALS: dict[str, Any] = {"confidence": {"type": "number"}, "simultaneous": FLAG}
QUESTION: dict[str, Any] = {
    "sql": {"type": "string"},
    **COMMON,
    **INTERVALS,
    "within": {"type": "object", "description": "errors wanted, by column"},
    "clamping": FLAG,
    "left_out": {
        "type": ["string", "integer"],
        "description": "count what limits leave out: units, or the most rows of each unit that are counted",
    },
    "keys": {"type": "array", "description": "the keys to ask for"},
    "key_delta": NUMBER,
}
CHOICE: dict[str, Any] = {
    "score": {"type": "string", "description": "one COUNT or SUM in which $candidate stands"},
    "candidates": {"description": 'a list of values, or {"lower": 0, "upper": 100, "step": 1}'},
    **COMMON,
    **INTERVALS,
    "within": {"type": "number"},
    "table": {"type": "string"},
    "largest": FLAG,
    "count": COUNT,
}
BOUNDS: dict[str, Any] = {"column": {"type": "string"}, "epsilon": NUMBER, **INTERVALS}
ERRORS = {
    400: "not answered: the message says what to write instead; nothing was charged",
    401: "no valid token",
    402: "does not fit into what is left; `fits` is the largest amount that does",
    403: "asking is suspended, until the owner has seen to what failed",
    429: "too much at once; Retry-After says when to try again",
    500: "failed after its charge; the charge stays",
    503: "not done yet, or the server cannot: asking again is not charged again",
}


@dataclass(frozen=True, slots=True)
class PathFacts:
    """One path: how it is called, what it does, what is sent, and whether it is paid for."""

    method: str
    path: str
    words: str
    sent: dict[str, Any] | None = None
    needed: tuple[str, ...] = ()
    paid: bool = False
    formats: bool = False


PATHS = (
    PathFacts("GET", "/health", "Says that the server lives. Needs no token."),
    PathFacts("GET", "/v1/tables", "What is public about the tables that you may name."),
    PathFacts("POST", "/v1/explain", "What a question would give and cost: free.", QUESTION, ("sql",)),
    PathFacts("POST", "/v1/ask", "Answers a question.", QUESTION, ("sql",), paid=True, formats=True),
    PathFacts("POST", "/v1/choose/explain", "What a choice would cost: free.", CHOICE, ("score", "candidates")),
    PathFacts("POST", "/v1/choose", "Chooses among candidates.", CHOICE, ("score", "candidates"), True, True),
    PathFacts("POST", "/v1/bounds", "Finds bounds of a column.", BOUNDS, ("column", "epsilon"), True, True),
    PathFacts("GET", "/v1/budget", "What is spent and left of your own cap."),
    PathFacts("GET", "/v1/ledger", "What you have paid for, in numbers of your own."),
    PathFacts("GET", "/v1/receipts/{number}", "One of these entries."),
)


def describe_api() -> dict[str, Any]:
    """Return the whole description, as OpenAPI 3.1 has it."""
    return {
        "openapi": "3.1.0",
        "info": {"title": "discreet", "version": "1", "description": "Private answers, paid from one durable budget."},
        "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
        "security": [{"token": []}],
        "paths": {each.path: {each.method.lower(): _describe(each)} for each in PATHS},
    }


def _describe(facts: PathFacts) -> dict[str, Any]:
    told: dict[str, Any] = {"summary": facts.words, "responses": {"200": {"description": "done"}}}
    if facts.path == "/health":
        told["security"] = []
        return told
    told["responses"] |= {str(status): {"description": words} for status, words in ERRORS.items()}
    parameters: list[dict[str, Any]] = []
    if "{number}" in facts.path:
        parameters.append({"name": "number", "in": "path", "required": True, "schema": COUNT})
    if facts.formats:
        parameters.append({"name": "format", "in": "query", "schema": {"enum": ["json", "csv", "arrow"]}})
    if parameters:
        told["parameters"] = parameters
    if facts.sent is not None:
        schema = {"type": "object", "properties": facts.sent, "required": list(facts.needed)}
        told["requestBody"] = {"required": True, "content": {"application/json": {"schema": schema}}}
    return told
