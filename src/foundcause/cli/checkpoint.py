"""``foundcause info`` and ``import-official``: what is installed, and weights in our checkpoint format."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from foundcause.cli.streams import printing


def register(app: typer.Typer) -> None:
    """Add the commands to the tree."""
    app.command("info")(info)

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
