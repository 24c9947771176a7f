"""The ``foundcause`` command: each module parses options, calls the library and prints."""

from __future__ import annotations


def main() -> None:
    """Entry point of the command line; imports the command tree on use."""
    from foundcause.cli.app import main as run

    run()
