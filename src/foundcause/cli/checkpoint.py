"""``foundcause info``, ``import-official`` and ``rewrite-header``: what is installed, and checkpoints."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from foundcause.cli.streams import printing
from foundcause.errors import ConfigError


def register(app: typer.Typer) -> None:
    """Add the commands to the tree."""
    app.command("info")(info)

    @app.command("rewrite-header")
    def rewrite_header_command(
        checkpoint: Annotated[Path, typer.Argument(help="Checkpoint of any format.")],
        out: Annotated[Path, typer.Argument(help="Where to write it in today's format.")],
        calibration: Annotated[
            Path | None, typer.Option(help="JSON file of calibration entries to replace or add.")
        ] = None,
    ) -> None:
        """Write a checkpoint with the same weights and another header."""
        import json

        from foundcause.model.checkpoints import rewrite_header

        try:
            entries = json.loads(calibration.read_text(encoding="utf-8")) if calibration else None
        except (OSError, ValueError) as error:
            raise ConfigError(f"cannot read the calibration {calibration}: {error}") from None
        print(f"wrote {rewrite_header(checkpoint, out, calibration=entries)}")

    @app.command("import-official")
    def import_official_command(
        checkpoint: Annotated[Path, typer.Argument(help="The released checkpoint.pt.")],
        out: Annotated[Path, typer.Argument(help="Where to write ours, for example official.safetensors.")],
        pooling_heads: Annotated[int, typer.Option(min=1, help="Heads of the pooling; not stored in the file.")] = 4,
        pair_heads: Annotated[int, typer.Option(min=1, help="Heads of pair attention; not stored in the file.")] = 4,
    ) -> None:
        """Convert the released weights; the file is read as plain tensors and never executed."""
        from foundcause.paper.official import import_official

        network = import_official(checkpoint, out, pooling_heads=pooling_heads, pair_heads=pair_heads)
        print(f"wrote {out}: {network.parameter_count:,} parameters, {len(network.state_dict())} tensors")


def info(
    checkpoint: Annotated[Path | None, typer.Option(help="Weights. (default: the shipped ones)")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Versions, device and what the checkpoint says about itself."""
    from foundcause.report.terminal import print_facts, system_facts

    facts = system_facts(checkpoint)
    with printing():
        print_facts(facts, as_json=json)
