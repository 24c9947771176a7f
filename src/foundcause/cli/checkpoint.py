"""``foundcause import-official``: convert the released weights to our checkpoint format."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the command to the tree."""

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
