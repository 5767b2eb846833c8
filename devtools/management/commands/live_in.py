"""Live some weeks in a demo's house that has booked nothing yet, through the services."""

from __future__ import annotations

import json
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
        parser.add_argument("--seed", default="1", help="the same seed gives the same figures")
        parser.add_argument(
            "--crowd", type=int, default=0, help="so many more people who come each day, once"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON line")

    def handle(self, *args: Any, **options: Any) -> None:
        from devtools.sample_data import house

        password = os.environ.get("DEMO_PASSWORD")
        if not password:
            raise CommandError("DEMO_PASSWORD, the password of everybody in the house, is not set.")
        migrate_as_owner()
        mark_demo()
        if Transfer.objects.exists():
            raise CommandError("This house has booked something; weeks pass in a new one only.")
        # What workers would do is done here and now.
        celery.app.conf.update(broker_url="memory://")
        report = house.live(
            days=options["days"],
            seed=options["seed"],
            password=password,
            progress=self.stderr.write,
            crowd=options["crowd"],
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
