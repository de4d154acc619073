"""Owns ``python -m armspan.server.plots.derivation OUT_DIR``: the figures of ``docs/solver.md``."""

from pathlib import Path

import click
from armspan.server.commands.output import say
from armspan.server.plots.derivation.arm_figure import draw_arm
from armspan.server.plots.derivation.plane_figure import draw_plane


@click.command()
@click.argument("out_dir", type=click.Path(path_type=Path, file_okay=False, exists=True))
def main(out_dir: Path) -> None:
    """Draw solver_circle.png and solver_plane.png into OUT_DIR."""
    for name, draw in (("solver_circle.png", draw_arm), ("solver_plane.png", draw_plane)):
        try:
            draw(out_dir / name)
        except OSError as failure:
            raise click.ClickException(f"{out_dir / name}: {failure.strerror}") from failure
        say(str(out_dir / name))


if __name__ == "__main__":
    main()
