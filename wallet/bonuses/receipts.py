"""A player's open bonuses, and their receipts: grant with its terms, release, expiry (RB 11.1)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from django.db.models import Q
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from moneyed import Money

from core.clock import DatabaseNow
from core.text_validation import named
from players.accounts.models import User
from players.accounts.zones import zone_of
from wallet.bonuses.bonuses import end_of
from wallet.bonuses.models import BonusGrant, BonusMode, BonusMovement
from wallet.ledger.models import Entry, Transfer
from wallet.ledger.money import as_money, as_text, percent
from wallet.ledger.receipt_line import Description, Line, moved, total
from wallet.stakes.models import Stake, StakePart


def describe_grant(transfer: Transfer, entries: tuple[Entry, ...]) -> Description:
    grant = BonusGrant.objects.select_related("account").get(transfer=transfer)
    text = _("You got this bonus. %(use)s It ends on %(end)s; the rest then expires.")
    return text % {"use": use_label(grant), "end": day_of_end(grant)}, moved(entries)


def describe_release(transfer: Transfer, entries: tuple[Entry, ...]) -> Description:
    stake = Stake.objects.select_related("escrow").get(pk=cast(int, transfer.document_id))
    lines = [Line(_("Your entry in the settled game"), stake.entry)]
    for movement in _movements(transfer):
        grant = movement.grant
        text = _("Released from “%(bonus)s”: %(share)s of a settled entry")
        values = {"bonus": named(grant.reason), "share": share_text(grant.release_bps)}
        lines.append(Line(text % values, as_money(-movement.amount_minor, grant.currency)))
        left = _("Still locked of “%(bonus)s”") % {"bonus": named(grant.reason)}
        lines.append(Line(left, _left_after(movement)))
    paid = total(tuple(entry for entry in entries if entry.amount_minor > 0))
    lines.append(Line(_("Paid to your winnings"), paid, is_result=True))
    text = _("A settled game released a part of your locked bonus to your winnings.")
    return text, tuple(lines)


def describe_expiry(transfer: Transfer, entries: tuple[Entry, ...]) -> Description:
    [movement] = _movements(transfer)
    grant = movement.grant
    lines = [Line(_("Granted"), grant.amount)]
    used, expired = _taken_before(movement)
    if used:
        text = _("Spent on entries")
        if grant.mode == BonusMode.RELEASE:
            text = _("Released to your winnings")
        lines.append(Line(text, -used))
    if expired:
        lines.append(Line(_("Expired before"), -expired))
    lines.append(Line(_("Expired now"), -total(entries), is_result=True))
    text = _("Your bonus “%(bonus)s” ended on %(end)s. The rest expired.")
    return text % {"bonus": named(grant.reason), "end": day_of_end(grant)}, tuple(lines)


def spent_lines(stake: Stake) -> tuple[Line, ...]:
    """Return a line for each lot that paid a part of an entry, soonest ending first."""
    parts = StakePart.objects.filter(stake=stake, grant__isnull=False)
    return tuple(
        Line(
            _("From bonus “%(bonus)s”") % {"bonus": named(part.grant.reason)},
            as_money(part.amount_minor, stake.currency),
        )
        for part in parts.select_related("grant").order_by("position")
        if part.grant
    )


def expired_on_return(transfer: Transfer, entries: tuple[Entry, ...]) -> str:
    """Return a sentence about the refund of an ended bonus, which expired at once, or ""."""
    accounts = {entry.account_id for entry in entries}
    ended = BonusMovement.objects.filter(
        transfer__kind=Transfer.Kind.EXPIRY, transfer__xid=transfer.xid
    )
    gone = transfer.bonus_movements.filter(
        grant__account__in=accounts, grant__in=ended.values("grant")
    )
    minor = sum(gone.values_list("amount_minor", flat=True))
    if not minor:
        return ""
    text = _("%(amount)s of it came from a bonus that has ended, and expired.")
    return text % {"amount": as_text(as_money(minor, entries[0].currency))}


def use_label(grant: BonusGrant) -> str:
    """Return how a lot is used, in the player's language."""
    if grant.mode == BonusMode.SPEND:
        return _("It pays a part of your entries.")
    text = _("It is locked: %(share)s of each settled entry moves to your winnings.")
    return text % {"share": share_text(grant.release_bps)}


def day_of_end(grant: BonusGrant) -> str:
    """Return when a lot ends, in its player's time zone."""
    return date_format(localtime(grant.expires_at, zone_of(grant.account.player)), "j M Y, H:i")


def share_text(bps: int | None) -> str:
    """Return basis points as a percentage with its sign."""
    return f"{percent(bps or 0)} %"


def _movements(transfer: Transfer) -> list[BonusMovement]:
    rows = transfer.bonus_movements.select_related("grant__account")
    return list(rows.order_by("grant__expires_at", "grant"))


def _earlier(movement: BonusMovement) -> list[BonusMovement]:
    earlier = movement.grant.movements.filter(pk__lt=movement.pk)
    return list(earlier.select_related("transfer"))


def _left_after(movement: BonusMovement) -> Money:
    minor = movement.amount_minor + sum(earlier.amount_minor for earlier in _earlier(movement))
    return as_money(minor, movement.grant.currency)


def _taken_before(movement: BonusMovement) -> tuple[Money, Money]:
    """Return what a lot had paid or released, and what of it had expired, before a movement."""
    used = expired = 0
    for earlier in _earlier(movement):
        if earlier.transfer.kind == Transfer.Kind.EXPIRY:
            expired -= earlier.amount_minor
        elif earlier.transfer.kind != Transfer.Kind.BONUS:
            used -= earlier.amount_minor
    currency = movement.grant.currency
    return as_money(used, currency), as_money(expired, currency)


@dataclass(frozen=True)
class OpenBonus:
    """A lot as shown to its player."""

    grant: BonusGrant
    in_games: Money
    # The largest share of an entry that bonuses pay, in basis points (RB 11.1).
    entry_share_bps: int
    # None while it is frozen.
    ends_at: datetime | None
    # Whether it has ended and waits only for its stakes in games.
    is_over: bool

    @property
    def is_locked(self) -> bool:
        return self.grant.mode == BonusMode.RELEASE

    @property
    def is_frozen(self) -> bool:
        """Return whether a wind-down suspends its end."""
        return self.ends_at is None

    @property
    def released_minor(self) -> int:
        """Return how much of a locked lot was released, in minor units."""
        return self.grant.amount_minor - self.grant.remaining_minor

    @property
    def released(self) -> Money:
        return as_money(self.released_minor, self.grant.currency)

    @property
    def text(self) -> str:
        if self.is_locked:
            text = _("Locked. %(share)s of each settled entry moves to your winnings.")
            return text % {"share": share_text(self.grant.release_bps)}
        text = _("Pays up to %(share)s of each entry, before your deposit.")
        return text % {"share": share_text(self.entry_share_bps)}


def open_bonuses_of(player: User, *, entry_share_bps: int) -> list[OpenBonus]:
    """Return the player's lots that are usable or in games, those that end soonest first."""
    lots = BonusGrant.objects.of_player(player).with_in_games()
    left = lots.filter(Q(remaining_minor__gt=0) | Q(in_games_minor__gt=0))
    rows: Any = left.annotate(read_at=DatabaseNow()).select_related("account__player", "transfer")
    shown = [
        OpenBonus(
            grant=lot,
            in_games=as_money(int(lot.in_games_minor), lot.currency),
            entry_share_bps=entry_share_bps,
            ends_at=(ends_at := end_of(lot)),
            is_over=ends_at is not None and ends_at <= lot.read_at,
        )
        for lot in rows.soonest_ending()
    ]
    return [bonus for bonus in shown if bonus.in_games or not bonus.is_over]
