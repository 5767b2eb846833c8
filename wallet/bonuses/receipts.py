"""Receipts of bonuses: grant with its terms, release, expiry (RB 11.1)."""

from __future__ import annotations

from typing import cast

from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from moneyed import Money

from core.text_validation import named
from players.accounts.zones import zone_of
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
