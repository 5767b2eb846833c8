"""Who may do what: one answer for pages, the API and every service that moves a player."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Any, Final

from django.conf import settings
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from players.accounts.models import User
from players.accounts.verified_email import has_verified_email
from players.accounts.zones import site_today, site_zone
from players.eligibility.break_models import Break
from players.eligibility.breaks import hold_breaks, running_breaks
from players.eligibility.hold_models import Hold
from players.eligibility.phone_exclusions import is_stopped_by_number
from players.eligibility.places.doubt_models import PlaceDoubt
from players.eligibility.places.doubts import standing_doubt
from players.eligibility.places.models import AGE_MIN, Offer, Region
from players.eligibility.places.regions import region_in_force
from players.exceptions import (
    AgeUnknown,
    CashNotOffered,
    CashWindingDown,
    ConsentOutdated,
    CoolingOff,
    DepositsHeld,
    EmailUnverified,
    IdentityUnverified,
    NotEligible,
    PayeeNotPlayer,
    PlaceDoubted,
    PlayHeld,
    PlayProhibited,
    SelfExcluded,
    UnderAge,
    WithdrawalsHeld,
)
from players.identity.models import IdentityCheck
from players.identity.states import (
    is_same_name,
    must_show_whose_number,
    standing_of,
    state_of,
)


class Act(StrEnum):
    """What a player asks for. The stake's currency decides between points and cash."""

    POINTS = "points"
    CASH = "cash"
    DEPOSIT = "deposit"
    BONUS = "bonus"
    WITHDRAW = "withdraw"


@dataclass(frozen=True)
class Verdict:
    """Whether a player may do something; else why not, since when, and until when if it ends."""

    refusal: type[NotEligible] | None = None
    sentence: str = ""
    since: datetime | None = None
    until: datetime | None = None

    @property
    def is_allowed(self) -> bool:
        return self.refusal is None

    @property
    def code(self) -> str:
        """Return the code of the refusal; empty if it is allowed."""
        return self.refusal.code if self.refusal else ""

    def enforce(self) -> None:
        """Raise the refusal, if there is one."""
        if self.refusal is not None:
            raise self.refusal(self.sentence, since=self.since, until=self.until)


ALLOWED: Final = Verdict()
# Which hold of staff keeps a player from what, and what the player reads.
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
_ELSEWHERE: Final = gettext_lazy(
    "Your connection does not come from where your account says that you live. Play for "
    'money is closed until the page of your account, under "Where you live", or our '
    "staff have settled it."
)
DOUBTED: Final = {
    PlaceDoubt.Kind.ELSEWHERE: _ELSEWHERE,
    PlaceDoubt.Kind.HIDDEN: _ELSEWHERE,
    PlaceDoubt.Kind.UNPLACED: gettext_lazy(
        "Your connection does not show in which state or region you are, and play for money is "
        "not offered in all of them. Connect in another way, such as by Wi-Fi instead of mobile "
        'data, and confirm it on the page of your account under "Where you live"; or contact us.'
    ),
}


def may(player: User, act: Act) -> Verdict:
    """Return whether the player may do something now (RB 11.6).

    Of withdrawals it asks for a hold by staff and, where the place says so, who the player is:
    nothing else keeps anybody's own money from them.
    """
    if act == Act.WITHDRAW:
        held = _held(player, act)
        return _identified(player) if held.is_allowed else held
    if act == Act.POINTS and player.is_bot:
        # Who may not play lets no bot play either.
        return may(player.owner, act) if player.owner else ALLOWED
    running = running_breaks(player)
    if running.own is not None:
        return _of_break(running.own)
    if must_show_whose_number(player):
        return _unproved_number()
    if running.is_linked or is_stopped_by_number(player):
        return _hold_verdict(HELD_BY[act])
    held = _held(player, act)
    if not held.is_allowed:
        return held
    region = region_in_force(player.country, player.region)
    if act != Act.POINTS:
        return _cash(player, region)
    if region is not None and region.offer == Offer.PROHIBITED:
        return Verdict(
            PlayProhibited,
            _("Playing is prohibited where you live. Withdrawals stay open."),
            since=region.begins_at,
        )
    return ALLOWED


def require_may(player: User, act: Act) -> None:
    """Raise the refusal of `may`, if there is one.

    In a transaction no break or hold of this player begins between the answer and the commit, nor
    does an approval change what is offered. A change with a time of its own begins at that time.
    """
    hold_breaks(player)
    may(player, act).enforce()


def _cash(player: User, region: Region | None) -> Verdict:
    """Return whether cash is open and lawful where the player is, and they are of age and known."""
    since = region.begins_at if region else None
    offer = region.offer if region else Offer.POINTS
    is_person = not (player.is_guest or player.is_bot)
    if settings.CASH_WIND_DOWN or (is_person and offer == Offer.WIND_DOWN):
        since = None if settings.CASH_WIND_DOWN else since
        sentence = _("We no longer take money in. Withdrawals stay open.")
        return Verdict(CashWindingDown, sentence, since=since)
    if not is_person or offer != Offer.ALLOWED:
        return Verdict(CashNotOffered, _("Play for money is not offered where you live."), since)
    doubt = standing_doubt(player)
    if doubt is not None:
        sentence = str(DOUBTED[PlaceDoubt.Kind(doubt.kind)])
        return Verdict(PlaceDoubted, sentence, since=doubt.noticed_at)
    if player.birth_date is None:
        return Verdict(
            AgeUnknown,
            _(
                "Play for money is for adults, and we do not know your birth date. "
                "Give it on the page of your account."
            ),
        )
    age_min = region.age_min if region else AGE_MIN
    of_age = _birthday_of_age(player.birth_date, age_min)
    if of_age > site_today():
        return Verdict(
            UnderAge,
            _("Play for money is for players of %(age)d or older.") % {"age": age_min},
            until=datetime(of_age.year, of_age.month, of_age.day, tzinfo=site_zone()),
        )
    if not has_verified_email(player):
        return Verdict(
            EmailUnverified,
            _(
                "Verify your e-mail address before you play for money: "
                "the page of your account sends you the link."
            ),
        )
    return _consented(player)


def _consented(player: User) -> Verdict:
    """Return whether the player has agreed to the text on what is stored, as it is now."""
    if not player.must_agree:
        return ALLOWED
    if not player.consent_version:
        sentence = _(
            "Before you play for money, read what we store about your network and device on the "
            "page “Privacy: what we store”, and agree to it. You can withdraw your money."
        )
        return Verdict(ConsentOutdated, sentence)
    return Verdict(
        ConsentOutdated,
        _(
            "What we store about your network and device has changed since you agreed to it. Read "
            "it and agree on the page “Privacy: what we store” before you play for money. Games "
            "that have begun go on, and you can withdraw your money."
        ),
    )


def require_own_name(player: User, name: str) -> None:
    """Raise `PayeeNotPlayer` where money goes to a person checked, and this is another's name."""
    if not _needs_identity(player):
        return
    known = standing_of(player)
    if known is None or not is_same_name(known.name, name):
        raise PayeeNotPlayer(
            _("Money is paid out to an account in your own name, as your documents have it.")
        )


def _identified(player: User) -> Verdict:
    """Return whether the place asks who withdraws, and the player has not shown that yet."""
    if not _needs_identity(player) or standing_of(player) is not None:
        return ALLOWED
    if state_of(player) == IdentityCheck.State.SUBMITTED:
        sentence = _("We are checking your documents. Withdrawals open when we have.")
    else:
        sentence = _(
            "Before you withdraw money, show us who you are: "
            "the page of your account asks for a document."
        )
    return Verdict(IdentityUnverified, sentence)


def _needs_identity(player: User) -> bool:
    region = region_in_force(player.country, player.region)
    return region is not None and region.withdrawal_needs_identity


def _held(player: User, act: Act) -> Verdict:
    """Return the refusal of a standing hold on this act, if there is one."""
    hold = Hold.objects.standing().filter(player=player, kind=HELD_BY[act]).first()
    if hold is None:
        return ALLOWED
    if hold.kind != Hold.Kind.WITHDRAW:
        return _hold_verdict(Hold.Kind(hold.kind))
    refusal, sentence = HELD[Hold.Kind.WITHDRAW]
    begun = date_format(timezone.localtime(hold.set_at), "j M Y, H:i")
    return Verdict(refusal, str(sentence) % {"begun": begun}, since=hold.set_at)


def _hold_verdict(kind: Hold.Kind) -> Verdict:
    """Return the refusal of play or deposits on hold, without a date.

    It is the same by staff and by an exclusion found under a PAN or a mobile number: who reads it
    learns nothing of another account.
    """
    refusal, sentence = HELD[kind]
    return Verdict(refusal, str(sentence))


def _unproved_number() -> Verdict:
    sentence = _(
        "The PAN you gave was that of an account that is closed now. Before you play, show us who "
        "you are: the page of your account asks for a document. You can withdraw your money."
    )
    return Verdict(IdentityUnverified, sentence)


def _of_break(pause: Break) -> Verdict:
    begun = date_format(timezone.localtime(pause.began_at), "j M Y, H:i")
    if pause.kind == Break.Kind.COOL_OFF:
        refusal: type[NotEligible] = CoolingOff
        sentence = _("You have taken a break since %(begun)s. It ends on %(end)s.")
    elif pause.ends_at is None:
        refusal = SelfExcluded
        sentence = _("You have excluded yourself from play for good, since %(begun)s.")
    else:
        refusal = SelfExcluded
        sentence = _("You have excluded yourself from play since %(begun)s. It ends on %(end)s.")
    end = date_format(timezone.localtime(pause.ends_at), "j M Y, H:i") if pause.ends_at else ""
    withdraw = _("Nobody lifts it earlier. You can withdraw your money.")
    said = f"{sentence % {'begun': begun, 'end': end}} {withdraw}"
    return Verdict(refusal, said, since=pause.began_at, until=pause.ends_at)


def _birthday_of_age(born: date, age_min: int) -> date:
    """Return the day a player comes of age; for 29 February it is 1 March of a common year."""
    try:
        return born.replace(year=born.year + age_min)
    except ValueError:
        return date(born.year + age_min, 3, 1)
