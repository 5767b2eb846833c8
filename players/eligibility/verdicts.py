"""Decide what a player may do, for pages, the API and all services."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import cached_property
from typing import Any, Final

from django.conf import settings
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.clock import DatabaseNow
from players.accounts.models import User
from players.eligibility.break_models import Break
from players.eligibility.breaks import NO_BREAKS, hold_breaks, running_breaks
from players.eligibility.checklist import (
    Restrictions,
    Step,
    cash_steps,
    find_restrictions,
    identity_step,
    needs_identity,
)
from players.eligibility.hold_models import Hold
from players.eligibility.phone_exclusions import is_stopped_by_number
from players.eligibility.places.models import Offer, Region
from players.eligibility.places.regions import offer_in, region_in_force
from players.exceptions import (
    CashNotOffered,
    CashWindingDown,
    CoolingOff,
    DepositsHeld,
    IdentityUnverified,
    NotEligible,
    PayeeNotPlayer,
    PlayHeld,
    PlayProhibited,
    SelfExcluded,
    WithdrawalsHeld,
)
from players.identity.states import current_verification, is_same_name


class Act(StrEnum):
    """Kinds of actions of players. The stake's currency decides between points and cash."""

    POINTS = "points"
    CASH = "cash"
    DEPOSIT = "deposit"
    BONUS = "bonus"
    WITHDRAW = "withdraw"


@dataclass(frozen=True)
class Verdict:
    """Whether an action is allowed; if not, the reason, since when, and until when if it ends."""

    refusal: type[NotEligible] | None = None
    sentence: str = ""
    since: datetime | None = None
    until: datetime | None = None
    find_steps: Callable[[], Iterable[Step]] = field(default=tuple, compare=False)

    @property
    def is_allowed(self) -> bool:
        return self.refusal is None

    @property
    def code(self) -> str:
        """Return the code of the refusal; empty if the action is allowed."""
        return self.refusal.code if self.refusal else ""

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The checklist with the open step that is the reason; empty for other reasons."""
        return tuple(self.find_steps())

    def enforce(self) -> None:
        """Raise the refusal, if there is one."""
        if self.refusal is not None:
            steps = [step.as_detail() for step in self.steps]
            raise self.refusal(self.sentence, since=self.since, until=self.until, steps=steps)


ALLOWED: Final = Verdict()
# The kind of hold that blocks each action, and the refusal shown to the player.
HELD_BY: Final = {
    Act.POINTS: Hold.Kind.PLAY,
    Act.CASH: Hold.Kind.PLAY,
    Act.BONUS: Hold.Kind.PLAY,
    Act.DEPOSIT: Hold.Kind.DEPOSIT,
    Act.WITHDRAW: Hold.Kind.WITHDRAW,
}
HELD: Final[dict[Hold.Kind, tuple[type[NotEligible], Any]]] = {
    Hold.Kind.PLAY: (
        PlayHeld,
        gettext_lazy(
            "Play is on hold for your account. Your money stays in your wallet, and you can "
            "withdraw it. To ask why, write to our staff on the page “Your data”."
        ),
    ),
    Hold.Kind.DEPOSIT: (
        DepositsHeld,
        gettext_lazy(
            "Deposits are on hold for your account. Your money stays in your wallet, and you can "
            "withdraw it. To ask why, write to our staff on the page “Your data”."
        ),
    ),
    Hold.Kind.WITHDRAW: (
        WithdrawalsHeld,
        gettext_lazy(
            "Our staff have put withdrawals on hold for your account since %(begun)s. "
            "Your money stays in your wallet."
        ),
    ),
}


def may(player: User, act: Act) -> Verdict:
    """Return whether the player may do something now (RB 11.6).

    Withdrawals are refused only for a hold by staff and, if the region requires it, a missing
    identity check.
    """
    if act == Act.WITHDRAW:
        held = _held(player, act)
        return _identified(player) if held.is_allowed else held
    if act == Act.POINTS and player.is_bot:
        # A player who may not play cannot let a bot play either.
        return may(player.owner, act) if player.owner else ALLOWED
    found = find_restrictions(player, HELD_BY[act])
    stopped = _stopped(player, act, found)
    if not stopped.is_allowed:
        return stopped
    region = region_in_force(player.country, player.region)
    if act != Act.POINTS:
        return _cash(player, region, found)
    if region is not None and region.offer == Offer.PROHIBITED:
        return Verdict(
            PlayProhibited,
            _("Play is prohibited where you live. You can withdraw your money."),
            since=region.begins_at,
        )
    return ALLOWED


def _stopped(player: User, act: Act, found: Restrictions) -> Verdict:
    """Return the refusal by a break, a closed account of the same person, or a hold by staff."""
    running = running_breaks(player) if found.has_break else NO_BREAKS
    if running.own is not None:
        return _of_break(running.own)
    # This does not depend on that account's limits, so that a PAN reveals nothing about them.
    if found.has_former_number and current_verification(player) is None:
        return _unproved_number()
    if running.is_linked or (found.has_excluded_number and is_stopped_by_number(player)):
        return _hold_verdict(HELD_BY[act])
    return _held(player, act) if found.has_hold else ALLOWED


def require_may(player: User, act: Act) -> None:
    """Raise the refusal of `may`, if there is one.

    In a transaction, no break, hold or approved region change can start before the commit. A
    region change scheduled for a later time starts at that time.
    """
    hold_breaks(player)
    may(player, act).enforce()


def _cash(player: User, region: Region | None, found: Restrictions) -> Verdict:
    """Return the refusal of the first open step of the checklist, if there is one."""
    offer = region.offer if region else Offer.POINTS
    is_person = not (player.is_guest or player.is_bot)
    if settings.CASH_WIND_DOWN or (is_person and offer == Offer.WIND_DOWN):
        since = region.begins_at if region and not settings.CASH_WIND_DOWN else None
        sentence = _("Deposits and play for money have ended. You can withdraw your money.")
        return Verdict(CashWindingDown, sentence, since=since)
    if player.is_bot:
        return Verdict(CashNotOffered, _("Bots play for play points only."))
    missing = next((step for step in cash_steps(player, region, found) if not step.is_done), None)
    if missing is None:
        return ALLOWED
    return _of_step(missing, lambda: cash_steps(player, region, found))


def _of_step(step: Step, find_steps: Callable[[], Iterable[Step]]) -> Verdict:
    return Verdict(step.refusal, step.sentence, step.since, step.until, find_steps)


def require_own_name(player: User, name: str) -> None:
    """Raise `PayeeNotPlayer` if withdrawals need a verified identity and the name differs."""
    if not _needs_identity(player):
        return
    known = current_verification(player)
    if known is None or not is_same_name(known.name, name):
        raise PayeeNotPlayer(
            _("Use a bank account in your own name, as it is on your identity document.")
        )


def _identified(player: User) -> Verdict:
    """Return whether a withdrawal needs a verified identity that the player does not have yet."""
    if not _needs_identity(player):
        return ALLOWED
    step = identity_step(player)
    return ALLOWED if step.is_done else _of_step(step, lambda: [step])


def _needs_identity(player: User) -> bool:
    return needs_identity(region_in_force(player.country, player.region))


def _held(player: User, act: Act) -> Verdict:
    """Return the refusal by an active hold on this action, if there is one."""
    hold = Hold.objects.active().filter(player=player, kind=HELD_BY[act]).first()
    if hold is None:
        return ALLOWED
    if hold.kind != Hold.Kind.WITHDRAW:
        return _hold_verdict(Hold.Kind(hold.kind))
    refusal, sentence = HELD[Hold.Kind.WITHDRAW]
    begun = date_format(timezone.localtime(hold.set_at), "j M Y, H:i")
    return Verdict(refusal, str(sentence) % {"begun": begun}, since=hold.set_at)


def _hold_verdict(kind: Hold.Kind) -> Verdict:
    """Return the refusal of play or deposits on hold, without a date.

    A hold by staff and an exclusion found by PAN or mobile number have the same text, so that it
    reveals nothing about another account.
    """
    refusal, sentence = HELD[kind]
    return Verdict(refusal, str(sentence))


def _unproved_number() -> Verdict:
    sentence = _(
        "Your PAN belongs to an account that is now closed. Before you play, verify your identity: "
        "upload a document on your account page. You can withdraw your money."
    )
    return Verdict(IdentityUnverified, sentence)


def _of_break(pause: Break) -> Verdict:
    begun = date_format(timezone.localtime(pause.began_at), "j M Y, H:i")
    if pause.kind == Break.Kind.COOL_OFF:
        refusal: type[NotEligible] = CoolingOff
        sentence = _("You have taken a break since %(begun)s. It ends on %(end)s.")
    elif pause.ends_at is None:
        refusal = SelfExcluded
        sentence = _("You have excluded yourself from play permanently, since %(begun)s.")
    else:
        refusal = SelfExcluded
        sentence = _("You have excluded yourself from play since %(begun)s. It ends on %(end)s.")
    end = date_format(timezone.localtime(pause.ends_at), "j M Y, H:i") if pause.ends_at else ""
    withdraw = _("It cannot be lifted early. You can withdraw your money.")
    text = f"{sentence % {'begun': begun, 'end': end}} {withdraw}"
    return Verdict(refusal, text, since=pause.began_at, until=pause.ends_at)


def stopped(player_ids: Collection[int], act: Act) -> set[int]:
    """Return the keys of the players who may not start another game.

    Stopped are players with a break, a hold or a closed place, and blocked accounts. An open doubt
    about a place does not stop a player, because GeoIP files have wrong regions. A declared bot is
    stopped with its owner; the site's bots never are.
    """
    rows = (
        User.objects.filter(pk__in=player_ids)
        .order_by("pk")
        .values_list("pk", "owner", "is_bot", "is_active", "owner__is_active")
    )
    seated = [row for row in rows if row[1] or not row[2]]  # Without the site's bots.
    owners = {key: owner or key for key, owner, *_more in seated}
    blocked = {key for key, *_of, is_in, owner_in in seated if not is_in or owner_in is False}
    people = {*owners.values()}
    if not people:
        return set()
    pausing = Break.objects.running_at(DatabaseNow()).filter(player__in=people)
    held = Hold.objects.active().filter(player__in=people, kind=Hold.Kind.PLAY)
    out = {*pausing.values_list("player", flat=True), *held.values_list("player", flat=True)}
    out |= _where_it_is_closed(people, act)
    return blocked | {key for key, person in owners.items() if person in out}


def _where_it_is_closed(people: Collection[int], act: Act) -> set[int]:
    if act != Act.POINTS and settings.CASH_WIND_DOWN:
        return {*people}
    rows = User.objects.filter(pk__in=people).order_by("pk").values_list("pk", "country", "region")
    places = {key: (country, region) for key, country, region in rows}
    offers = {place: offer_in(*place) for place in {*places.values()}}
    if act == Act.POINTS:
        return {key for key, place in places.items() if offers[place] == Offer.PROHIBITED}
    return {key for key, place in places.items() if offers[place] != Offer.ALLOWED}
