"""Bots that players declare: accounts for programs, labelled at every table, for play points.

A bot is played with a token of its own. It has no e-mail address and no password, nobody signs in
as one, and it never holds money: the database's accounts of other currencies are refused to it at
every door that a person's account has.
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
    """Return a new bot of a player's, with play points of its own, and the text of its token.

    Codes: `not_for_guests`, `too_many_bots`, `handle_taken`.
    """
    owner = User.objects.locked().get(pk=owner.pk)
    if owner.is_guest or owner.is_bot:
        raise NotForGuests(_("Keep this account first: a guest's is known to one browser only."))
    if User.objects.get_queryset().own_bots(owner).count() >= BOTS_MAX:
        raise TooManyBots(_("You have as many bots as one may have. End one first."))
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
    """Return the text of a bot's new token; the one before has ended."""
    bot = _own(owner, bot_id)
    end_tokens(bot)
    record_change(player=owner, kind=AccountChange.Kind.TOKEN_MADE, subject=bot.handle)
    return _token_for(bot)


def refill_bot(*, owner: User, bot_id: int) -> None:
    """Fill a bot's play points up, once a day as a player's own."""
    play_points.refill_points(player=User.objects.get_queryset().own_bots(owner).get(pk=bot_id))


@transaction.atomic(durable=True)
def end_bot(*, owner: User, bot_id: int) -> None:
    """End a bot for good; the clock plays its games to their end, and its name stays taken."""
    bot = _own(owner, bot_id)
    _end(bot)
    record_change(player=owner, kind=AccountChange.Kind.TOKEN_ENDED, subject=bot.handle)


def end_bots_of(owner: User) -> None:
    """End all bots of a player; the caller is in a transaction."""
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
