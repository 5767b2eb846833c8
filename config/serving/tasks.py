"""Start a worker or beat: `python -m config.serving.tasks worker|beat OPTIONS`, as Celery's own.

The program `celery` imports an interactive shell for its other commands: 13 MB in each process.
"""

from __future__ import annotations

import click
from celery.bin.base import CLIContext
from celery.bin.beat import beat
from celery.bin.worker import worker

from config.celery import app


@click.group()
@click.pass_context
def main(context: click.Context) -> None:
    context.obj = CLIContext(app=app, no_color=True, workdir=None, quiet=True)


main.add_command(worker)
main.add_command(beat)

if __name__ == "__main__":
    main()
