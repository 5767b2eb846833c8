"""Make a bearer token for the finance interface and print it; it is never shown again."""

from __future__ import annotations

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand

from core.clock import database_now
from finance.exports.catalogue import SCOPES
from finance.tokens.actions import LIFETIME_DAYS, create_token


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--name", required=True, help="who will use it")
        parser.add_argument(
            "--scope",
            required=True,
            nargs="+",
            choices=SCOPES,
            help="the reports it opens",
        )
        parser.add_argument("--days", type=int, default=LIFETIME_DAYS, help="in force this long")

    def handle(self, *args: Any, **options: Any) -> None:
        expires_at = database_now() + timedelta(days=options["days"])
        _, text = create_token(
            name=options["name"], scopes=options["scope"], created_by=None, expires_at=expires_at
        )
        self.stdout.write(text)
