"""The questions of a pool between deals, with figures and calculation (RB 7.3, 7.4)."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tables.models.seats import Seat
from tables.models.tables import Table
from tables.settlement.models import Answer, Window
from tables.view.context import ViewContext, number_of
from tables.view.prizes import net_entry
from tables.view.schemas import AskedRow, MyAnswer, Share, SplitPreview, WindowLine
from wallet.ledger.amounts import Amount


def question(context: ViewContext, mine: Seat | None) -> WindowLine | None:
    """Return the open window, which is public, with the viewer's own part."""
    if not context.answers:
        return None
    table, window = context.table, context.answers[0].window
    rows = [_row(context, answer) for answer in context.answers]
    own = next((a for a in context.answers if mine and a.seat_id == mine.pk), None)
    prize = _entries(context) * net_entry(table)
    open_yes = sum(not answer.said for answer in context.answers)
    is_rejoin = window.kind == Window.Kind.REJOIN
    after = prize + (open_yes * net_entry(table) if is_rejoin else 0)
    return WindowLine(
        id=window.public_id,
        kind=window.kind,
        deadline=context.due_at,
        proposed_by=_handle(context, window.proposed_by_id),
        mine=_my_answer(context, own) if own else None,
        rows=rows,
        prize=Amount.of(prize, table.currency),
        prize_after=Amount.of(after, table.currency),
        sentences=_rejoin_text(context, context.answers[0])
        if is_rejoin
        else _split_text(context, rows, prize),
    )


def split_preview(context: ViewContext, mine: Seat) -> SplitPreview | None:
    """Return the shares of a split proposed by this seat now, or None if it may not propose one."""
    is_gap = context.phase == Table.Phase.BETWEEN and context.figures.split
    survivors = [seat for seat in context.seats if not seat.is_out and seat.left_at is None]
    if not is_gap or context.table.stake_mode != "cash" or mine not in survivors:
        return None
    if mine.pk in context.proposers:
        return None
    totals = [context.totals.get(seat.pk, 0) for seat in survivors]
    table, entries = context.table, _entries(context)
    assert context.game.questions is not None, "its rules have splits"
    offer = context.game.questions.split_offer(table, totals, entries=entries)
    if offer.shares is None:
        return None
    shares = [
        Share(
            seat=number_of(seat),
            handle=seat.player.handle,
            total=total,
            drops_left=context.figures.drops_left(total) or 0,
            amount=Amount.of(share, table.currency),
        )
        for seat, total, share in zip(survivors, totals, offer.shares, strict=True)
    ]
    sentences = _split_text(context, shares, entries * net_entry(table))
    return SplitPreview(table.deal_no, shares, sentences)


def _entries(context: ViewContext) -> int:
    return sum(len(seat.stakes) for seat in context.seats)


def _handle(context: ViewContext, seat_pk: int | None) -> str | None:
    return next((seat.player.handle for seat in context.seats if seat.pk == seat_pk), None)


def _row(context: ViewContext, answer: Answer) -> AskedRow:
    seat = next(seat for seat in context.seats if seat.pk == answer.seat_id)
    return AskedRow(
        seat=number_of(seat),
        handle=seat.player.handle,
        total=answer.total,
        drops_left=context.figures.drops_left(answer.total),
        amount=Amount.of(answer.amount_minor, context.table.currency),
        said=answer.said,
    )


def _my_answer(context: ViewContext, answer: Answer) -> MyAnswer:
    amount = Amount.of(answer.amount_minor, context.table.currency)
    return MyAnswer(amount=amount, can_answer=not answer.said, said=answer.said)


def _rejoin_text(context: ViewContext, answer: Answer) -> list[str]:
    table, total = context.table, answer.total
    text = {
        "total": total,
        "fee": Amount.of(table.entry_minor, table.currency).text,
        "net": Amount.of(net_entry(table), table.currency).text,
        "prize": Amount.of(_entries(context) * net_entry(table), table.currency).text,
    }
    sentences = [
        ngettext(
            "A rejoin continues at %(total)s point, one more than the highest total in the game.",
            "A rejoin continues at %(total)s points, one more than the highest total in the game.",
            total,
        )
    ]
    drops = context.figures.drops_left(total)
    if drops is not None:
        leaves = ngettext(
            "That leaves %(drops)s first drop.", "That leaves %(drops)s first drops.", drops
        )
        sentences.append(leaves % {"drops": drops})
    sentences.append(_("It costs %(fee)s; %(net)s of it are added to the prize of %(prize)s."))
    return [sentence % text for sentence in sentences]


def _split_text(context: ViewContext, rows: Sequence[AskedRow | Share], prize: int) -> list[str]:
    drops = [row.drops_left or 0 for row in rows]
    fewest, net = min(drops), net_entry(context.table)
    rest = prize - sum((each - fewest) * net for each in drops)
    currency = context.table.currency
    text = {
        "prize": Amount.of(prize, currency).text,
        "drops": ", ".join(f"{row.handle} {row.drops_left}" for row in rows),
        "fewest": fewest,
        "net": Amount.of(net, currency).text,
        "rest": Amount.of(rest, currency).text,
        "count": len(rows),
    }
    sentences = (
        _("The prize is %(prize)s. First drops left: %(drops)s."),
        _("Each drop above the fewest, %(fewest)s, is worth one entry without rake: %(net)s."),
        _(
            "The rest, %(rest)s, is shared equally by %(count)s players; odd units go to the "
            "lowest score."
        ),
    )
    return [sentence % text for sentence in sentences]
