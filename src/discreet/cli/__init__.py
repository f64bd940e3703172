"""Floor 6: the command line. No privacy logic here."""

from __future__ import annotations


def main() -> None:
    """Run the program `discreet`."""
    from discreet.cli.app import app

    app(prog_name="discreet")
