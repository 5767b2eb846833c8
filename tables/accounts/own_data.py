"""The export of all data about a player."""

from __future__ import annotations

from importlib import import_module
from operator import attrgetter
from typing import Any

from django.conf import settings
from django.db.models import Model, QuerySet

from core.api.openapi import as_json
from players.accounts.models import User
from players.accounts.places import present_code
from players.cases.models import DataRequest, HelpRequest, Remark
from players.eligibility.break_models import Break
from players.eligibility.hold_models import Hold
from players.eligibility.places.models import PlaceDoubt
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
from tables.history.sharing.models import SharedDeal
from tables.manners.models import Block, PlayerReport
from tables.ratings.models import Rating
from wallet.statements.statement import Statement, StatementRow
from wallet.tax.residence_models import TaxResidence
from wallet.withdrawals.payees.models import RegisteredPayee

Rows = list[dict[str, Any]]


def own_data(player: User) -> dict[str, Any]:
    """Return profile, games and statement as plain values; amounts are integer minor units."""
    return {
        **_of_person(player),
        **_of_account(player),
        "games": [as_json(game_row(seat)) for seat in games_of(player)],
        "ratings": _of(
            player,
            Rating,
            game="game",
            pace="pace",
            with_bots="with_bots",
            rating="shown",
            margin="margin",
            games="games",
        ),
        "shared_deals": _rows(
            SharedDeal.objects.of_player(player).select_related("deal__table"),
            table="deal.table.public_id",
            deal="deal.no",
            code="code",
            with_name="shows_name",
            shared="created_at",
            withdrawn="withdrawn_at",
        ),
        "blocked_players": _of(player, Block, name="blocked.handle", since="at"),
        # Without reports about the player: they belong to those who sent them.
        "reports": _rows(
            PlayerReport.objects.of_player(player).select_related("reported", "table"),
            about="reported.handle",
            table="table.name",
            kind="kind",
            step="ply",
            text="text",
            sent="sent_at",
            outcome="outcome",
        ),
        **_of_modules(player),
        "statement": _statement(player),
    }


def _of_modules(player: User) -> dict[str, Any]:
    """Return what the functions `own_data` of the modules in `settings.OWN_DATA` add."""
    found = (import_module(name).own_data(player) for name in settings.OWN_DATA)
    return {name: value for each in found for name, value in each.items()}


def _of_person(player: User) -> dict[str, Any]:
    """Return who the player is, what restricts their play, and their documents and accounts."""
    return {
        "profile": _profile(player),
        "mobile_numbers": [
            {
                "number": readable_number(row),
                "given": row.given_at,
                "confirmed": row.proved_at,
                "removed": row.replaced_at,
            }
            for row in PhoneNumber.objects.of_player(player).order_by("pk")
        ],
        "bots": _rows(
            User.objects.filter(owner=player),
            handle="handle",
            declared="date_joined",
            is_active="is_active",
        ),
        "breaks": _of(player, Break, kind="kind", began="began_at", ends="ends_at"),
        "holds": _of(player, Hold, kind="kind", began="set_at", ended="lifted_at"),
        "place_doubts": _of(
            player,
            PlaceDoubt,
            kind="kind",
            declared="declared",
            seen="seen",
            noticed="noticed_at",
            settled="settled_at",
        ),
        "bank_accounts": [
            {"account": str(payee), "registered": payee.registered_at, "removed": payee.removed_at}
            for payee in RegisteredPayee.objects.of_player(player).order_by("pk")
        ],
        "tax_number": masked_tax_number(player),
        "tax_residences": list(
            TaxResidence.objects.of_player(player)
            .order_by("pk")
            .values("kind", "country", "from_year", "declared_at", "state", "decided_at", "reason")
        ),
        "identity": _identity(player),
        "looks_at_documents": looks_at(player),
    }


def _of_account(player: User) -> dict[str, Any]:
    """Return messages, requests, limits, notices, devices, tokens and changes of the account."""
    return {
        # Without the internal notes of staff.
        "messages": _rows(
            Remark.objects.filter(case__player=player)
            .exclude(kind=Remark.Kind.NOTE)
            .select_related("case"),
            case="case.name",
            at="at",
            kind="kind",
            text="text",
        ),
        "messages_to_support": _of(
            player, HelpRequest, subject="subject", text="text", about="about_name", at="asked_at"
        ),
        "requests": _of(
            player, DataRequest, about="about", text="text", at="asked_at", ended="answered_at"
        ),
        "limits": _of(
            player,
            OwnLimit,
            kind="kind",
            period="period",
            currency="currency",
            amount_minor="amount_minor",
            number="number",
            asked="asked_at",
            applies="applies_at",
        ),
        "notices": [
            {"sent": notification.created_at, "text": text_of(notification)}
            for notification in Notification.objects.filter(player=player).order_by("pk")
        ],
        "devices": _of(player, PushSubscription, since="created_at", endpoint="endpoint"),
        "tokens": _of(
            player, PlayerToken, name="name", made="created_at", last_used="last_used_at"
        ),
        "changes": [
            {"at": change.at, "what": str(change), "by_staff": change.by_staff}
            for change in AccountChange.objects.of_player(player).order_by("pk")
        ],
    }


def _of(player: User, model: type[Model], **attributes: str) -> Rows:
    return _rows(model._default_manager.filter(player=player), **attributes)


def _rows(rows: QuerySet[Any], **attributes: str) -> Rows:
    """Return the attribute paths of each row, oldest first, by the names of the export."""
    paths = {name: attrgetter(path) for name, path in attributes.items()}
    return [{name: read(row) for name, read in paths.items()} for row in rows.order_by("pk")]


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
        "avatar": player.picture.value,
        "time_zone": player.time_zone,
        "language": player.language,
        "reality_check_minutes": player.reality_check_minutes,
        "has_public_profile": player.has_public_profile,
        "joined": player.date_joined,
    }


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
