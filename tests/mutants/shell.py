"""The rules of the shell, of notebooks and of a server's client, each broken once."""

from __future__ import annotations

from mutants.mutant import broken

SHELL, SETTINGS = "tests/cli/shell/test_shell.py", "tests/cli/shell/test_settings.py"
STATEMENTS, NOTEBOOK = "tests/cli/shell/test_statements.py", "tests/cli/test_notebook.py"
CLIENT, HTML = "tests/server/test_client.py", "tests/answers/test_html_tables.py"

MUTATIONS = [
    broken(
        "the shell has a default price",
        "cli/shell/settings.py",
        "    epsilon: str | None = None\n",
        '    epsilon: str | None = "0.1"\n',
        SETTINGS,
    ),
    broken(
        "a token is an argument of the shell",
        "cli/shelling.py",
        "    policy: PolicyOption = None,\n",
        '    token: Annotated[str, typer.Option(help="Of the server.")] = "",\n    policy: PolicyOption = None,\n',
        SHELL,
    ),
    broken(
        "a token may stand in an address",
        "server/client.py",
        '        if "@" in address or parts.query or parts.fragment:',
        "        if parts.fragment:",
        CLIENT,
    ),
    broken(
        "a question is asked at a semicolon inside a text",
        "cli/shell/statements.py",
        "    r\"\"\"'(?:[^']|'')*(?:'|\\Z)           # a text, whole or not\n",
        '    r"""\'(?:[^;])?(?:\'|\\Z)           # a text, whole or not\n',
        STATEMENTS,
    ),
    broken(
        "piped lines go on after an error, and pay",
        "cli/shell/terminal.py",
        "                if not self._interactive:\n                    return code_of(trouble)\n",
        "",
        SHELL,
    ),
    broken(
        "a cell's price holds for the cells after it",
        "cli/notebook.py",
        "            talk.settings = kept\n",
        "            kept = talk.settings\n",
        NOTEBOOK,
    ),
    broken(
        "variables of a notebook become part of questions",
        "cli/notebook.py",
        "    setattr(discreet, UNEXPANDED, True)\n",
        "    setattr(discreet, UNEXPANDED, False)\n",
        NOTEBOOK,
    ),
    broken(
        "names are markup in small tables",
        "answers/html_tables.py",
        "    return escape(text, quote=True)",
        "    escape(text, quote=True)\n    return text",
        HTML,
    ),
    broken(
        "refused bounds tell an analyst of the whole budget",
        "curator/telling.py",
        "        if not self._holdings.served:\n            return refused\n",
        "        if charge is not None:\n            return refused\n",
        CLIENT,
    ),
    broken(
        "bounds count nothing towards a login's cap",
        "server/workers/clerk.py",
        "        return float(prepared.operation.charge.epsilon)\n",
        "        return 0.0\n",
        CLIENT,
    ),
]
