"""Check passwords, pay for places, release them with a refund, and promote waiting entries."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import Any

from django.contrib.auth.hashers import check_password
from django.db import transaction
from django.utils import translation
from django.utils.translation import gettext as _

from core.addresses import network_of
from core.clock import database_now
from core.http import rates
from players.accounts.models import User
from players.eligibility.verdicts import require_may, stopped
from players.exceptions import NotEligible
from tables.responsible.verdicts import require_time
from tables.seats.origins import Origin
from tournaments.entries import notifications
from tournaments.entries.models import Entry, Ticket
from tournaments.exceptions import NotAllowed, TicketNotValid, TooManyPasswords, WrongPassword
from tournaments.planning.locks import LockedTournament
from tournaments.planning.models import Tournament
from wallet.exceptions import WalletError
from wallet.ledger.cash_offered import act_of
from wallet.ledger.money import PLAY_POINTS
from wallet.stakes import paid_entries, stakes


def pay(tournament: LockedTournament, entry: Entry, *, ticket: Ticket | None = None) -> None:
    """Pay for a free place by ticket or from the player's balances."""
    if ticket is not None:
        entry.ticket = _redeemed(tournament, entry.player, ticket)
    if tournament.entry_minor:
        take = stakes.take_stake
        if entry.ticket is not None:
            take = partial(paid_entries.take_stake, paid_from=entry.ticket.account)
        terms = _terms(tournament, entry)
        entry.stake = take(entry=tournament.entry, key=f"entry:{entry.pk}", **terms)
    is_here = tournament.state == Tournament.State.CHECK_IN
    entry.state = Entry.State.CHECKED_IN if is_here else Entry.State.REGISTERED
    entry.save(update_fields=["stake", "ticket", "state"])


def pay_add_on(tournament: LockedTournament, entry: Entry) -> None:
    """Pay for the add-on from the player's balances (RB 10.6)."""
    entry.addon_stake = stakes.take_stake(
        entry=tournament.addon, key=f"addon:{entry.pk}", **_terms(tournament, entry)
    )
    entry.save(update_fields=["addon_stake"])


def release(tournament: LockedTournament, entry: Entry, state: Entry.State, *, reason: str) -> None:
    """Release a place before the start; refund the entry to the balances or ticket that paid."""
    if entry.stake is not None:
        stakes.return_stakes(
            stakes=[entry.stake],
            key=f"{reason}:{entry.pk}",
            actor=entry.player.actor,
            memo=tournament.name,
        )
    if entry.stake is not None and entry.ticket is not None:
        entry.ticket.state = Ticket.State.ISSUED
        entry.ticket.save(update_fields=["state"])
    entry.state = state
    entry.save(update_fields=["state"])


def release_stopped(tournament: LockedTournament, now: datetime) -> int:
    """Withdraw and refund players who may not play and are not drawn; return their number.

    Tickets become usable again.
    """
    coming = tournament.entries.entered().filter(draw_no=None)
    entered = list(coming.select_related("stake", "ticket", "player"))
    players = stopped([entry.player_id for entry in entered], act_of(tournament.currency))
    gone = [entry for entry in entered if entry.player_id in players]
    for entry in gone:
        release(tournament, entry, Entry.State.WITHDRAWN, reason="stopped")
        with translation.override(entry.player.language):
            reason = _("You are on a break or on hold, or play is closed where you live.")
        notifications.notify_of_removal(tournament, entry, now, reason=reason)
    return len(gone)


def promote(tournament: LockedTournament) -> list[Entry]:
    """Give free places to the first entries on the waiting list that are eligible and can pay."""
    free = tournament.entrants_max - tournament.entries.standing().of_players().count()
    promoted: list[Entry] = []
    for entry in tournament.entries.waiting().select_related("player", "ticket"):
        if len(promoted) >= free:
            break
        try:
            with transaction.atomic():
                refuse_currency(tournament, entry.player)
                pay(tournament, entry, ticket=entry.ticket)
                notifications.notify_of_place(tournament, entry, database_now())
        except (WalletError, NotEligible, TicketNotValid):
            continue
        promoted.append(entry)
    return promoted


def refuse_currency(tournament: Tournament, player: User) -> None:
    """Raise unless this player may play for this tournament's currency (RB 11.3, 11.6)."""
    if player.is_bot and tournament.currency != PLAY_POINTS:
        raise NotAllowed("Bots play for play points only.")
    if player.owner_id and (tournament.awards_id or not tournament.bots_fill):
        raise NotAllowed("Declared bots can only enter practice tournaments without ticket prizes.")
    require_may(player, act_of(tournament.currency))
    require_time(player)


def refuse_wrong_password(
    *, tournament_id: int, player: User, password: str, origin: Origin | None
) -> None:
    """Raise unless the password is that of the tournament, or the tournament has none.

    Called outside a transaction, because hashing takes a part of a second. Attempts are counted by
    player and by network (scope `passwords`), right ones too. Codes: `wrong_password`,
    `too_many_passwords`.
    """
    stored = Tournament.objects.values_list("password_hash", flat=True).get(pk=tournament_id)
    if not stored:
        return
    if not password:
        raise WrongPassword(_("This tournament has a password. Ask its organiser for it."))
    network = None if origin is None else network_of(origin.address)
    verdict = rates.take("passwords", player=player.pk, network=network)
    if verdict is not None and verdict.is_refused:
        raise TooManyPasswords(_("Too many attempts. Try again in an hour."))
    if not check_password(password, stored):
        raise WrongPassword(_("This is not the password of the tournament."))


def _terms(tournament: Tournament, entry: Entry) -> dict[str, Any]:
    """Return what all payments of an entry into its tournament have in common."""
    return {
        "player": entry.player,
        "escrow": tournament.escrow_account,
        "rake_bps": tournament.rake_bps,
        "actor": entry.player.actor,
        "memo": tournament.name,
    }


def _redeemed(tournament: Tournament, player: User, ticket: Ticket) -> Ticket:
    locked = Ticket.objects.select_for_update(of=("self",)).select_related("account")
    ticket = locked.get(pk=ticket.pk)
    admits = ticket.admits_to_id == tournament.template_id
    is_whole = ticket.value == tournament.entry
    if ticket.player_id != player.pk or ticket.state != Ticket.State.ISSUED:
        raise TicketNotValid(_("This ticket is already used or belongs to another player."))
    if not admits or not is_whole:
        raise TicketNotValid(_("This ticket is for another tournament."))
    ticket.state = Ticket.State.USED
    ticket.save(update_fields=["state"])
    return ticket
