"""Close an account: sign-in and player name are removed; the records are kept."""

from __future__ import annotations

from collections.abc import Iterable

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from players.accounts.conflicts_of_interest import is_in_game
from players.accounts.models import User
from players.accounts.verified_email import email_hash, has_verified_email
from players.eligibility import breaks
from players.eligibility.breaks import wait_for_acts
from players.eligibility.hold_models import Hold
from players.eligibility.phone_exclusions import forget_numbers_of, is_stopped_by_number
from players.identity.checks import date_undecided
from players.identity.phones.numbers import release_numbers
from players.identity.tax_numbers import release_tax_number
from players.notifications.models import Notification
from players.sign_in.devices.models import PushSubscription
from players.sign_in.security.models import AccountChange
from players.sign_in.tokens.actions import end_tokens
from tables.bots.declared import end_bots_of
from tables.exceptions import AccountHeld, DebtLeft, GamesLeft, MoneyLeft
from tables.history.sharing.actions import withdraw_links
from tables.manners.models import Block
from wallet.deposits.limits import outlasts_closing
from wallet.ledger import posting
from wallet.ledger.models import Account
from wallet.ledger.money import PLAY_POINTS, as_money, as_text


@transaction.atomic(durable=True)
def close_account(*, player_id: int) -> User:
    """Deactivate a player and remove handle, e-mail address and sign-ins from the account.

    Refuse with `account_held`, `money_left`, `debt_left` or `games_left`; the messages say what to
    do. Play points are left in place; games and ledger rows keep the account's key. The player's
    breaks and limits, and deposits that still count, apply again if they register with the same
    verified address.
    """
    player = User.objects.select_for_update(no_key=True).get(pk=player_id)
    if not player.is_active:
        return player
    wait_for_acts(player)  # So that no hold begins meanwhile.
    if Hold.objects.active().filter(player=player).exists():
        raise AccountHeld(
            _("Our staff are reviewing your account. Contact them on the page Your data.")
        )
    accounts = posting.lock(list(Account.objects.of_player(player).order_by("pk")))
    _refuse_games(player)
    _refuse_money(accounts.values())

    if has_verified_email(player) and _outlasts(player):
        player.closed_email_hash = email_hash(str(player.email))
    player.is_active = False
    player.handle = f"closed_{player.public_id.hex[-12:]}"
    player.email = f"{player.public_id}@closed.invalid"
    player.set_unusable_password()
    player.save(update_fields=["is_active", "handle", "email", "password", "closed_email_hash"])
    date_undecided(player)
    release_tax_number(player)
    release_numbers(player)
    forget_numbers_of(player)
    EmailAddress.objects.filter(user=player).delete()
    Authenticator.objects.filter(user=player).delete()
    PushSubscription.objects.of_player(player).delete()
    Notification.objects.filter(player=player).not_of_decisions().delete()
    AccountChange.objects.of_player(player).delete()
    Block.objects.filter(Q(player=player) | Q(blocked=player)).delete()
    end_tokens(player)
    withdraw_links(player)
    end_bots_of(player)
    sessions = UserSession.objects.filter(user=player)
    Session.objects.filter(session_key__in=sessions.values("session_key")).delete()
    sessions.delete()
    return player


def _outlasts(player: User) -> bool:
    """Return whether a restriction applies after a return with the same address."""
    return (
        outlasts_closing(player) or breaks.outlasts_closing(player) or is_stopped_by_number(player)
    )


def _refuse_money(accounts: Iterable[Account]) -> None:
    held = [a for a in accounts if a.balance_minor and a.currency != PLAY_POINTS]
    debts = [a for a in held if a.kind == Account.Kind.RECEIVABLE]
    if debts:  # First, because the owed amount cannot be withdrawn.
        owed = as_money(-debts[0].balance_minor, debts[0].currency)
        raise DebtLeft(
            _(
                "You owe %(owed)s for reversed payments. "
                "Deposit at least that much first, then close your account."
            )
            % {"owed": as_text(owed)}
        )
    if held:
        raise MoneyLeft(
            _("There is money in your wallet. Withdraw it first, then close your account.")
        )


def _refuse_games(player: User) -> None:
    if is_in_game(player):
        raise GamesLeft(_("You have unfinished games or tournaments. Leave or finish them first."))
