"""Complaints about finished deals: opened by players; taken, answered and closed by staff."""

from __future__ import annotations

import hashlib
from datetime import timedelta

from django.conf import settings
from django.db import transaction

from core import audit_log
from core.clock import database_now
from core.text_validation import is_readable
from players.accounts.conflicts_of_interest import refuse_own_interest
from players.accounts.models import User
from tables.exceptions import (
    BadDispute,
    DealNotFinished,
    DisputeNotPending,
    DisputePending,
    DisputeTooLate,
    NotAllowed,
    TooManyDisputes,
)
from tables.history.deal_file import history_text
from tables.history.finished_deals import deals_seen_by, own_seat_of
from tables.integrity.moderation.dispute_models import Dispute
from tables.models.deals import Deal
from tables.state.locks import lock_table

A_DAY = timedelta(days=1)


@transaction.atomic(durable=True)
def open_dispute(
    *,
    player: User,
    table_id: int,
    deal_no: int,
    ply: int,
    category: str,
    text: str,
) -> Dispute:
    """Open a dispute about a deal at one of its steps, with its current history file.

    Codes: `not_allowed`, `deal_not_finished`, `bad_dispute`, `dispute_too_late`,
    `dispute_pending`, `too_many_disputes`.
    """
    now = database_now()
    # The lock serialises a player's complaints at a table, so that the limit holds.
    table = lock_table(table_id)
    seat = own_seat_of(player, table)
    if seat is None:
        raise NotAllowed("Only players who were dealt in at this table can open a dispute.")
    deal = deals_seen_by(player).filter(table=table, no=deal_no).first()
    if deal is None:
        raise DealNotFinished("This deal is not over yet.")
    deal.table = table
    _refuse_unreadable(deal, ply, category, text)
    if now - deal.reveal.revealed_at > timedelta(days=settings.DISPUTE_DAYS):
        raise DisputeTooLate(
            f"Disputes can be opened within {settings.DISPUTE_DAYS} days of the deal."
        )
    if Dispute.objects.pending().filter(seat=seat, deal=deal).exists():
        raise DisputePending("You already have an open dispute about this deal.")
    opened = Dispute.objects.of_player(player).filter(opened_at__gt=now - A_DAY)
    if opened.count() >= settings.DISPUTES_PER_DAY:
        raise TooManyDisputes("You have reached today's limit of disputes. Wait for the answers.")

    evidence = history_text(deal)
    return Dispute.objects.create(
        seat=seat,
        deal=deal,
        ply=ply,
        category=category,
        text=text.strip(),
        evidence=evidence,
        evidence_sha256=hashlib.sha256(evidence.encode()).hexdigest(),
        opened_at=now,
    )


@transaction.atomic(durable=True)
def take_dispute(*, dispute_id: int, by: User) -> Dispute:
    """Assign a pending dispute to a member of staff. Idempotent."""
    dispute = _for_staff(dispute_id, by)
    _refuse_unless_pending(dispute)
    if dispute.assignee_id == by.pk:
        return dispute
    before = audit_log.facts(dispute)
    dispute.status, dispute.assignee = Dispute.Status.ASSIGNED, by
    dispute.save(update_fields=["status", "assignee"])
    return _recorded(dispute, before, by, act="take")


@transaction.atomic(durable=True)
def answer_dispute(*, dispute_id: int, by: User, answer: str) -> Dispute:
    """Answer the player; the dispute is then assigned to the member of staff who answered."""
    dispute = _for_staff(dispute_id, by)
    _refuse_unless_pending(dispute)
    if not answer.strip() or len(answer) > Dispute.LONGEST or not is_readable(answer):
        raise BadDispute(
            f"Enter an answer of 1 to {Dispute.LONGEST} characters, without control characters."
        )
    before = audit_log.facts(dispute)
    dispute.status, dispute.assignee = Dispute.Status.ANSWERED, by
    dispute.answer, dispute.answered_at = answer.strip(), database_now()
    dispute.save(update_fields=["status", "assignee", "answer", "answered_at"])
    return _recorded(dispute, before, by, act="answer")


@transaction.atomic(durable=True)
def close_dispute(*, dispute_id: int, by: User) -> Dispute:
    """Close an answered dispute. Idempotent."""
    dispute = _for_staff(dispute_id, by)
    if dispute.status == Dispute.Status.CLOSED:
        return dispute
    if dispute.status != Dispute.Status.ANSWERED:
        raise DisputeNotPending("Answer the dispute before you close it.")
    before = audit_log.facts(dispute)
    dispute.status, dispute.closed_at = Dispute.Status.CLOSED, database_now()
    dispute.save(update_fields=["status", "closed_at"])
    return _recorded(dispute, before, by, act="close")


def _for_staff(dispute_id: int, by: User) -> Dispute:
    """Return the locked dispute; refuse staff who share a game with its players or table."""
    related = Dispute.objects.select_related("deal__table", "seat__player")
    asked = related.get(pk=dispute_id)
    refuse_own_interest(asked.seat.player, asked.deal.table, by=by)
    return related.locked().get(pk=dispute_id)


def _recorded(dispute: Dispute, before: audit_log.Facts, by: User, *, act: str) -> Dispute:
    audit_log.record(by=by, act=act, row=dispute, before=before, about=dispute.seat.player)
    return dispute


def _refuse_unless_pending(dispute: Dispute) -> None:
    if dispute.status not in Dispute.PENDING:
        raise DisputeNotPending("This dispute has already been answered.")


def _refuse_unreadable(deal: Deal, ply: int, category: str, text: str) -> None:
    if category not in Dispute.Category.values:
        raise BadDispute(f"{category!r} is not a category of disputes.")
    if not text.strip() or len(text) > Dispute.LONGEST:
        raise BadDispute(f"Describe what happened in 1 to {Dispute.LONGEST} characters.")
    if not is_readable(text):
        raise BadDispute("Remove control characters from the text.")
    if not 0 <= ply <= deal.moves.count():
        raise BadDispute("This deal has no such step.")
