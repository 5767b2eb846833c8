"""Bots declared by players: accounts for programs, labelled at every table, for play points only.

A bot plays with its own token. It has no e-mail address and no password, cannot sign in, and never
holds money: the database refuses it accounts in other currencies, and every action on money refuses
bots.
"""

from __future__ import annotations

from typing import Final

from django.db import transaction
from django.utils.translation import gettext as _

from players.accounts.models import User
from players.exceptions import NotForGuests
from players.sign_in.security.changes import record_change
from players.sign_in.security.models import AccountChange
from players.sign_in.tokens.actions import end_tokens, new_token
from players.sign_in.tokens.models import PlayerToken
from tables.exceptions import HandleTaken, TooManyBots
from wallet.bonuses import play_points

BOTS_MAX: Final = 3


@transaction.atomic(durable=True)
def declare_bot(*, owner: User, handle: str) -> tuple[User, str]:
    """Return a new bot of this player, with play points of its own, and the text of its token.

    Codes: `not_for_guests`, `too_many_bots`, `handle_taken`.
    """
    owner = User.objects.locked().get(pk=owner.pk)
    if owner.is_guest or owner.is_bot:
        raise NotForGuests(_("Keep this account first: a guest's is known to one browser only."))
    if User.objects.get_queryset().own_bots(owner).count() >= BOTS_MAX:
        raise TooManyBots(_("You have reached the limit of bots. Delete one first."))
    if User.objects.filter(handle__iexact=handle).exists():
        raise HandleTaken(_("This player name is taken."))
    bot = User.objects.create_user(
        handle=handle,
        is_bot=True,
        owner=owner,
        language=owner.language,
        time_zone=owner.time_zone,
        consent_version=owner.consent_version,
    )
    play_points.grant_sign_up(player=bot)
    record_change(player=owner, kind=AccountChange.Kind.TOKEN_MADE, subject=handle)
    return bot, _token_for(bot)


@transaction.atomic(durable=True)
def replace_token(*, owner: User, bot_id: int) -> str:
    """Return the text of a bot's new token; the previous token becomes invalid."""
    bot = _own(owner, bot_id)
    end_tokens(bot)
    record_change(player=owner, kind=AccountChange.Kind.TOKEN_MADE, subject=bot.handle)
    return _token_for(bot)


def refill_bot(*, owner: User, bot_id: int) -> None:
    """Refill a bot's play points, at most once a day as for players."""
    play_points.refill_points(player=User.objects.get_queryset().own_bots(owner).get(pk=bot_id))


@transaction.atomic(durable=True)
def end_bot(*, owner: User, bot_id: int) -> None:
    """Delete a bot; the clock finishes its games, and its name stays reserved."""
    bot = _own(owner, bot_id)
    _end(bot)
    record_change(player=owner, kind=AccountChange.Kind.TOKEN_ENDED, subject=bot.handle)


def end_bots_of(owner: User) -> None:
    """Delete all bots of a player; the caller is in a transaction."""
    for bot in User.objects.get_queryset().own_bots(owner).locked():
        _end(bot)


def _own(owner: User, bot_id: int) -> User:
    return User.objects.get_queryset().own_bots(owner).locked().get(pk=bot_id)


def _end(player: User) -> None:
    player.is_active = False
    player.save(update_fields=["is_active"])
    end_tokens(player)


def _token_for(player: User) -> str:
    scopes = [PlayerToken.Scope.READ, PlayerToken.Scope.PLAY]
    _token, text = new_token(player, name=player.handle, scopes=scopes)
    return text
