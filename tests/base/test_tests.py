"""Tests say what they expect: no expected text is empty, since an empty text is found in every other."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Expectations:
    """The texts of one module that something must hold: in `in`, `match=`, `startswith` and `endswith`.

    A text may be written where it is expected, or reach that place as a parameter of a test, as the variable of a
    loop, or as an argument of a function of the same module.
    """

    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree
        self._functions = {node.name: node for node in ast.walk(tree) if isinstance(node, Function)}
        self._constants = {
            target.id: node.value
            for node in tree.body
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None
            for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
            if isinstance(target, ast.Name)
        }
        self._passed: set[tuple[str, int]] = set()
        while found := self._find_passed() - self._passed:
            self._passed |= found

    def find_empty(self) -> list[int]:
        """Return the lines on which an expected text is empty."""
        found = {text.lineno for text in self._find_texts(self._tree) if _is_empty(text)}
        found |= {label.lineno for label in self._find_labels() if _is_empty(label)}
        for function in self._functions.values():
            names = self._find_names(function)
            for bound in self._find_bindings(function):
                found |= {value.lineno for name, value in bound if name in names and _is_empty(value)}
        return sorted(found)

    def _find_texts(self, part: ast.AST) -> Iterator[ast.expr]:
        """Yield the expressions that are expected to be found, those in tuples and lists one by one."""
        for node in ast.walk(part):
            if isinstance(node, ast.Assert):
                for each in ast.walk(node.test):
                    if isinstance(each, ast.Compare) and isinstance(each.ops[0], ast.In):
                        yield from _split(each.left)
            if isinstance(node, ast.Call):
                name = _get_name(node)
                if name in ("raises", "warns"):
                    yield from (text for key in node.keywords if key.arg == "match" for text in _split(key.value))
                if name in ("startswith", "endswith"):
                    yield from (text for value in node.args for text in _split(value))
                yield from (text for place, text in enumerate(node.args) if (name, place) in self._passed)

    def _find_names(self, function: Function) -> set[str]:
        """Return the names in a function that stand for expected texts, or for several of them."""
        names = {text.id for text in self._find_texts(function) if isinstance(text, ast.Name)}
        for loop in ast.walk(function):
            if isinstance(loop, ast.For | ast.comprehension) and isinstance(loop.iter, ast.Name):
                names |= {loop.iter.id for each in _split(loop.target) if getattr(each, "id", None) in names}
        return names

    def _find_passed(self) -> set[tuple[str, int]]:
        """Return the parameters of functions that are expected texts, by the function's name and their place."""
        found = set()
        for name, function in self._functions.items():
            names = self._find_names(function)
            if not name.startswith("test_"):
                found |= {(name, at) for at, each in enumerate(function.args.args) if each.arg in names}
        return found

    def _find_bindings(self, function: Function) -> Iterator[list[tuple[str, ast.expr]]]:
        """Yield what names of a function stand for, row by row: of its parameters as a test, and of its loops."""
        for node in function.decorator_list:
            if isinstance(node, ast.Call) and _get_name(node) == "parametrize" and len(node.args) > 1:
                names = [text.strip() for each in _split(node.args[0]) for text in str(_get_value(each)).split(",")]
                yield from (_bind(names, row) for row in self._find_rows(node.args[1]))
        for loop in ast.walk(function):
            if isinstance(loop, ast.For | ast.comprehension):
                names = [each.id for each in _split(loop.target) if isinstance(each, ast.Name)]
                yield from (_bind(names, row) for row in self._find_rows(loop.iter))

    def _find_rows(self, written: ast.expr) -> list[ast.expr]:
        if isinstance(written, ast.Name):
            written = self._constants.get(written.id, written)
        return list(written.elts) if isinstance(written, ast.List | ast.Tuple | ast.Set) else []

    def _find_labels(self) -> Iterator[ast.expr]:
        """Yield what names of tests are made of."""
        for node in ast.walk(self._tree):
            if isinstance(node, ast.Call) and _get_name(node) in ("parametrize", "fixture", "param"):
                labels = [key.value for key in node.keywords if key.arg in ("ids", "id")]
                yield from (each for label in labels for each in ast.walk(label) if isinstance(each, ast.Constant))


def _bind(names: list[str], row: ast.expr) -> list[tuple[str, ast.expr]]:
    values = row.args if isinstance(row, ast.Call) and _get_name(row) == "param" else [row]
    if len(names) > 1 and isinstance(row, ast.Tuple | ast.List):
        values = row.elts
    return [(name, text) for name, value in zip(names, values, strict=False) for text in _split(value)]


def _split(written: ast.expr) -> Iterator[ast.expr]:
    """Yield an expression, or those that a tuple or list is written of; a quoted text is the text."""
    if isinstance(written, ast.Tuple | ast.List):
        for each in written.elts:
            yield from _split(each)
    elif isinstance(written, ast.Call) and _get_name(written) in ("escape", "str"):
        for each in written.args:
            yield from _split(each)
    else:
        yield written


def _get_name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _get_value(written: ast.expr) -> object:
    return written.value if isinstance(written, ast.Constant) else None


def _is_empty(written: ast.expr) -> bool:
    return _get_value(written) in ("", b"") and not isinstance(_get_value(written), int)


def find_empty(text: str) -> list[int]:
    """Return the lines of a module on which an expected text is empty."""
    tree = ast.parse(text)
    empty = any(_is_empty(node) for node in ast.walk(tree) if isinstance(node, ast.Constant))
    return Expectations(tree).find_empty() if empty else []


def list_files() -> Iterable[Path]:
    return sorted(TESTS.rglob("*.py"))


def test_no_expected_text_is_empty() -> None:
    texts = {path.relative_to(TESTS).as_posix(): path.read_text() for path in list_files()}
    some = {name: text for name, text in texts.items() if '""' in text.replace('"""', "")}
    found = {name: find_empty(text) for name, text in some.items()}
    assert {name: lines for name, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    "text",
    [
        'def test_it():\n    assert "" in told()',
        'def test_it():\n    assert all("" in each for each in told())',
        'def test_it():\n    assert told().startswith("")',
        'def test_it():\n    with pytest.raises(Error, match=""):\n        ask()',
        'def test_it():\n    for word in ("a", ""):\n        assert word in told()',
        'def test_it():\n    for at, words in [("x", ["a", ""])]:\n        assert all(one in told() for one in words)',
        '@pytest.mark.parametrize(("a", "b"), [("x", "y"), ("z", "")])\ndef test_it(a, b):\n    assert b in told(a)',
        '@pytest.mark.parametrize("a, b", [pytest.param("", "")])\ndef test_it(a, b):\n    assert b in told(a)',
        '@pytest.mark.parametrize("b", ROWS)\ndef test_it(b):\n    with raises(E, match=re.escape(b)):\n        ask()',
        '@pytest.mark.parametrize("b", ROWS)\ndef test_it(b):\n    check("text", b)',
        'def test_it():\n    check("text", "")',
        '@pytest.mark.parametrize("b", [1], ids=lambda each: getattr(each, "__name__", ""))\ndef test_it(b): ...',
    ],
)
def test_an_empty_expectation_is_found(text: str) -> None:
    rest = """
    ROWS = ["a", ""]
    def check(text, expected):
        assert expected in told(text)
    """
    assert len(find_empty(text + "\n" + textwrap.dedent(rest))) == 1


def test_an_empty_text_that_is_only_asked_about_is_none() -> None:
    text = """
    @pytest.mark.parametrize(("given", "expected"), [("", "is empty"), ("b", "c")])
    def test_it(given, expected):
        assert expected in told(given)
        assert told("") == ""
        assert given not in ("", "x")
    """
    assert find_empty(textwrap.dedent(text)) == []
