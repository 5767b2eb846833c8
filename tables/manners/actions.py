"""Block players, report them, and decide about reports."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils.translation import gettext as _

from core import audit_log
from core.clock import database_now
from core.text_validation import is_readable
from players.accounts.conflicts_of_interest import refuse_own_interest
from players.accounts.models import User
from players.notifications.models import Notification
from players.notifications.steps import Recipient, notify
from tables.exceptions import BadBlock, BadReport, ReportDecided, ReportPending, TooManyReports
from tables.manners.blocks import lock_blocks
from tables.manners.models import Block, PlayerReport
from tables.models.seats import Seat
from tables.models.tables import Table, TableQuerySet
from tables.seats import seating
from tables.state.clock import catch_up
from tables.state.locks import lock_tables

A_DAY: Final = timedelta(days=1)
REPORTS_PER_DAY: Final = 10
Outcome = PlayerReport.Outcome
Kind = Notification.Kind
# The notifications of an outcome: to the reporter, and to the reported person.
NOTICES: Final = {
    Outcome.NO_BREACH: (Kind.REPORT_REJECTED, Kind.CONDUCT_IN_ORDER),
    Outcome.WARNED: (Kind.REPORT_UPHELD, Kind.CONDUCT_WARNED),
    Outcome.RESTRICTED: (Kind.REPORT_UPHELD, Kind.CONDUCT_RESTRICTED),
}


def block(*, player: User, blocked: User) -> list[str]:
    """Block a person and leave the tables where both wait for a game, in one transaction.

    Return the names of these tables; their entries are refunded. A game that has begun is played
    to its end. Repeating it changes nothing. Raise `BadBlock` for the player's own account and for
    bots.
    """
    if blocked.pk == player.pk or blocked.is_bot:
        raise BadBlock(_("You can block other people, but neither yourself nor bots."))
    while (left := _block(player, blocked)) is None:
        pass
    return left


def _block(player: User, blocked: User) -> list[str] | None:
    """Save the block; return None if the two sat down together before it had its locks."""
    together = _waiting_together(player, blocked)
    for table_id in together.values_list("pk", flat=True):
        catch_up(table_id=table_id)
    with transaction.atomic(durable=True):
        tables = lock_tables(together)
        lock_blocks(player, blocked)  # After the tables, as in `seating.join`.
        if together.exclude(pk__in=[table.pk for table in tables]).exists():
            return None
        Block.objects.get_or_create(player=player, blocked=blocked)
        for table in tables:
            seating.give_up_seat(table, player)
        return [table.name for table in tables]


def _waiting_together(player: User, blocked: User) -> TableQuerySet:
    """Return the tables where both wait for a game; tournaments seat players regardless."""
    present = Seat.objects.present().filter(table=OuterRef("pk"))
    both = [Exists(present.of_player(each)) for each in (player, blocked)]
    return Table.objects.waiting().filter(*both, owner_ref="")


def unblock(*, player: User, blocked: User) -> None:
    """Take a block back. Idempotent."""
    Block.objects.filter(player=player, blocked=blocked).delete()


@transaction.atomic(durable=True)
def send_report(
    *,
    player: User,
    table: Table,
    handle: str,
    kind: str,
    text: str,
    deal_no: int = 0,
    ply: int = 0,
) -> PlayerReport:
    """Report a person who sat at the player's table, with a step: a deal and its number of moves.

    Raise `BadReport`, `ReportPending` while a report by the player about this person at this table
    is open, and `TooManyReports` after ten reports in 24 hours.
    """
    # The lock serialises a player's reports, so that the limit holds.
    User.objects.locked().get(pk=player.pk)
    now = database_now()
    reported = _reported(player, table, handle)
    deal = table.deals.filter(no=deal_no).first() if deal_no else None
    is_step = deal is not None and 0 <= ply <= deal.moves.filter(table=table).count()
    if kind not in PlayerReport.Kind.values or (deal_no and not is_step):
        raise BadReport(_("Choose what the report is about, and a step of the game."))
    if not text.strip() or len(text) > PlayerReport.LONGEST or not is_readable(text):
        most = {"n": PlayerReport.LONGEST}
        raise BadReport(_("Describe what happened in 1 to %(n)d characters.") % most)
    own = PlayerReport.objects.of_player(player)
    if own.pending().filter(reported=reported, table=table).exists():
        raise ReportPending(_("You have reported this player already. Wait for the decision."))
    if own.filter(sent_at__gt=now - A_DAY).count() >= REPORTS_PER_DAY:
        raise TooManyReports(_("You have reached today's limit of reports. Try again tomorrow."))
    return PlayerReport.objects.create(
        reporter=player,
        reported=reported,
        table=table,
        deal=deal,
        ply=ply if deal else 0,
        kind=kind,
        text=text.strip(),
        sent_at=now,
    )


def _reported(player: User, table: Table, handle: str) -> User:
    """Return the person with this handle, who sat at the table as the player did."""
    seated = set(table.seats.values_list("player_id", flat=True))
    reported = User.objects.filter(pk__in=seated - {player.pk}, handle=handle, is_bot=False)
    found = reported.first()
    if found is None or player.pk not in seated:
        raise BadReport(_("You can report people with whom you sat at this table."))
    return found


@transaction.atomic(durable=True)
def decide_report(*, report_id: int, by: User, outcome: str, note: str) -> PlayerReport:
    """Decide a report once, and notify both; the reported person does not learn who sent it.

    Staff cannot decide reports that they sent, that are about them, or about their own games
    (`shared_interest`).
    """
    related = PlayerReport.objects.select_related("reporter", "reported", "table")
    asked = related.get(pk=report_id)
    refuse_own_interest(asked.reporter, asked.reported, asked.table, by=by)
    report = related.locked().get(pk=report_id)
    if report.outcome:
        raise ReportDecided(_("This report has already been decided."))
    if outcome not in Outcome.values or not note.strip() or not is_readable(note):
        raise BadReport(_("Choose an outcome and give the reason in the note."))
    before, now = audit_log.facts(report), database_now()
    report.outcome, report.note = outcome, note.strip()
    report.decided_by, report.decided_at = by, now
    report.save(update_fields=["outcome", "note", "decided_by", "decided_at"])
    audit_log.record(by=by, act="decide", row=report, before=before, about=report.reported)
    people = (report.reporter, report.reported)
    for person, kind in zip(people, NOTICES[Outcome(outcome)], strict=True):
        # Without the table, from which the reported person could infer who sent the report.
        key = f"report:{report.pk}:{kind}"
        notify([Recipient(person)], kind=kind, key=key, subject="", now=now)
    return report
