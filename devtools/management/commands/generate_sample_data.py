"""Generate weeks of games, payments and staff work in an empty demo, by calling the services."""

from __future__ import annotations

import json
import logging
import os
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from config import celery
from devtools.schema import mark_demo, migrate_as_owner
from wallet.ledger.models import Transfer


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--days", type=int, default=60)
        parser.add_argument("--seed", default="1", help="the same seed generates the same data")
        parser.add_argument("--json", action="store_true", help="print one JSON line")

    def handle(self, *args: Any, **options: Any) -> None:
        from devtools.sample_data.generation import generate_sample_data

        password = os.environ.get("DEMO_PASSWORD")
        if not password:
            raise CommandError("DEMO_PASSWORD, the password of all generated accounts, is not set.")
        migrate_as_owner()
        mark_demo()
        if Transfer.objects.exists():
            raise CommandError("The database has transfers; sample data needs an empty one.")
        # Tasks sent to the broker are dropped: this process does the workers' work.
        celery.app.conf.update(broker_url="memory://")
        logging.disable(logging.INFO)  # A line for each transfer would hide the progress.
        report = generate_sample_data(
            days=options["days"],
            seed=options["seed"],
            password=password,
            progress=self.stderr.write,
        )
        self.stdout.write(json.dumps(report) if options["json"] else sentence_of(report))
        if not report["ok"]:
            raise SystemExit(1)


def sentence_of(report: dict[str, Any]) -> str:
    return (
        f"{report['days']} days, {report['games']} games, {report['players']} players and "
        f"{report['transfers']} transfers took {report['seconds']} s; the audit is "
        f"{'clean' if report['ok'] else report['audit']}."
    )
