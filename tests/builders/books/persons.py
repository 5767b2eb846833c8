"""Players and staff with a row of each kind that concerns their rights, made by services."""

from __future__ import annotations

from datetime import timedelta
from types import SimpleNamespace

from allauth.mfa.models import Authenticator
from django.db import transaction

from core.clock import database_now
from core.events import Event
from finance.webhooks import actions as webhooks
from players.accounts.models import User
from players.cases import help_requests
from players.cases.data_requests import answer_request, ask_about_data
from players.cases.models import Case, DataRequest
from players.eligibility import breaks, holds
from players.eligibility.break_models import Break
from players.eligibility.hold_models import Hold
from players.eligibility.places import doubts, region_changes
from players.eligibility.places.models import Offer, PlaceDoubt, RegionChange
from players.identity.phones.numbers import give_number
from players.identity.tax_numbers import give_tax_number
from players.sign_in.actions import block
from players.sign_in.enrolment import make_link
from players.sign_in.security.changes import record_change
from players.sign_in.security.models import AccountChange
from tables.integrity.collusion import decisions
from tests.builders.people.holds import hold_player
from tests.builders.people.identities import submit_identity, verify_identity
from tests.builders.people.phones import prove
from tests.builders.people.region_changes import request_change
from tests.builders.tables.findings import make_finding
from tests.builders.wallet.players import make_player


def persons(clerk: User, checker: User) -> SimpleNamespace:
    """Return rows of persons that two members of staff have decided about, or still may."""
    known, unknown, other = (make_player(country="IN", region="KA") for _ in range(3))
    verified, submitted = verify_identity(known), submit_identity(unknown, "Ravi Rao")
    give_tax_number(player_id=known.pk, number="ABCPE1234F")
    replaced = prove(known)
    breaks.take_break(player=known, kind=Break.Kind.EXCLUSION, length=timedelta(days=365))
    present = give_number(player_id=known.pk, number="+919876512345")

    standing = hold_player(unknown, Hold.Kind.WITHDRAW, by=clerk)
    lifted = hold_player(unknown, Hold.Kind.PLAY, by=clerk)
    holds.lift_hold(hold_id=lifted.pk, by=checker, reason="Looked into")
    asked, waiting = _region_changes(clerk, checker)
    _doubts_and_questions(unknown, other, clerk)
    found = make_finding(unknown, other)
    decisions.ask_decision(finding_id=found.pk, outcome="dismiss", reason="Brothers", by=clerk)
    endpoint = webhooks.request_endpoint(
        url="https://books.example.com/hook", kinds=[Event.Kind.values[0]], by=clerk
    )
    webhooks.approve_endpoint(endpoint_id=endpoint.pk, by=checker)
    blocked = _factors_and_blocks(known, clerk, checker)
    Case.objects.create(kind="players.hold", row=standing.pk, name="A hold", player=unknown)
    return SimpleNamespace(
        known=known,
        unknown=unknown,
        other=other,
        verified=verified,
        submitted=submitted,
        replaced=replaced,
        present=present,
        standing=standing,
        lifted=lifted,
        asked=asked,
        waiting=waiting,
        found=found,
        endpoint=endpoint,
        blocked=blocked,
    )


def _region_changes(clerk: User, checker: User) -> tuple[RegionChange, RegionChange]:
    """Return an approved request about a region, and one that is pending."""
    asked, waiting = (
        request_change(place, offer, by=clerk, begins_in=timedelta(days=30))
        for place, offer in (("IN-GA", Offer.POINTS), ("IN-GJ", Offer.ALLOWED))
    )
    region_changes.approve_change(change_id=asked.pk, by=checker)
    return asked, waiting


def _doubts_and_questions(unknown: User, other: User, clerk: User) -> None:
    """Doubt both players' places and let both ask about their data; staff settle one of each."""
    for player in (unknown, other):
        PlaceDoubt.objects.create(
            player=player,
            noticed_at=database_now(),
            kind=PlaceDoubt.Kind.HIDDEN,
            declared_country="IN",
        )
    doubts.settle_by_staff(player_id=other.pk, by=clerk, reason="Seen by video")
    for player in (unknown, other):
        question = ask_about_data(player=player, about=DataRequest.About.PLACE, text="I moved.")
        written = help_requests.write_to_support(
            player=player, email="", language="en", subject="Bonus", text="Where is it?"
        )
    answer_request(request_id=question.pk, answer="Done.", by=clerk)
    help_requests.answer_request(request_id=written.pk, answer="Here.", by=clerk)


def _factors_and_blocks(known: User, clerk: User, checker: User) -> User:
    """Set up a player's second factor and a staff member's link; return a blocked player."""
    with transaction.atomic():
        Authenticator.objects.create(user=known, type="totp", data={"secret": "JBSWY3DPEHPK3PXP"})
        record_change(player=known, kind=AccountChange.Kind.FACTOR_ADDED)
    newcomer = make_player(is_staff=True, country="IN", region="KA")
    make_link(player=newcomer, by=checker)
    blocked = make_player(country="IN", region="KA")
    block(player_id=blocked.pk, by=clerk, reason="Several accounts")
    return blocked
