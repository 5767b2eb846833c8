"""The steps that an account completes before it plays for money and withdraws.

`verdicts.may` refuses an action with the first open step. Pages show the whole list, and API
refusals contain it, so that all of them agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache
from typing import Any, Final, NamedTuple

from django.db.models import Exists
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.clock import DatabaseNow
from core.db.statements import CompiledQuery
from players.accounts.models import User
from players.accounts.verified_email import current_addresses
from players.accounts.zones import site_zone
from players.eligibility.break_models import Break
from players.eligibility.hold_models import Hold
from players.eligibility.phone_exclusions import numbers_of_excluded
from players.eligibility.places.doubts import open_doubt
from players.eligibility.places.models import AGE_MIN, Offer, PlaceDoubt, Region
from players.eligibility.places.regions import region_in_force
from players.exceptions import (
    AgeUnknown,
    CashNotOffered,
    ConsentOutdated,
    EmailUnverified,
    GuestAccount,
    IdentityUnverified,
    NotEligible,
    PlaceDoubted,
    PlaceNotGiven,
    UnderAge,
)
from players.identity.models import IdentityCheck, TaxNumber
from players.identity.states import compiled_by_person, current_verification, state_of


class Restrictions(NamedTuple):
    """Which rows exist for a player at `now`; each but the address may refuse an action."""

    has_break: bool
    has_former_number: bool
    has_excluded_number: bool
    has_hold: bool
    has_doubt: bool
    has_verified_email: bool
    now: datetime


def find_restrictions(player: User, held: Hold.Kind) -> Restrictions:
    """Return what exists for a player, with active holds of one kind.

    Breaks and numbers include those of closed accounts that may be the player's.
    """
    (row,) = _found_of(held).rows(player)
    return Restrictions(*row)


@cache
def _found_of(held: Hold.Kind) -> CompiledQuery[User]:
    return compiled_by_person(
        lambda player: User.objects.filter(pk=player.pk).values_list(
            Exists(Break.objects.of_person(player).running_at(DatabaseNow())),
            Exists(TaxNumber.objects.former_of(player)),
            Exists(numbers_of_excluded(player)),
            Exists(Hold.objects.active().filter(player=player, kind=held)),
            Exists(PlaceDoubt.objects.open().filter(player=player)),
            Exists(current_addresses(player)),
            DatabaseNow(),
        )
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A step of the checklist, done or open."""

    refusal: type[NotEligible]
    """The refusal while the step is open; its code identifies the step in the API."""
    title: str
    is_done: bool
    sentence: str = ""
    """Why the step is open and what to do; empty if it is done."""
    action: str = ""
    """The text of the button; empty if the player cannot do anything."""
    address: str = ""
    """The name of the page's URL, empty without a button."""
    since: datetime | None = None
    until: datetime | None = None
    is_for_withdrawals: bool = False
    """Whether play for money is possible before the step is done."""

    @property
    def code(self) -> str:
        return self.refusal.code

    @property
    def url(self) -> str:
        return reverse(self.address) if self.address else ""

    def as_detail(self) -> dict[str, Any]:
        """Return the step as it is listed in an API refusal."""
        return {
            "code": self.code,
            "title": self.title,
            "is_done": self.is_done,
            "url": self.url,
            "is_for_withdrawals": self.is_for_withdrawals,
        }


_ELSEWHERE: Final = gettext_lazy(
    "The location of your connection does not match your account. Before you play for money, "
    'confirm your location on your account page under "Where you live", or contact us.'
)
DOUBTED: Final = {
    PlaceDoubt.Kind.ELSEWHERE: _ELSEWHERE,
    PlaceDoubt.Kind.HIDDEN: _ELSEWHERE,
    PlaceDoubt.Kind.UNPLACED: gettext_lazy(
        "We cannot see from your connection which state or region you are in, and play for money "
        "is not offered in all of them. Connect in another way, such as by Wi-Fi instead of mobile "
        'data, and confirm your location on your account page under "Where you live", or contact '
        "us."
    ),
}


def cash_checklist(player: User, known: Iterable[Step] = ()) -> list[Step]:
    """Return all steps to play for money and to withdraw, in the order in which they are checked.

    `known` are the steps of a refusal, which are not checked again. Breaks, holds and wind-downs
    are not steps: the player cannot complete them (`verdicts.may`).
    """
    region = region_in_force(player.country, player.region)
    steps = [*known] or [*cash_steps(player, region, find_restrictions(player, Hold.Kind.PLAY))]
    if not player.is_guest and needs_identity(region):
        steps.append(identity_step(player))
    return steps


def steps_left(steps: Iterable[Step]) -> int:
    """Return how many steps the player must complete to play for money; 0 if one is impossible."""
    left = [step for step in steps if not (step.is_done or step.is_for_withdrawals)]
    is_guest = any(step.refusal is GuestAccount for step in left)
    return len(left) if is_guest or all(step.url for step in left) else 0


def cash_steps(player: User, region: Region | None, found: Restrictions) -> Iterator[Step]:
    """Yield the steps before play for money; `region` is the row in force where they live."""
    if player.is_guest:
        yield Step(
            refusal=GuestAccount,
            title=_("Register your account"),
            is_done=False,
            sentence=_("Guests play for play points. Register before you play for money."),
            action=_("Register"),
            address="account-keep",
        )
    yield _place_step(player, region, found)
    yield _age_step(player, region, found)
    yield _email_step(player, found)
    yield _consent_step(player)


def identity_step(player: User) -> Step:
    """Return the step before withdrawals, in places that require a verified identity."""
    is_done = current_verification(player) is not None
    is_checking = not is_done and state_of(player) == IdentityCheck.State.SUBMITTED
    if is_checking:
        sentence = _("We are checking your documents. You can withdraw when the check is complete.")
    else:
        sentence = _(
            "Before you withdraw money, verify your identity: "
            "upload a document on your account page."
        )
    return Step(
        refusal=IdentityUnverified,
        title=_("Verify your identity"),
        is_done=is_done,
        sentence="" if is_done else sentence,
        action="" if is_done or is_checking else _("Upload a document"),
        address="" if is_done or is_checking else "identity",
        is_for_withdrawals=True,
    )


def needs_identity(region: Region | None) -> bool:
    """Return whether withdrawals need a verified identity where this row is in force."""
    return region is not None and region.withdrawal_needs_identity


def _place_step(player: User, region: Region | None, found: Restrictions) -> Step:
    """Return whether the place is known, has play for money, and matches the connection."""
    title = _("Say where you live")
    if not player.country:
        if player.is_guest or _is_offered_anywhere():
            return Step(
                refusal=PlaceNotGiven,
                title=title,
                is_done=False,
                sentence=_("The law where you live decides whether you may play for money."),
                action="" if player.is_guest else title,
                address="" if player.is_guest else "place",
            )
        sentence = _("This site does not offer play for money at present.")
        return Step(refusal=CashNotOffered, title=title, is_done=False, sentence=sentence)
    title = _("Where you live: %(place)s") % {"place": player.place}
    if region is None or region.offer != Offer.ALLOWED:
        return Step(
            refusal=CashNotOffered,
            title=title,
            is_done=False,
            sentence=_("Play for money is not offered where you live."),
            since=region.begins_at if region else None,
        )
    doubt = open_doubt(player) if found.has_doubt else None
    if doubt is not None:
        return Step(
            refusal=PlaceDoubted,
            title=title,
            is_done=False,
            sentence=str(DOUBTED[PlaceDoubt.Kind(doubt.kind)]),
            action=_("Confirm my location"),
            address="place",
            since=doubt.noticed_at,
        )
    return Step(refusal=PlaceNotGiven, title=title, is_done=True)


def _age_step(player: User, region: Region | None, found: Restrictions) -> Step:
    title = _("Enter your birth date")
    if player.birth_date is None:
        return Step(
            refusal=AgeUnknown,
            title=title,
            is_done=False,
            sentence=_(
                "Play for money is for adults only. Enter your birth date on your account page."
            ),
            action="" if player.is_guest else title,
            address="" if player.is_guest else "birth-date",
        )
    age_min = region.age_min if region else AGE_MIN
    of_age = _birthday_of_age(player.birth_date, age_min)
    if of_age > timezone.localdate(found.now, site_zone()):
        return Step(
            refusal=UnderAge,
            title=_("Be at least %(age)d years old") % {"age": age_min},
            is_done=False,
            sentence=_("You must be at least %(age)d years old to play for money.")
            % {"age": age_min},
            until=datetime(of_age.year, of_age.month, of_age.day, tzinfo=site_zone()),
        )
    return Step(refusal=AgeUnknown, title=title, is_done=True)


def _email_step(player: User, found: Restrictions) -> Step:
    is_done = found.has_verified_email
    return Step(
        refusal=EmailUnverified,
        title=_("Confirm your e-mail address"),
        is_done=is_done,
        sentence=""
        if is_done
        else _(
            "Verify your e-mail address before you play for money. "
            "Your account page can send you the link."
        ),
        action="" if is_done or player.is_guest else _("Send me the link"),
        address="" if is_done or player.is_guest else "account_email",
    )


def _consent_step(player: User) -> Step:
    if not player.must_agree:
        sentence = ""
    elif not player.consent_version:
        sentence = _(
            "Before you play for money, read what we store about your network and device on the "
            "page “Privacy: what we store”, and agree to it. You can withdraw your money."
        )
    else:
        sentence = _(
            "What we store about your network and device has changed since you agreed to it. Read "
            "it and agree on the page “Privacy: what we store” before you play for money. Games "
            "in progress continue, and you can withdraw your money."
        )
    return Step(
        refusal=ConsentOutdated,
        title=_("Agree to what we store about your device"),
        is_done=not sentence,
        sentence=sentence,
        action=_("Read and agree") if sentence else "",
        address="network-data" if sentence else "",
    )


def _is_offered_anywhere() -> bool:
    """Return whether a row has ever opened play for money: a cheap upper bound."""
    begun = Region.objects.filter(begins_at__lte=DatabaseNow(), offer=Offer.ALLOWED)
    return begun.exists()


def _birthday_of_age(born: date, age_min: int) -> date:
    """Return the day a player comes of age; 29 February becomes 1 March in common years."""
    try:
        return born.replace(year=born.year + age_min)
    except ValueError:
        return date(born.year + age_min, 3, 1)
