"""All a player's own data in one piece, for them to take along."""

from __future__ import annotations

from typing import Any

from core.api.openapi import as_json
from players.accounts.models import User
from players.cases.models import Remark
from players.devices.models import PushSubscription
from players.eligibility.break_models import Break
from players.eligibility.hold_models import Hold
from players.identity.models import IdentityCheck
from players.identity.states import looks_at
from players.identity.tax_numbers import masked_tax_number
from players.notifications.models import Notification
from players.notifications.texts import text_of
from players.places.doubt_models import PlaceDoubt
from players.tokens.models import PlayerToken
from tables.history.games import game_row, games_of
from wallet.limits.models import OwnLimit
from wallet.payees.models import RegisteredPayee
from wallet.statements.statement import Statement, StatementRow


def own_data(player: User) -> dict[str, Any]:
    """Return profile, games and statement as plain values; amounts are integer minor units."""
    return {
        "profile": {
            "id": str(player.public_id),
            "handle": player.handle,
            "email": player.email,
            "is_guest": player.is_guest,
            "birth_date": player.birth_date,
            "country": player.country,
            "region": player.region,
            "time_zone": player.time_zone,
            "language": player.language,
            "reality_check_minutes": player.reality_check_minutes,
            "joined": player.date_joined,
        },
        "bots": [
            {"handle": bot.handle, "declared": bot.date_joined, "is_active": bot.is_active}
            for bot in User.objects.filter(owner=player).order_by("pk")
        ],
        "breaks": [
            {"kind": each.kind, "began": each.began_at, "ends": each.ends_at}
            for each in Break.objects.filter(player=player).order_by("pk")
        ],
        "holds": [
            {"kind": each.kind, "began": each.set_at, "ended": each.lifted_at}
            for each in Hold.objects.filter(player=player).order_by("pk")
        ],
        "place_doubts": [
            {
                "kind": each.kind,
                "declared": each.declared,
                "seen": each.seen,
                "noticed": each.noticed_at,
                "settled": each.settled_at,
            }
            for each in PlaceDoubt.objects.filter(player=player).order_by("pk")
        ],
        "bank_accounts": [
            {
                "account": str(payee),
                "registered": payee.registered_at,
                "removed": payee.removed_at,
            }
            for payee in RegisteredPayee.objects.of_player(player).order_by("pk")
        ],
        "tax_number": masked_tax_number(player),
        "identity": [
            {
                "name": each.name,
                "document": each.document_kind,
                "state": each.state,
                "submitted": each.submitted_at,
                "decided": each.decided_at,
                "sent_to": each.provider_check.provider if _was_sent(each) else "",
            }
            for each in IdentityCheck.objects.filter(player=player)
            .select_related("provider_check")
            .order_by("pk")
        ],
        "looks_at_documents": looks_at(player),
        "messages": [
            {"case": each.case.name, "at": each.at, "kind": each.kind, "text": each.text}
            for each in Remark.objects.filter(case__player=player)
            .exclude(kind=Remark.Kind.NOTE)
            .select_related("case")
            .order_by("pk")
        ],
        "limits": [
            {
                "kind": act.kind,
                "period": act.period,
                "currency": act.currency,
                "amount_minor": act.amount_minor,
                "number": act.number,
                "asked": act.asked_at,
                "applies": act.applies_at,
            }
            for act in OwnLimit.objects.of_player(player).order_by("pk")
        ],
        "notices": [
            {"told": notification.created_at, "words": text_of(notification)}
            for notification in Notification.objects.filter(player=player).order_by("pk")
        ],
        "devices": [
            {"since": device.created_at, "endpoint": device.endpoint}
            for device in PushSubscription.objects.of_player(player).order_by("pk")
        ],
        "tokens": [
            {"name": token.name, "made": token.created_at, "last_used": token.last_used_at}
            for token in PlayerToken.objects.of_player(player).order_by("pk")
        ],
        "games": [as_json(game_row(seat)) for seat in games_of(player)],
        "statement": [
            {
                "booked": entry.transfer.created_at,
                "what": StatementRow(entry).words,
                "bucket": entry.account.kind,
                "currency": entry.account.currency,
                "amount_minor": entry.amount_minor,
                "balance_after_minor": entry.balance_after_minor,
            }
            for chunk in Statement(player).chunks()
            for entry in chunk
        ],
    }


def _was_sent(check: IdentityCheck) -> bool:
    """Return whether documents have left the house, as the player agreed."""
    asked = getattr(check, "provider_check", None)
    return asked is not None and asked.sent_at is not None
