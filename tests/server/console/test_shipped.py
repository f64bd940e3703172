"""What browsers run is shipped in the package: built from exact versions, with its licences, and small."""

from __future__ import annotations

import json
import re
from pathlib import Path

from discreet.server.console import completing
from discreet.server.console.routes import STATIC

ROOT = Path(__file__).parents[3]
PACKAGE = json.loads((ROOT / "console" / "package.json").read_text())


def test_everything_that_is_bundled_has_one_version_and_its_licence() -> None:
    licences = (STATIC / "LICENSES.txt").read_text()
    shipped = dict(re.findall(r"^((?:@[a-z]+/)?[a-z0-9.-]+) ([0-9.]+) \(", licences, re.MULTILINE))
    assert {"htmx.org", "codemirror", "@codemirror/view", "style-mod"} <= set(shipped)
    assert {name: PACKAGE["dependencies"][name] for name in shipped} == shipped
    assert licences.count("Permission") >= len(shipped)
    every = {**PACKAGE["dependencies"], **PACKAGE["devDependencies"]}
    assert all(re.fullmatch(r"[0-9]+\.[0-9]+\.[0-9]+", version) for version in every.values())


def test_no_lock_file_and_no_address_of_a_registry_is_kept() -> None:
    assert not list((ROOT / "console").glob("*lock*"))
    assert "://" not in (ROOT / "console" / "package.json").read_text()


def test_what_is_shipped_stays_small_and_loads_nothing() -> None:
    assert sum(path.stat().st_size for path in STATIC.iterdir()) < 600_000
    assert "sourceMappingURL" not in (STATIC / "editor.js").read_text()
    assert {path.name for path in STATIC.iterdir()} == {
        "LICENSES.txt",
        "console.css",
        "console.js",
        "editor.js",
        "icon.svg",
    }


def test_functions_that_are_completed_are_those_that_may_be_asked() -> None:
    told = (ROOT / "docs" / "sql.md").read_text()
    for name in f"{completing.AGGREGATES} {completing.FUNCTIONS}".split():
        assert re.search(rf"\b{name}\b", told), name
