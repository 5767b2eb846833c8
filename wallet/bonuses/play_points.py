"""Play points: a currency without cash value (RB 11.3), granted by the site."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext_noop
from moneyed import Money

from players.accounts.models import User
from players.sign_in.guests import actions as guests
from players.sign_in.signup import HandleAdapter
from wallet.exceptions import PlayFirst, PointsSuffice
from wallet.ledger import accounts, posting
from wallet.ledger.days import site_day
from wallet.ledger.models import Account, Bucket, Transfer
from wallet.ledger.money import PLAY_POINTS, as_money, as_text, minor_units
from wallet.stakes.balances import money_in_games
from wallet.stakes.models import Stake

Document = Transfer.Document


def grant_sign_up(*, player: User) -> Transfer:
    """Grant a new player the first points, once.

    They are credited to the deposit bucket, since a bonus pays only a tenth of an entry (RB 11.1).
    """
    amount = settings.PLAY_POINTS_SIGN_UP
    key = f"grant:signup:{player.pk}"
    return _grant(player, amount, Document.SIGN_UP, key=key, memo=gettext_noop("Welcome"))


def refill_level() -> Money:
    """Return the balance a daily refill reaches."""
    return as_money(settings.PLAY_POINTS_REFILL_TO, PLAY_POINTS)


@transaction.atomic(durable=True)
def refill_points(*, player: User) -> Transfer:
    """Refill a player's points to the level, once a day (Asia/Kolkata).

    A second call on the same day returns the first transfer. Points in games count, so that joining
    a
    table earns none. Raise `PointsSuffice` at the level, `PlayFirst` if no game ended since the
    last
    grant.
    """
    mine = accounts.open_player_accounts(player=player, currency=PLAY_POINTS)
    buckets = [mine[bucket] for bucket in Bucket]
    locked = posting.lock([*buckets, _promotions()])
    key = f"grant:daily:{player.pk}:{site_day().isoformat()}"
    if earlier := Transfer.objects.filter(key=key).first():
        earlier.is_replay = True
        return earlier
    nothing = as_money(0, PLAY_POINTS)
    in_games = minor_units(money_in_games(player).get(PLAY_POINTS, nothing))
    missing = _missing([locked[bucket.pk] for bucket in buckets], refill_level()) - in_games
    if missing <= 0:
        raise PointsSuffice(f"you already have {as_text(refill_level())} or more")
    if not _has_played_since_points(player):
        raise PlayFirst("Finish a game first: none has ended since your last refill.")
    return _grant(player, missing, Document.REFILL, key=key, memo=gettext_noop("Daily refill"))


def _has_played_since_points(player: User) -> bool:
    """Return whether a game of the player ended since the last grant; the first needs none."""
    given = Transfer.objects.filter(
        kind=Transfer.Kind.GRANT,
        entries__account__in=Account.objects.of_player(player).filter(currency=PLAY_POINTS),
    )
    last = given.order_by("-pk").first()
    if last is None:
        return True
    stakes = Stake.objects.filter(player=player, escrow__currency=PLAY_POINTS)
    settled = Q(status=Stake.Status.SETTLED, closed_at__gte=last.created_at)
    lost = Q(status=Stake.Status.LOST, created_at__gte=last.created_at)
    return stakes.filter(settled | lost).exists()


@transaction.atomic
def ensure_points(*, player: User, at_least: Money) -> Transfer | None:
    """Top up a practice bot to the amount it needs; return None if it has enough.

    The key contains the state of the buckets, so that a concurrent call posts nothing.
    """
    assert at_least.currency.code == PLAY_POINTS, "only play points are granted"
    mine = accounts.open_player_accounts(player=player, currency=PLAY_POINTS)
    spendable = [mine[Account.Kind.DEPOSIT], mine[Account.Kind.WINNINGS]]
    if _missing(spendable, at_least) <= 0:
        return None
    locked = posting.lock([*spendable, _promotions()])
    now = [locked[account.pk] for account in spendable]
    if (missing := _missing(now, at_least)) <= 0:
        return None
    versions = ":".join(str(account.version) for account in now)
    key = f"grant:refill:{player.pk}:{versions}"
    return _grant(player, missing, Document.BOT, key=key, memo=gettext_noop("Refill"))


def _missing(spendable: Iterable[Account], at_least: Money) -> int:
    return minor_units(at_least) - sum(account.balance_minor for account in spendable)


def _promotions() -> Account:
    return accounts.operator_account(kind=Account.Kind.PROMOTIONS, currency=PLAY_POINTS)


def _grant(
    player: User, amount_minor: int, document: Transfer.Document, *, key: str, memo: str
) -> Transfer:
    mine = accounts.open_player_accounts(player=player, currency=PLAY_POINTS)
    points = as_money(amount_minor, PLAY_POINTS)
    return posting.post(
        key=key,
        kind=Transfer.Kind.GRANT,
        entries=[(_promotions(), -points), (mine[Account.Kind.DEPOSIT], points)],
        document=document,
        document_id=None if document == Document.BOT else player.pk,
        memo=memo,
        actor="system",
    )


class SignUpAdapter(HandleAdapter):
    """Sign players up and grant their first play points."""

    @transaction.atomic
    def save_new_player(self, player: User, form: Any) -> None:
        """Save the account and its grant in one transaction."""
        super().save_new_player(player, form)
        grant_sign_up(player=player)


@transaction.atomic(durable=True)
def sign_up_guest() -> User:
    """Create a guest and its first play points in one transaction."""
    guest = guests.make_guest()
    grant_sign_up(player=guest)
    return guest
