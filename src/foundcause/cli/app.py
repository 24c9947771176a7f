"""The ``foundcause`` command: gathers the command modules and turns our errors into one clear line."""

from __future__ import annotations

import importlib
import io
import sys
import warnings

import typer
from rich.console import Console
from rich.markup import escape

from foundcause import __version__
from foundcause.errors import FoundcauseError
from foundcause.findings import FoundCauseWarning

EXIT_REFUSED = 2  # bad input or options: our own, explained errors
EXIT_INTERRUPTED = 130

_COMMAND_MODULES: tuple[str, ...] = (
    "discover",
    "decisions",
    "checkpoint",
    "train",
    "simulate",
    "bench",
    "serve",
)  # each module of this package joins here when it lands


def _version(show: bool) -> None:
    if show:
        print(f"foundcause {__version__}")
        raise typer.Exit


def build() -> typer.Typer:
    """The whole command tree."""
    app = typer.Typer(
        name="foundcause",
        help="From an observational table to its causal graph, hidden common causes included.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich" if sys.stderr.isatty() else None,  # its boxes break messages for grep and logs
        context_settings={"help_option_names": ["-h", "--help"]},
    )

    @app.callback()
    def root(
        version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
    ) -> None: ...

    for name in _COMMAND_MODULES:
        importlib.import_module(f"foundcause.cli.{name}").register(app)
    return app


def _note(message: Warning | str, *_: object, **__: object) -> None:
    """A warning as one line for people, without the place in the code."""
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
        console = Console(stderr=True, highlight=False, soft_wrap=not sys.stderr.isatty())
        console.print(f"[bold red]foundcause:[/] {escape(str(error))}")
        sys.exit(EXIT_REFUSED)
    except KeyboardInterrupt:
        sys.exit(EXIT_INTERRUPTED)
