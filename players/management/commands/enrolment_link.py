"""Print a link with which a member of staff sets up their first second factor.

For the first superuser, and if e-mail does not work. The link is valid once, for a day and only for
this account; the account's password is needed too. It is recorded in the audit log.
"""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.exceptions import Refusal
from players.accounts.models import User
from players.sign_in.enrolment import address_of, make_link


class Command(BaseCommand):
    help = (
        "Print a link with which a member of staff sets up their first second factor: for the "
        "first superuser, and if e-mail does not work. It is valid once, for a day."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", help="e-mail address of the account")

    def handle(self, *args: Any, **options: Any) -> None:
        staff = User.objects.filter(email__iexact=options["email"], is_staff=True)
        player = staff.order_by("pk").first()
        if player is None:
            raise CommandError(f"No member of staff has the address {options['email']}.")
        try:
            link = make_link(player=player, by=None)
        except Refusal as refusal:
            raise CommandError(f"{refusal} ({refusal.code})") from refusal
        self.stdout.write(address_of(link))
