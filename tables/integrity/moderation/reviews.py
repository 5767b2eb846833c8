"""Reviews of pairs of seats of one network or device at one table, and how the two played."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q

from core import audit_log
from core.clock import database_now
from players.accounts.conflicts_of_interest import refuse_own_interest
from players.accounts.models import User
from tables.models.deals import Deal
from tables.models.seats import Score
from tables.seats.models import ReviewFlag

DROPS = (Score.How.FIRST_DROP, Score.How.MIDDLE_DROP)


@transaction.atomic
def review_pair(*, flag_id: int, by: User, note: str) -> ReviewFlag:
    """Save the review of a pair by a member of staff, who may share no game with either."""
    flags = ReviewFlag.objects.select_related("table", "seat__player", "other__player")
    flag = flags.get(pk=flag_id)
    refuse_own_interest(flag.seat.player, flag.other.player, flag.table, by=by)
    before = audit_log.facts(flag)
    flag.note, flag.reviewed_by, flag.reviewed_at = note, by, database_now()
    flag.save(update_fields=["note", "reviewed_by", "reviewed_at"])
    audit_log.record(by=by, act="review", row=flag, before=before)
    return flag


@dataclass(frozen=True, slots=True)
class Pair:
    """Two players over all settled deals they shared; drops are counted to the other's wins."""

    deals: int
    one_dropped_to_other: int
    other_won: int
    other_dropped_to_one: int
    one_won: int


def pair_of(one_pk: int, other_pk: int) -> Pair:
    """Return the counts of two players, by their keys, with one query."""
    shared = Deal.objects.settled().filter(_dealt_in(one_pk), _dealt_in(other_pk))
    counted = shared.aggregate(
        deals=Count("pk"),
        one_dropped_to_other=Count("pk", filter=_did(one_pk, *DROPS) & _did(other_pk, "won")),
        other_won=Count("pk", filter=_did(other_pk, "won")),
        other_dropped_to_one=Count("pk", filter=_did(other_pk, *DROPS) & _did(one_pk, "won")),
        one_won=Count("pk", filter=_did(one_pk, "won")),
    )
    return Pair(**counted)


def _dealt_in(player_pk: int) -> Q:
    return Q(Exists(Score.objects.filter(deal=OuterRef("pk"), seat__player=player_pk)))


def _did(player_pk: int, *how: str) -> Q:
    did = Score.objects.filter(deal=OuterRef("pk"), seat__player=player_pk, how__in=how)
    return Q(Exists(did))
