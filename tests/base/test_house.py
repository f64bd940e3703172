"""The house stands as its plan says: imports go down, every file is tested, the front door is light."""

from __future__ import annotations

import ast
import doctest
import importlib
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import discreet

SOURCE = Path(discreet.__file__).parent
TESTS = Path(__file__).parent.parent

FLOORS = {
    "base": 0,
    **dict.fromkeys(["noise", "privacy"], 1),
    **dict.fromkeys(["plan", "policy", "mechanisms", "answers", "families", "gradients"], 2),
    **dict.fromkeys(["query", "engines", "ledger"], 3),
    "curator": 4,
    **dict.fromkeys(["synthetic", "local", "learn", "topdown", "robust"], 5),
    "server": 6,
    "cli": 7,
}
BESIDE = "audit"
"""It may look at every floor but the command line, which alone imports it."""

COVERED_ELSEWHERE = {
    "answers/drawing.py": "synthetic/report/test_parts.py",
    "answers/page.py": "synthetic/report/test_page.py",
    "curator/door/compiled.py": "learn/compiled/test_compiled_fit.py",
    "curator/door/recorder.py": "curator/door/test_desk.py",
    **{
        f"gradients/compiled/{name}.py": "learn/compiled/test_descent.py"
        for name in ("independence", "memory_sums", "outer", "unit_sums")
    },
    **{
        f"gradients/compiled/{name}.py": "gradients/compiled/test_compiled_gradients.py"
        for name in ("programs", "states")
    },
    **{
        f"engines/postgres/forms_{name}.py": "engines/postgres/test_forms.py"
        for name in ("casts", "float", "math", "powers", "text", "time")
    },
    "engines/spark/forms_math.py": "engines/spark/test_forms.py",
    "engines/spark/forms_text.py": "engines/spark/test_forms.py",
    "engines/spark/forms_time.py": "engines/spark/test_forms.py",
    "engines/spark/jobs.py": "engines/spark/test_engine.py",
    "engines/spark/running.py": "engines/spark/test_engine.py",
    "curator/owner/check.py": "cli/test_owning.py",
    "ledger/entries/policies.py": "ledger/test_ledger.py",
    "curator/owner/versions.py": "cli/test_owning.py",
    "curator/asking/prepared.py": "curator/test_session.py",
    "curator/asking/question_operation.py": "curator/door/test_operation.py",
    "curator/asking/routes.py": "curator/test_session.py",
    "ledger/entries/recompute.py": "ledger/test_verify.py",
    "ledger/files/failures.py": "ledger/test_failures.py",
    "ledger/postgres/failures.py": "ledger/test_failures.py",
    "query/draws.py": "query/test_cost.py",
    "plan/rows_plan.py": "query/test_plan_rows.py",
    "engines/limiting/unit_rows.py": "engines/test_steps.py",
    "engines/contributions.py": "engines/test_statements.py",
    "engines/duck/connection.py": "engines/duck/test_statistics.py",
    **{
        f"engines/limiting/{name}.py": "engines/limiting/test_statement.py"
        for name in ("grouped_rows", "heavy_units", "sums", "unit_limits", "windows")
    },
    "answers/sheet.py": "answers/test_words.py",
    "query/select/columns.py": "query/select/test_subqueries.py",
    "ledger/database.py": "ledger/test_places.py",
    "privacy/filter.py": "privacy/test_filters.py",
}
"""Source files without a test file of their own name, and the test file that covers each."""


def modules() -> Iterator[tuple[str, Path]]:
    """Yield every room's files as (room, path)."""
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(SOURCE).parts
        if len(parts) > 1:
            yield parts[0], path


@cache
def parse_once(text: str) -> ast.Module:
    """Return the tree of a file, which several tests look at."""
    return ast.parse(text)


def imported(path: Path, text: str) -> Iterator[str]:
    """Yield the dotted names under `discreet` that a file imports, wherever in the file."""
    package = ("discreet", *path.relative_to(SOURCE).parts[:-1])
    for node in ast.walk(parse_once(text)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            home = ".".join(part for part in (above, node.module or "") if part)
            names = [f"{home}.{alias.name}" for alias in node.names]
        else:
            continue
        yield from (name for name in names if name == "discreet" or name.startswith("discreet."))


def complaint(room: str, name: str) -> str | None:
    """Say what is wrong with importing that name in that room, if anything is."""
    parts = name.split(".")
    target = parts[1] if len(parts) > 1 else ""
    if target == room or (room == BESIDE and target != "cli"):
        return None
    if room == BESIDE:
        return "audit is below the command line"
    if target == BESIDE:
        return None if room == "cli" else "nothing but the command line imports audit"
    if target not in FLOORS:
        return None if FLOORS[room] >= 6 else "only the faces import the front door"
    if FLOORS[target] >= FLOORS[room]:
        return f"floor {FLOORS[room]} may not import floor {FLOORS[target]}"
    return None


def test_every_folder_is_a_room_of_the_plan() -> None:
    assert {room for room, _ in modules()} <= {*FLOORS, BESIDE}


def test_imports_go_down_only_and_never_between_rooms_of_a_floor() -> None:
    wrong = [
        f"{path.relative_to(SOURCE)} imports {name}: {reason}"
        for room, path in modules()
        for name in imported(path, path.read_text())
        if (reason := complaint(room, name))
    ]
    assert wrong == []


def graph() -> dict[str, set[str]]:
    """Return which files each file imports, by dotted name."""
    files = {dotted(path): path for _, path in modules() if path.stem != "__init__"}
    found: dict[str, set[str]] = {}
    for name, path in files.items():
        wanted = set(imported(path, path.read_text()))
        parents = {each.rpartition(".")[0] for each in wanted}
        found[name] = {each for each in wanted | parents if each in files and each != name}
    return found


def dotted(path: Path) -> str:
    return f"discreet.{path.relative_to(SOURCE).with_suffix('').as_posix().replace('/', '.')}"


def circles(arrows: dict[str, set[str]]) -> list[str]:
    """Return what is left when files that import no other, or that no other imports, are taken away again and again."""
    left = {name: set(targets) for name, targets in arrows.items()}
    while ends := [name for name, targets in left.items() if not targets & left.keys()]:
        for name in ends:
            del left[name]
    while starts := [name for name in left if not any(name in targets for targets in left.values())]:
        for name in starts:
            del left[name]
    return sorted(left)


def test_imports_make_no_circles_inside_a_room_either() -> None:
    assert circles(graph()) == []


def test_circles_are_noticed() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": set()}) == []
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}) == ["b", "c"]


def named_types(text: str) -> Iterator[str]:
    """Yield the classes and type names that a file defines at its top."""
    for node in parse_once(text).body:
        if isinstance(node, ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign):
            names = [target.id for target in node.targets if isinstance(target, ast.Name)]
            yield from (name for name in names if name[0].isupper() and not name.isupper())


def test_two_types_never_share_a_name() -> None:
    homes: dict[str, list[str]] = {}
    for _, path in modules():
        for name in named_types(path.read_text()):
            homes.setdefault(name, []).append(path.relative_to(SOURCE).as_posix())
    assert {name: files for name, files in homes.items() if len(files) > 1} == {}


def test_the_rule_of_floors_notices_what_it_should() -> None:
    here = SOURCE / "noise" / "x.py"
    for text, wrong in [
        ("from discreet.base import check", False),
        ("from discreet.noise import bits", False),
        ("from . import bits", False),
        ("from ..base.check import real", False),
        ("import numpy.random", False),
        ("from discreet.privacy import Loss", True),
        ("from ..privacy import Loss", True),
        ("from .. import mechanisms", True),
        ("import discreet.mechanisms.laplace", True),
        ("from discreet import mechanisms", True),
        ("import discreet", True),
        ("import discreet.audit", True),
        ("def f():\n    from discreet.cli import app", True),
    ]:
        assert any(complaint("noise", name) for name in imported(here, text)) is wrong, text
    assert complaint("privacy", "discreet.noise.bits")
    assert complaint("cli", "discreet.__version__") is None


@pytest.mark.parametrize(
    "room",
    [
        "base",
        "noise",
        "privacy",
        "mechanisms",
        "families",
        "gradients",
        "answers",
        "plan",
        "query",
        "engines",
        "policy",
        "ledger",
        "curator",
    ],
)
def test_every_file_has_its_test_file(room: str) -> None:
    without = []
    for path in sorted((SOURCE / room).rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        own = TESTS / path.relative_to(SOURCE).parent / f"test_{path.stem}.py"
        covering = TESTS / COVERED_ELSEWHERE[name] if name in COVERED_ELSEWHERE else own
        if not path.stem.startswith("__") and not covering.is_file():
            without.append(name)
    assert without == []


def test_the_list_of_files_covered_elsewhere_is_not_out_of_date() -> None:
    for name, test in COVERED_ELSEWHERE.items():
        assert (SOURCE / name).is_file(), name
        assert (TESTS / test).is_file(), test
        assert not (TESTS / Path(name).parent / f"test_{Path(name).stem}.py").exists(), name


@pytest.mark.many
@pytest.mark.parametrize(
    "module",
    [
        dotted(path)
        for room, path in modules()
        if room in ("base", "noise", "families", "answers", "plan", "query", "engines") and path.stem != "__init__"
    ],
)
def test_the_examples_in_the_docstrings_are_true(module: str) -> None:
    assert doctest.testmod(importlib.import_module(module), optionflags=doctest.ELLIPSIS).failed == 0


def in_fresh_python(program: str) -> str:
    return subprocess.run([sys.executable, "-I", "-c", program], check=True, capture_output=True, text=True).stdout


def test_importing_the_package_loads_nothing_outside_the_standard_library() -> None:
    loaded = in_fresh_python(
        "import sys; before = set(sys.modules); import discreet; print(*(set(sys.modules) - before))"
    ).split()
    foreign = {name.split(".")[0] for name in loaded} - sys.stdlib_module_names
    assert {name for name in foreign if not name.startswith("_")} == {"discreet"}
    assert not any(name.startswith("discreet.") for name in loaded)


def test_rooms_are_loaded_when_they_are_first_used() -> None:
    told = in_fresh_python(
        "import discreet; print(discreet.mechanisms.__name__, discreet.noise.__name__, discreet.Grid(0.5).snap(3.0))"
    )
    assert told.split() == ["discreet.mechanisms", "discreet.noise", "6"]


def test_the_front_door_lists_what_it_gives_and_refuses_the_rest() -> None:
    for name in discreet.__all__:
        assert getattr(discreet, name) is not None
        assert name in dir(discreet)
    with pytest.raises(AttributeError, match="nonsense"):
        discreet.nonsense  # noqa: B018
