"""``python -m armspan.server``: the command line."""

from armspan.server.commands import main

main(prog_name="armspan")
