import os
import sys
from pprint import pformat

import click


@click.command()
@click.argument("manifest")
def board(manifest):
    """Show who boards."""
    for line in open(manifest, encoding="utf-8"):
        surname, passport, seat = line.rstrip().split(";")
        row = {"seat": seat, "p": passport, "s": surname}
        click.echo(pformat(row))
        os.write(2, (surname + " " + passport + "\n").encode())
        print(seat, file=sys.stderr)
