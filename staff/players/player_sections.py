"""The sections of a player's page for staff; each needs the permission for its data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from allauth.usersessions.models import UserSession
from django.conf import settings
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.translation import gettext as _

from core.admin.links import link_to
from core.clock import database_now
from core.models import AuditEntry, action_label
from players.accounts.models import User
from staff.players import action_links
from tables.history.games import game_row, games_of
from tables.integrity.moderation.dispute_models import Dispute
from tables.models.seats import Seat
from tables.responsible.harm import SPAN, markers
from tables.seats.models import ReviewFlag
from tournaments.entries.models import Entry as TournamentEntry
from tournaments.entries.models import Ticket
from wallet.deposits.limits import remaining_limits
from wallet.deposits.models import Deposit
from wallet.ledger.amounts import Amount
from wallet.ledger.models import Account
from wallet.ledger.money import as_money, as_text
from wallet.stakes.balances import wallet_of
from wallet.statements.statement import Statement, StatementRow
from wallet.withdrawals.models import Withdrawal

ROWS_SHOWN: Final = 8


@dataclass(frozen=True, slots=True)
class Section:
    """A small table with a title, columns, rows and the URL of the full list."""

    title: str
    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    more: str = ""
    # Indexes of numeric columns, for alignment.
    numbers: frozenset[int] = field(default_factory=frozenset)


def sections_of(player: User, viewer: User) -> list[Section]:
    """Return the sections that the viewer may see, the most used first."""
    parts: tuple[tuple[str, Callable[[User, User], Section]], ...] = (
        ("wallet.view_account", _money),
        ("wallet.view_account", _accounts),
        ("wallet.view_entry", _entries),
        ("wallet.view_withdrawal", _withdrawals),
        ("wallet.view_deposit", _deposits),
        ("players.view_ownlimit", _limits),
        ("players.view_ownlimit", _harm),
        ("tables.view_table", _live_seats),
        ("tables.view_table", _games),
        ("tournaments.view_entry", _tournaments),
        ("tournaments.view_ticket", _tickets),
        ("tables.view_dispute", _disputes),
        ("tables.view_reviewflag", _flags),
        ("usersessions.view_usersession", _sessions),
        ("core.view_auditentry", _acts),
    )
    return [part(player, viewer) for permission, part in parts if viewer.has_perm(permission)]


def _money(player: User, viewer: User) -> Section:
    rows = [
        (held.currency, *map(as_text, (held.spendable, held.withdrawal_hold, held.in_games)))
        for held in wallet_of(player)
    ]
    columns = (_("Currency"), _("Spendable"), _("Being withdrawn"), _("In games"))
    return Section(_("Money"), columns, rows, numbers=frozenset({1, 2, 3}))


def _accounts(player: User, viewer: User) -> Section:
    """Return the player's accounts, each with a link to freeze or unfreeze it."""
    may_freeze = viewer.has_perm("wallet.add_accountfreeze")
    may_correct = viewer.has_perm("wallet.add_adjustment")
    accounts = Account.objects.of_player(player).order_by("currency", "pk")
    rows = [
        (
            link_to(account, f"{account.get_kind_display()} {account.currency}"),
            as_text(account.balance),
            account.get_status_display(),
            action_links.freeze(account) if may_freeze else "",
            action_links.correct(account) if may_correct else "",
        )
        for account in accounts
    ]
    columns = (_("Account"), _("Balance"), _("Status"), "", "")
    return Section(_("Accounts"), columns, rows, numbers=frozenset({1}))


def _entries(player: User, viewer: User) -> Section:
    rows = [
        (
            _time(entry.transfer.created_at),
            as_text(entry.amount),
            link_to(entry.transfer, StatementRow(entry).text),
            entry.account.get_kind_display(),
        )
        for entry in Statement(player).page(size=ROWS_SHOWN)
    ]
    columns = (_("When"), _("Amount"), _("Description"), _("Account"))
    more = _found("wallet_entry", player)
    return Section(_("Transfers"), columns, rows, more, numbers=frozenset({1}))


def _withdrawals(player: User, viewer: User) -> Section:
    latest = Withdrawal.objects.of_player(player)[:ROWS_SHOWN]
    rows = [
        (
            link_to(withdrawal, _time(withdrawal.requested_at)),
            as_text(withdrawal.amount),
            withdrawal.get_status_display(),
            _time(withdrawal.due_at),
        )
        for withdrawal in latest
    ]
    columns = (_("Requested"), _("Amount"), _("Status"), _("Due"))
    more = _found("wallet_withdrawal", player)
    return Section(_("Withdrawals"), columns, rows, more, numbers=frozenset({1}))


def _deposits(player: User, viewer: User) -> Section:
    rows = [
        (
            link_to(deposit, _time(deposit.created_at)),
            as_text(deposit.amount),
            deposit.get_status_display(),
            deposit.provider,
        )
        for deposit in Deposit.objects.of_player(player)[:ROWS_SHOWN]
    ]
    columns = (_("Ordered"), _("Amount"), _("Status"), _("Gateway"))
    more = _found("wallet_deposit", player)
    return Section(_("Deposits"), columns, rows, more, numbers=frozenset({1}))


def _limits(player: User, viewer: User) -> Section:
    rows = [
        (
            currency,
            row.period.label,
            *(as_text(limit) if limit is not None else _("none") for limit in (row.own, row.limit)),
            as_text(row.used),
        )
        for currency in settings.CASH_CURRENCIES
        for row in remaining_limits(player=player, currency=currency)
    ]
    columns = (_("Currency"), _("Within"), _("Player's own"), _("In force"), _("Used"))
    more = _found("players_ownlimit", player)
    return Section(_("Deposit limits"), columns, rows, more, numbers=frozenset({2, 3, 4}))


def _harm(player: User, viewer: User) -> Section:
    """Return the markers of harm of the last 30 days beside those of the 30 before."""
    now, currency = database_now(), settings.CASH_CURRENCIES[0]
    recent = markers(player, currency, since=now - SPAN, until=now)
    earlier = markers(player, currency, since=now - 2 * SPAN, until=now - SPAN)
    labels = {
        "deposits": _("Deposits"),
        "deposited": _("Paid in"),
        "deposits_on_loss_days": _("Deposits on days that ended with a loss"),
        "deposits_after_withdrawals": _("Deposits within a day after requesting a withdrawal"),
        "limits_raised": _("Own limits raised or removed"),
        "minutes": _("Minutes at tables"),
        "night_minutes": _("Of these between midnight and five"),
        "net": _("Won or lost in games"),
    }
    rows = [
        (label, _figure(getattr(recent, name)), _figure(getattr(earlier, name)))
        for name, label in labels.items()
    ]
    columns = (_("Marker"), _("Last 30 days"), _("Previous 30 days"))
    return Section(_("Markers of harm"), columns, rows, numbers=frozenset({1, 2}))


def _figure(value: int | Amount) -> str:
    return value.text if isinstance(value, Amount) else str(value)


def _live_seats(player: User, viewer: User) -> Section:
    seats = Seat.objects.present().of_player(player).filter(table__finished_at__isnull=True)
    may_rule = viewer.has_perm("tables.add_ruling")
    rows = [
        (
            link_to(seat.table),
            seat.table.get_phase_display(),
            _time(seat.joined_at),
            action_links.rule(seat.table) if may_rule else "",
        )
        for seat in seats.select_related("table").order_by("-pk")[:ROWS_SHOWN]
    ]
    return Section(_("At tables now"), (_("Table"), _("Phase"), _("Since"), ""), rows)


def _games(player: User, viewer: User) -> Section:
    rows: list[tuple[Any, ...]] = []
    for seat in games_of(player)[:ROWS_SHOWN]:
        game = game_row(seat)
        won = game.prize or game.won
        rows.append(
            (
                link_to(seat.table, game.name),
                game.variant,
                _time(game.started_at),
                "-" if game.place is None else game.place,
                as_text(as_money(game.paid.minor, game.paid.currency)),
                "-" if won is None else as_text(as_money(won.minor, won.currency)),
            )
        )
    columns: tuple[str, ...] = (
        _("Table"),
        _("Rules"),
        _("Started"),
        _("Place"),
        _("Paid"),
        _("Won"),
    )
    if not viewer.has_perm("wallet.view_account"):  # Operations staff do not see players' money.
        columns, rows = columns[:4], [row[:4] for row in rows]
    more = _found("tables_table", player, "handle")
    return Section(_("Games"), columns, rows, more, numbers=frozenset({3, 4, 5}))


def _tournaments(player: User, viewer: User) -> Section:
    entries = TournamentEntry.objects.of_player(player).select_related("tournament", "player")
    may_remove = viewer.has_perm("tournaments.add_staffaction")
    rows = [
        (
            link_to(entry.tournament),
            entry.get_state_display(),
            entry.place or "-",
            action_links.remove(entry) if may_remove else "",
        )
        for entry in entries.order_by("-pk")[:ROWS_SHOWN]
    ]
    columns = (_("Tournament"), _("Status"), _("Place"), "")
    more = _found("tournaments_entry", player, "handle")
    return Section(_("Tournaments"), columns, rows, more)


def _tickets(player: User, viewer: User) -> Section:
    tickets = Ticket.objects.filter(player=player).select_related("admits_to").order_by("-pk")
    may_refund = viewer.has_perm("tournaments.add_ticketrefund")
    rows = [
        (
            link_to(ticket),
            ticket.get_state_display(),
            action_links.pay_back(ticket) if may_refund else "",
        )
        for ticket in tickets[:ROWS_SHOWN]
    ]
    return Section(_("Tickets"), (_("Ticket"), _("Status"), ""), rows)


def _disputes(player: User, viewer: User) -> Section:
    disputes = Dispute.objects.of_player(player).defer("evidence").select_related("deal__table")
    rows = [
        (
            link_to(dispute, _time(dispute.opened_at)),
            dispute.get_category_display(),
            str(dispute.deal.table),
            dispute.get_status_display(),
            action_links.case(dispute),
        )
        for dispute in disputes[:ROWS_SHOWN]
    ]
    columns = (_("Opened"), _("About"), _("Table"), _("Status"), "")
    more = _found("tables_dispute", player, "handle")
    return Section(_("Disputes"), columns, rows, more)


def _flags(player: User, viewer: User) -> Section:
    flags = ReviewFlag.objects.of_player(player).select_related(
        "table", "seat__player", "other__player", "reviewed_by"
    )
    rows = [
        (
            link_to(flag, _time(flag.at)),
            flag.get_kind_display(),
            f"{flag.seat.player}, {flag.other.player}",
            flag.reviewed_by or _("not yet"),
            flag.note,
            action_links.case(flag),
        )
        for flag in flags[:ROWS_SHOWN]
    ]
    columns = (_("When"), _("Kind"), _("Players"), _("Reviewed by"), _("Note"), "")
    more = _found("tables_reviewflag", player, "handle")
    return Section(_("Review flags"), columns, rows, more)


def _sessions(player: User, viewer: User) -> Section:
    sessions = UserSession.objects.filter(user=player).order_by("-last_seen_at")
    rows = [
        (_time(session.created_at), session.ip, session.user_agent)
        for session in sessions[:ROWS_SHOWN]
    ]
    more = _found("usersessions_usersession", player, "handle")
    return Section(_("Sessions"), (_("Since"), _("Address"), _("Browser")), rows, more)


def _acts(player: User, viewer: User) -> Section:
    entries = AuditEntry.objects.about(player).select_related("by")
    rows = [
        (
            link_to(entry, _time(entry.at)),
            entry.actor,
            action_label(entry.act),
            entry.name,
            entry.reason,
        )
        for entry in entries[:ROWS_SHOWN]
    ]
    columns = (_("When"), _("By"), _("Action"), _("Object"), _("Reason"))
    more = _found("core_auditentry", player, "handle")
    return Section(_("Staff actions"), columns, rows, more)


def _found(name: str, player: User, by: str = "public_id") -> str:
    """Return the URL of an admin list filtered by the player."""
    return f"{reverse(f'admin:{name}_changelist')}?q={getattr(player, by)}"


def _time(moment: datetime | None) -> str:
    if moment is None:
        return "-"
    text = timezone.localtime(moment).strftime("%Y-%m-%d %H:%M")
    return format_html('<span class="time">{}</span>', text)
