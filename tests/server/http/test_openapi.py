"""The description of the paths says what the paths take, no more and no less."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields
from typing import Any, cast

import pytest

from discreet.server.http import api
from discreet.server.http.openapi import BOUNDS, CHOICE, ERRORS, PATHS, QUESTION, describe_api
from discreet.server.questions import Asked, AskedBounds, AskedChoice
from support.serving import Served, make_served_clinic, serving


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(*make_served_clinic(tmp_path_factory.mktemp("clinic"))) as running:
        yield running


def test_every_path_is_described_and_no_other() -> None:
    routes = api.list_routes(cast("Any", None))
    found = {(min((route.methods or set()) - {"HEAD"}), route.path.replace(":int", "")) for route in routes}
    assert {(each.method, each.path) for each in PATHS} == found


@pytest.mark.parametrize(("described", "asked"), [(QUESTION, Asked), (CHOICE, AskedChoice), (BOUNDS, AskedBounds)])
def test_everything_that_may_be_sent_is_described(described: dict[str, Any], asked: type) -> None:
    names = {each.name for each in fields(asked)} - {"span"}
    assert set(described) == names


def test_every_status_is_described() -> None:
    assert {status for _, status in api.STATUS} <= set(ERRORS)


def test_it_is_served_to_programs_and_to_people_without_a_token(served: Served) -> None:
    status, _, body = served.send("GET", "/openapi.json")
    assert (status, json.loads(body)) == (200, json.loads(json.dumps(describe_api())))
    status, _, page = served.send("GET", "/api")
    assert status == 200
    assert b"/v1/choose/explain" in page
    assert b"alice" not in page
