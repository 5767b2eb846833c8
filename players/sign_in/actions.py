"""Staff actions on sign-in: end sessions, block, unblock, remove a second factor."""

from __future__ import annotations

from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import QuerySet

from core import audit_log
from players.accounts.conflicts_of_interest import (
    refuse_own_interest,
    refuse_staff_account,
    require_reason,
)
from players.accounts.models import User
from players.sign_in.enrolment import may_get_link, send_link
from players.sign_in.security.changes import record_change
from players.sign_in.security.models import AccountChange


@transaction.atomic
def end_session(*, session_id: int, by: User) -> bool:
    """Sign a player out of one session; return whether it was still there.

    Codes: `staff_account`, `shared_interest`.
    """
    session = UserSession.objects.select_related("user").filter(pk=session_id).first()
    if session is None:
        return False
    refuse_staff_account(session.user, by=by)
    refuse_own_interest(session.user, by=by)
    before = audit_log.facts(session)
    _end(UserSession.objects.filter(pk=session_id))
    session.pk = session_id
    audit_log.record(by=by, act="end", row=session, before=before, after={}, about=session.user)
    return True


@transaction.atomic
def end_own_session(*, player: User, session_id: int) -> bool:
    """Sign a player out of one of their sessions; return whether it was still there."""
    mine = UserSession.objects.filter(pk=session_id, user=player)
    is_there: bool = mine.exists()
    _end(mine)
    return is_there


@transaction.atomic
def block(*, player_id: int, by: User, reason: str) -> User:
    """Block sign-in to an account until it is unblocked; its games and money are unaffected.

    Blocking a blocked account changes nothing. Codes: `staff_account`, `shared_interest`,
    `reason_missing`.
    """
    player = _player(player_id, by, reason)
    if player.is_active:
        before = audit_log.facts(player)
        player.is_active = False
        player.save(update_fields=["is_active"])
        _end(UserSession.objects.filter(user=player))
        audit_log.record(by=by, act="block", row=player, before=before, about=player, reason=reason)
    return player


@transaction.atomic
def note(*, player_id: int, by: User, reason: str) -> User:
    """Record a note about a player in the audit log, such as a phone call. Codes as for `block`."""
    player = _player(player_id, by, reason)
    facts = {"note": reason}
    audit_log.record(by=by, act="note", row=player, after=facts, about=player, reason=reason)
    return player


@transaction.atomic
def unblock(*, player_id: int, by: User, reason: str) -> User:
    """Let a blocked player sign in again. Codes as for `block`."""
    player = _player(player_id, by, reason)
    if not player.is_active:
        before = audit_log.facts(player)
        player.is_active = True
        player.save(update_fields=["is_active"])
        audit_log.record(
            by=by, act="unblock", row=player, before=before, about=player, reason=reason
        )
    return player


@transaction.atomic
def remove_second_factor(*, player_id: int, by: User) -> bool:
    """Remove all second factors of an account that lost them; return whether any existed.

    All sessions of the account end. After the next sign-in a new factor must be set up.
    """
    _refuse_interest(player_id, by)
    player = User.objects.locked().get(pk=player_id)
    factors = Authenticator.objects.filter(user=player)
    kinds = ", ".join(factors.order_by("type").values_list("type", flat=True))
    if not kinds:
        return False
    factors.delete()
    _end(UserSession.objects.filter(user=player))
    had = {"second_factor": kinds}
    audit_log.record(by=by, act="take_factor", row=player, before=had, after={}, about=player)
    record_change(player=player, kind=AccountChange.Kind.FACTOR_REMOVED, by_staff=True)
    if may_get_link(player):
        send_link(player=player, by=by)
    return True


def _player(player_id: int, by: User, reason: str) -> User:
    _refuse_interest(player_id, by)
    player = User.objects.locked().get(pk=player_id)
    refuse_staff_account(player, by=by)
    require_reason(reason)
    return player


def _refuse_interest(player_id: int, by: User) -> None:
    # Called before the player's row is locked, because games are locked first.
    refuse_own_interest(User.objects.get(pk=player_id), by=by)


def _end(sessions: QuerySet[UserSession]) -> None:
    rows = list(sessions.values_list("session_key", flat=True))
    Session.objects.filter(session_key__in=rows).delete()
    UserSession.objects.filter(session_key__in=rows).delete()
