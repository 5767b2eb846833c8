"""The export of all data about a player."""

from __future__ import annotations

from typing import Any

from core.api.openapi import as_json
from players.accounts.models import User
from players.accounts.region_codes import present_code
from players.cases.data_request_models import DataRequest
from players.cases.models import Remark
from players.eligibility.break_models import Break
from players.eligibility.hold_models import Hold
from players.eligibility.places.doubt_models import PlaceDoubt
from players.identity.models import IdentityCheck
from players.identity.phones.models import PhoneNumber
from players.identity.phones.numbers import number_of, readable_number
from players.identity.states import looks_at
from players.identity.tax_numbers import masked_tax_number
from players.limits.models import OwnLimit
from players.notifications.models import Notification
from players.notifications.texts import text_of
from players.sign_in.devices.models import PushSubscription
from players.sign_in.security.models import AccountChange
from players.sign_in.tokens.models import PlayerToken
from tables.history.games import game_row, games_of
from wallet.statements.statement import Statement, StatementRow
from wallet.tax.residence_models import TaxResidence
from wallet.withdrawals.payees.models import RegisteredPayee

Rows = list[dict[str, Any]]


def own_data(player: User) -> dict[str, Any]:
    """Return profile, games and statement as plain values; amounts are integer minor units."""
    return {
        "profile": _profile(player),
        "mobile_numbers": _mobile_numbers(player),
        "bots": _bots(player),
        "breaks": _breaks(player),
        "holds": _holds(player),
        "place_doubts": _place_doubts(player),
        "bank_accounts": _bank_accounts(player),
        "tax_number": masked_tax_number(player),
        "tax_residences": _tax_residences(player),
        "identity": _identity(player),
        "looks_at_documents": looks_at(player),
        "messages": _messages(player),
        "requests": _requests(player),
        "limits": _limits(player),
        "notices": _notices(player),
        "devices": _devices(player),
        "tokens": _tokens(player),
        "changes": _changes(player),
        "games": [as_json(game_row(seat)) for seat in games_of(player)],
        "statement": _statement(player),
    }


def _profile(player: User) -> dict[str, Any]:
    return {
        "id": str(player.public_id),
        "handle": player.handle,
        "email": player.email,
        "mobile_number": number_of(player),
        "agreed_to_text_of": player.consent_version,
        "is_guest": player.is_guest,
        "birth_date": player.birth_date,
        "country": player.country,
        "region": present_code(player.country, player.region),
        "time_zone": player.time_zone,
        "language": player.language,
        "reality_check_minutes": player.reality_check_minutes,
        "joined": player.date_joined,
    }


def _mobile_numbers(player: User) -> Rows:
    """Return the stored numbers of the player, including removed ones."""
    return [
        {
            "number": readable_number(row),
            "given": row.given_at,
            "confirmed": row.proved_at,
            "removed": row.replaced_at,
        }
        for row in PhoneNumber.objects.of_player(player).order_by("pk")
    ]


def _bots(player: User) -> Rows:
    return [
        {"handle": bot.handle, "declared": bot.date_joined, "is_active": bot.is_active}
        for bot in User.objects.filter(owner=player).order_by("pk")
    ]


def _breaks(player: User) -> Rows:
    return [
        {"kind": each.kind, "began": each.began_at, "ends": each.ends_at}
        for each in Break.objects.filter(player=player).order_by("pk")
    ]


def _holds(player: User) -> Rows:
    return [
        {"kind": hold.kind, "began": hold.set_at, "ended": hold.lifted_at}
        for hold in Hold.objects.filter(player=player).order_by("pk")
    ]


def _place_doubts(player: User) -> Rows:
    return [
        {
            "kind": doubt.kind,
            "declared": doubt.declared,
            "seen": doubt.seen,
            "noticed": doubt.noticed_at,
            "settled": doubt.settled_at,
        }
        for doubt in PlaceDoubt.objects.filter(player=player).order_by("pk")
    ]


def _bank_accounts(player: User) -> Rows:
    return [
        {"account": str(payee), "registered": payee.registered_at, "removed": payee.removed_at}
        for payee in RegisteredPayee.objects.of_player(player).order_by("pk")
    ]


def _tax_residences(player: User) -> Rows:
    declared = TaxResidence.objects.of_player(player).order_by("pk")
    names = ("kind", "country", "from_year", "declared_at", "state", "decided_at", "reason")
    return list(declared.values(*names))


def _identity(player: User) -> Rows:
    checks = IdentityCheck.objects.filter(player=player)
    return [
        {
            "name": check.name,
            "document": check.document_kind,
            "state": check.state,
            "submitted": check.submitted_at,
            "decided": check.decided_at,
            "sent_to": check.provider_check.provider if _was_sent(check) else "",
        }
        for check in checks.select_related("provider_check").order_by("pk")
    ]


def _was_sent(check: IdentityCheck) -> bool:
    """Return whether the documents were sent to a provider, with the player's consent."""
    asked = getattr(check, "provider_check", None)
    return asked is not None and asked.sent_at is not None


def _messages(player: User) -> Rows:
    """Return the messages between the player and staff, without internal notes."""
    remarks = Remark.objects.filter(case__player=player).exclude(kind=Remark.Kind.NOTE)
    return [
        {"case": remark.case.name, "at": remark.at, "kind": remark.kind, "text": remark.text}
        for remark in remarks.select_related("case").order_by("pk")
    ]


def _requests(player: User) -> Rows:
    return [
        {"about": each.about, "text": each.text, "at": each.asked_at, "ended": each.answered_at}
        for each in DataRequest.objects.of_player(player).order_by("pk")
    ]


def _limits(player: User) -> Rows:
    return [
        {
            "kind": limit.kind,
            "period": limit.period,
            "currency": limit.currency,
            "amount_minor": limit.amount_minor,
            "number": limit.number,
            "asked": limit.asked_at,
            "applies": limit.applies_at,
        }
        for limit in OwnLimit.objects.filter(player=player).order_by("pk")
    ]


def _notices(player: User) -> Rows:
    return [
        {"sent": notification.created_at, "text": text_of(notification)}
        for notification in Notification.objects.filter(player=player).order_by("pk")
    ]


def _devices(player: User) -> Rows:
    return [
        {"since": device.created_at, "endpoint": device.endpoint}
        for device in PushSubscription.objects.of_player(player).order_by("pk")
    ]


def _tokens(player: User) -> Rows:
    return [
        {"name": token.name, "made": token.created_at, "last_used": token.last_used_at}
        for token in PlayerToken.objects.of_player(player).order_by("pk")
    ]


def _changes(player: User) -> Rows:
    return [
        {"at": change.at, "what": str(change), "by_staff": change.by_staff}
        for change in AccountChange.objects.of_player(player).order_by("pk")
    ]


def _statement(player: User) -> Rows:
    return [
        {
            "booked": entry.transfer.created_at,
            "what": StatementRow(entry).text,
            "bucket": entry.account.kind,
            "currency": entry.account.currency,
            "amount_minor": entry.amount_minor,
            "balance_after_minor": entry.balance_after_minor,
        }
        for chunk in Statement(player).chunks()
        for entry in chunk
    ]
