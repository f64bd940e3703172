"""docs/tutorial.md: its commands run as they stand there, and say what it says that they say."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from support.cli import Ran

PAGE = Path(__file__).parents[2] / "docs" / "tutorial.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"\s+# exit code (\d)$")


def commands(block: str) -> list[tuple[str, list[str]]]:
    """Return the commands of a block, and what each must say."""
    found: list[tuple[str, list[str]]] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            found[-1][1].append(line)
    return found


def test_the_tutorial_runs_as_it_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    kinds = []
    for kind, block in BLOCK.findall(PAGE.read_text()):
        kinds.append(kind)
        if kind == "python":
            exec(compile(block, str(PAGE), "exec"), {})
        elif kind == "toml":
            Path("policy.toml").write_text(block)
        else:
            for command, said in commands(block):
                check(command, said)
    assert set(kinds) == {"python", "toml", "console"}


def check(command: str, said: list[str]) -> None:
    code = CODE.search(command)
    program, *arguments = shlex.split(CODE.sub("", command))
    assert program == "discreet"
    ran = Ran(*arguments)
    assert ran.code == (int(code[1]) if code else 0), (command, ran.out, ran.err)
    told = " ".join((ran.out + ran.err).split())
    for line in said:
        assert " ".join(line.split()) in told, (command, line, ran.out, ran.err)
