"""Create a bearer token for the finance API and print it; it is not shown again."""

from __future__ import annotations

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from core.clock import database_now
from finance.exceptions import TokenNeedsMaker
from finance.reports.catalogue import SCOPES
from finance.tokens.actions import create_token, may_create
from finance.tokens.models import LIFETIME
from players.accounts.models import User


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--name", required=True, help="the person or program that uses it")
        parser.add_argument(
            "--scope",
            required=True,
            nargs="+",
            choices=SCOPES,
            help="the reports that it can read",
        )
        parser.add_argument(
            "--days", type=int, default=LIFETIME.days, help="days until it expires: 1 to 365"
        )
        parser.add_argument(
            "--by",
            metavar="EMAIL",
            help="the member of staff who requests it; required for reports with personal data, "
            "for which another member of staff must approve the token in the admin",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        days = options["days"]
        if not 1 <= days <= LIFETIME.days:
            raise CommandError(f"--days is {days}: choose 1 to {LIFETIME.days}")
        maker = _maker(options["by"]) if options["by"] else None
        try:
            token, text = create_token(
                name=options["name"],
                scopes=options["scope"],
                created_by=maker,
                expires_at=database_now() + timedelta(days=days),
            )
        except TokenNeedsMaker as refusal:
            raise CommandError(f"{refusal} Add --by EMAIL.") from refusal
        self.stdout.write(text)
        if token.needs_approval:
            self.stderr.write(
                "The token becomes valid when a second person approves it in the admin."
            )


def _maker(email: str) -> User:
    found = User.objects.filter(email__iexact=email, is_staff=True).first()
    if found is None or not may_create(found):
        raise CommandError(f"--by is {email!r}: not a member of staff who may create tokens")
    return found
