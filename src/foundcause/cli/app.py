"""The ``foundcause`` command: gathers the command modules and turns our errors into one clear line."""

from __future__ import annotations

import importlib
import io
import sys
import warnings
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_group

from foundcause import __version__
from foundcause.errors import FoundcauseError
from foundcause.findings import FoundCauseWarning

EXIT_REFUSED = 2  # bad input or options: our own, explained errors
EXIT_INTERRUPTED = 130
_CONTEXT = {"help_option_names": ["-h", "--help"]}

COMMANDS = {
    "discover": ("discover", "Discover the causal graph of a table and print it."),
    "show": ("saved", "Print a saved result."),
    "compare": ("saved", "Print what changed between two answers, or between an answer and a graph."),
    "export": ("saved", "Write a saved result in another format."),
    "effects": ("decisions", "Estimate total effects on an outcome, averaged over graphs that the table allows."),
    "check": ("decisions", "Check a graph of yours against a table."),
    "ask": ("decisions", "Ask what would settle most of the graph. Nothing is sent anywhere."),
    "demo": ("demo", "Simulate a survey, discover its graph and write the report."),
    "serve": ("serve", "Serve a page on which a table is dropped and its causal graph explored."),
    "info": ("checkpoint", "Print versions, devices and what the checkpoint says about itself."),
    "train": ("train", "Train a network; bare, it starts or resumes a run."),
    "simulate": ("simulate", "Write synthetic tasks: tables, masks, causal graphs and hidden common causes."),
    "bench": ("bench", "Compare methods on data sets with known graphs."),
    "import-official": ("checkpoint", "Convert the released weights to our format."),
}
"""Each command: the module of this package that registers it, and one line of help. Only the command in use is
imported, so that ``--help`` is quick."""


class _LazyGroup(TyperGroup):
    """Commands that are imported when they are used, and listed without that."""

    _listing = False

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        module, line = COMMANDS[cmd_name]
        if self._listing:
            return TyperCommand(name=cmd_name, help=line)
        app = typer.Typer(
            context_settings=_CONTEXT, rich_markup_mode=_markup(), pretty_exceptions_enable=False, add_completion=False
        )
        importlib.import_module(f"foundcause.cli.{module}").register(app)
        app.callback()(lambda: None)  # so that one command alone stays a command of a group
        return get_group(app).get_command(ctx, cmd_name)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        self._listing = True
        super().format_help(ctx, formatter)

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        self._listing = True
        return super().shell_complete(ctx, incomplete)


def _version(show: bool) -> None:
    if show:
        print(f"foundcause {__version__}")
        raise typer.Exit


def _markup() -> Any:
    return "rich" if sys.stderr.isatty() else None  # its boxes break messages for grep and logs


def build() -> typer.Typer:
    """The whole command tree."""
    app = typer.Typer(
        name="foundcause",
        cls=_LazyGroup,
        help="From an observational table to its causal graph, hidden common causes included.",
        no_args_is_help=True,
        invoke_without_command=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=_markup(),
        context_settings=_CONTEXT,
    )

    @app.callback()
    def root(
        version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
    ) -> None: ...

    return app


def _note(message: Warning | str, *_: object, **__: object) -> None:
    """A warning as one line for people, without the place in the code."""
    from rich.console import Console
    from rich.markup import escape

    Console(stderr=True, highlight=False, soft_wrap=True).print(f"[yellow]note:[/] {escape(str(message))}")


def main() -> None:
    """Entry point: 0 done, 2 refused with a reason, 130 interrupted."""
    for stream in (sys.stdout, sys.stderr):
        # A name that the terminal's encoding lacks is no reason to lose the answer.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _note
            warnings.simplefilter("ignore", FoundCauseWarning)  # the findings are printed
            build()()
    except FoundcauseError as error:
        from rich.console import Console
        from rich.markup import escape

        console = Console(stderr=True, highlight=False, soft_wrap=not sys.stderr.isatty())
        console.print(f"[bold red]foundcause:[/] {escape(str(error))}")
        sys.exit(EXIT_REFUSED)
    except KeyboardInterrupt:
        sys.exit(EXIT_INTERRUPTED)
