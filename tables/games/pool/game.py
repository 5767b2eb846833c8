"""The steps of a pool between deals: eliminations, rejoin and split offers, the end (RB 7)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from moneyed import Money

import rummy
from rummy import AnyRules
from tables.games.game import Game
from tables.games.pool import rejoin, rule_text, split, strong_bots, windows
from tables.games.pool.record import differences
from tables.games.thirteen.cards import ThirteenCards, thirteen_rules
from tables.models.deals import Deal
from tables.models.seats import Elimination, Score, Seat
from tables.models.tables import StakeMode, Table
from tables.play import dealing
from tables.settlement import finishing
from tables.settlement.game_record import GamePapers, GameRecord
from tables.settlement.models import Answer, Window
from tables.state import phases
from tables.state.locks import LockedTable, snapshot_of
from tables.state.rules import rules_of
from tables.state.snapshot import TableSnapshot
from wallet.audit.audit import Finding
from wallet.stakes import stakes
from wallet.stakes.models import Stake


class Pool(ThirteenCards, Game):
    """Points add up until only one player is below the limit."""

    name = "pool"
    title = _("Pool")
    may_stop_early = True

    @property
    def questions(self) -> Pool:
        return self

    def thresholds(self, rules: AnyRules, entry: Money) -> str:
        return rule_text.thresholds(thirteen_rules(rules))

    def is_void(self, table: LockedTable, deal: Deal, scores: Sequence[Score]) -> bool:
        survives = any(not _is_out(table, score) for score in scores)
        return not survives and not deal.was_acted_in()

    def go_on(self, table: LockedTable, deal: Deal, now: datetime) -> None:
        """Offer rejoins; otherwise end the game, split automatically, or schedule a deal."""
        _eliminate(table, deal)
        if not rejoin.offer(table, deal, now):
            self._play_on(table, now)

    def go_on_after_void(self, table: LockedTable, deal: Deal, now: datetime) -> None:
        """Repeat a void deal, or end the game if too few players stayed."""
        if not snapshot_of(table).active() and _is_refunded(table, deal):
            self.call_off(table, deal, now)
            return
        _eliminate(table, deal)
        self._play_on(table, now)

    def take_answer(
        self, table: LockedTable, window: Window, answer: Answer, said: Answer.Said, now: datetime
    ) -> None:
        """Take the entry of a rejoin; continue once the window needs no more answers."""
        if window.kind == Window.Kind.REJOIN and said == Answer.Said.YES:
            rejoin.accept(table, answer, now)
        answer.said, answer.answered_at = said, now
        answer.save(update_fields=["said", "answered_at"])
        table.version += 1
        self._answered(table, window, now)

    def propose_split(self, table: LockedTable, seat: Seat, now: datetime) -> Window:
        return split.propose(table, seat, now)

    def split_offer(
        self, table: Table, totals: Sequence[int], *, entries: int
    ) -> rummy.pool.SplitOffer:
        return split.offer(table, totals, entries=entries)

    def bot_to_propose(self, snapshot: TableSnapshot) -> Seat | None:
        return split.bot_to_propose(snapshot)

    def is_worth_yes(self, window: Window, answer: Answer) -> bool:
        return strong_bots.is_worth_yes(window, answer)

    def player_left(self, table: LockedTable, now: datetime) -> None:
        """Leave the rest to a settlement worker, unless a rejoin window awaits others.

        During a rejoin window a leaver is eliminated when it closes; a split is cancelled.
        """
        if table.phase == Table.Phase.BETWEEN:
            phases.await_step(table, now)
            return
        window = windows.open_at(table)
        if window.kind == Window.Kind.REJOIN or windows.has_lost(window):
            self._answered(table, window, now)

    def step_between(self, table: LockedTable, now: datetime) -> None:
        """Close the open window, or end the game when it has few enough seats left.

        Seats that were left between two deals are eliminated with their current totals (RB 7.9).
        """
        if table.phase == Table.Phase.BETWEEN:
            _eliminate(table, windows.deal_before(table))
            _end_if_decided(table, now)
            return
        window = windows.open_at(table)
        if window.kind == Window.Kind.REJOIN:
            self._close_rejoin(table, window, now)
        elif not window.answers.exclude(said=Answer.Said.YES).exists():
            split.pay(table, window, now)
        elif windows.has_lost(window):
            split.play_on(table, window, Window.Outcome.WITHDRAWN, now)
            _eliminate(table, window.deal)
            _end_if_decided(table, now)
        elif window.answers.filter(said=Answer.Said.NO).exists():
            split.play_on(table, window, Window.Outcome.REFUSED, now)
        else:
            split.play_on(table, window, Window.Outcome.EXPIRED, now)

    def deal_next(self, table: LockedTable, now: datetime) -> None:
        """Deal to every seat that is not eliminated."""
        dealing.deal_to_all(table, now)

    def end_here(self, table: LockedTable, now: datetime) -> None:
        """End the game with the seats that are left, the lower total first (RB 10.4)."""
        _eliminate(table, windows.deal_before(table))
        finishing.finish_pool(table, snapshot_of(table).active(), now)

    def final_order(self, record: GameRecord) -> finishing.Order:
        """Rank the remaining seats first; a split decides a game as an elimination does."""
        order = finishing.pool_order(record, record.active())
        is_split = record.table.ending in split.ENDINGS
        return order._replace(is_decided=order.is_decided or is_split)

    def record_differences(self, record: GameRecord, papers: GamePapers) -> Iterator[Finding]:
        return differences(record, papers)

    def final_shares(
        self, record: GameRecord, papers: GamePapers, order: finishing.Order
    ) -> Sequence[int]:
        """Return equal shares, or those of the split that ended the game (RB 7.4)."""
        if record.table.ending == "split":
            return split.agreed_shares(papers)
        if record.table.ending == "auto_split":
            totals, entries = record.totals(), len(papers.counted_stakes)
            counted = [totals[seat.pk] for seat in order.heads]
            return split.offer(record.table, counted, entries=entries).shares or ()
        return super().final_shares(record, papers, order)

    def call_off(self, table: LockedTable, deal: Deal, now: datetime) -> None:
        """Cancel the game in this deal; the seats dealt in share the money (RB 7.7)."""
        finishing.cancel_game(table, deal, now)

    def rules_text(self, rules: AnyRules) -> Iterator[str]:
        return rule_text.of_the_game(thirteen_rules(rules))

    def leaving_text(self) -> Iterator[str]:
        yield gettext(
            "Players who leave a pool are out at any total, without a rejoin or a share; their "
            "entry stays in the prize."
        )

    def _answered(self, table: LockedTable, window: Window, now: datetime) -> None:
        """Let a settlement worker close a window that needs no more answers."""
        is_off = window.kind == Window.Kind.SPLIT and (
            windows.has_lost(window) or window.answers.filter(said=Answer.Said.NO).exists()
        )
        if is_off or not window.answers.awaited().exists():
            phases.await_step(table, now)
        else:
            windows.await_bots(table, window, now)

    def _close_rejoin(self, table: LockedTable, window: Window, now: datetime) -> None:
        windows.close(table, window, rejoin.outcome_of(window), now)
        _eliminate(table, window.deal)
        self._play_on(table, now)

    def _play_on(self, table: LockedTable, now: datetime) -> None:
        if not _end_if_decided(table, now):
            dealing.pause(table, now)
            split.await_proposal(table, now)


def _end_if_decided(table: LockedTable, now: datetime) -> bool:
    """End the game if few enough seats are left, after its last deal, or by automatic split."""
    survivors, deal = snapshot_of(table).active(), windows.deal_before(table)
    if not survivors and _is_refunded(table, deal):
        finishing.cancel_game(table, deal, now)
        return True
    if len(survivors) <= table.stop_at_survivors or table.is_last_deal:
        finishing.finish_pool(table, survivors, now)
        return True
    offered = split.offer_to(snapshot_of(table))
    if offered.auto and offered.shares is not None:
        finishing.finish_pool(table, survivors, now, shares=offered.shares, ending="auto_split")
        return True
    return False


def _is_refunded(table: Table, deal: Deal) -> bool:
    """Return whether a game that everybody left after this deal is cancelled (RB 7.6, 7.7)."""
    is_void = deal.status == Deal.Status.VOID
    return is_void and not (table.has_scored() and deal.was_acted_in())


def _is_out(table: Table, score: Score) -> bool:
    is_over_limit = rummy.pool.is_out(score.total_after, thirteen_rules(rules_of(table.profile)))
    return score.seat.left_at is not None or is_over_limit


def _eliminate(table: LockedTable, deal: Deal) -> None:
    """Save eliminations since the last deal; their entries are lost once a deal has counted."""
    rules, snapshot = thirteen_rules(rules_of(table.profile)), snapshot_of(table)
    totals = snapshot.totals()
    out = [
        Elimination(table=table, seat=seat, deal=deal, total=totals[seat.pk])
        for seat in snapshot.seats_in(deal)
        if not seat.is_out
        and (seat.left_at is not None or rummy.pool.is_out(totals[seat.pk], rules))
    ]
    if out:
        Elimination.objects.bulk_create(out)
    for elimination in out:
        elimination.seat.is_out = True
    snapshot.eliminations += out
    if table.stake_mode == StakeMode.CASH:  # A tournament holds its own pot.
        _lose_entries(table)


def _lose_entries(table: LockedTable) -> None:
    """Mark the entries of eliminated seats as lost, whichever deal it was (RB 7.7).

    Until a deal has counted no entry is lost.
    """
    paid = [stake for seat in snapshot_of(table).seats if seat.is_out for stake in seat.stakes]
    if not paid or not table.has_scored():
        return
    for stake in Stake.objects.filter(pk__in=paid, status=Stake.Status.LIVE).order_by("pk"):
        stakes.lose_stake(stake=stake)
