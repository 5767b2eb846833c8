"""The evidence page of a finding: figures, telling deals, and the money a ruling would move."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.utils.translation import gettext

from players.accounts.models import User
from tables.integrity.collusion.counts import Span
from tables.integrity.collusion.models import Finding, FindingFact
from tables.integrity.collusion.money import contests_of, lines_of
from tables.manners.models import PlayerReport
from tables.models.seats import Score
from wallet.ledger.money import PLAY_POINTS, as_money, as_text

DEALS_SHOWN: Final = 40
DROPS: Final = (Score.How.FIRST_DROP, Score.How.MIDDLE_DROP)


@dataclass(frozen=True, slots=True)
class FactRow:
    """One figure: players, count and rate, the usual rate, and the base rate of all players."""

    what: str
    whose: str
    seen: str
    expected: str
    base: str
    z: str
    is_far_out: bool


@dataclass(frozen=True, slots=True)
class TellingDeal:
    """A deal that one player of the pair won, and how the other played it."""

    table_id: UUID
    no: int
    # The step of the drop, or the last one.
    ply: int
    winner: str
    loser: str
    how: str
    points: int


def fact_rows(finding: Finding) -> Iterator[FactRow]:
    for fact in finding.facts.select_related("giver"):
        yield FactRow(
            what=fact.get_kind_display(),
            whose=str(fact.giver or "both"),
            seen=_figure(fact, fact.seen, fact.cases),
            expected="-" if fact.expected is None else f"{fact.expected:.1f}",
            base=_figure(fact, fact.base_seen, fact.base_cases),
            z="-" if fact.z is None else f"{fact.z:+.1f}",
            is_far_out=fact.z is not None and fact.z >= finding.threshold,
        )


def telling_deals(finding: Finding) -> list[TellingDeal]:
    """Return the latest deals that one player of the pair won and the other lost, drops first."""
    days = Span(finding.first_day, finding.last_day, finding.currency).values
    pair = {finding.one_id: finding.one, finding.other_id: finding.other}
    won = Score.objects.filter(
        how=Score.How.WON,
        seat__player__in=pair,
        deal__status="settled",
        deal__settled_at__gte=days["begins"],
        deal__settled_at__lt=days["ends"],
        deal__table__currency=finding.currency,
    ).values("deal")
    lost = Score.objects.filter(deal__in=won, seat__player__in=pair).exclude(how=Score.How.WON)
    rows = lost.select_related("deal__table").order_by("-deal__settled_at")
    latest = [*rows.filter(how__in=DROPS)[:DEALS_SHOWN], *rows.exclude(how__in=DROPS)[:DEALS_SHOWN]]
    return [_telling(score, pair) for score in latest[:DEALS_SHOWN]]


def would_move(finding: Finding) -> list[tuple[User, str]]:
    """Return the amounts for each player, negative for the pair, if the finding were upheld."""
    if finding.currency == PLAY_POINTS:
        return []
    lines, _contests = lines_of(finding, contests_of(finding))
    players = User.objects.in_bulk(lines)
    return [
        (players[pk], as_text(as_money(minor, finding.currency))) for pk, minor in lines.items()
    ]


def linked_findings(finding: Finding) -> list[Finding]:
    """Return the other findings of the same span that share players with this one."""
    same = Finding.objects.filter(
        currency=finding.currency, first_day=finding.first_day, group_key=finding.group_key
    )
    return list(same.exclude(pk=finding.pk).select_related("one", "other"))


def reports_about(finding: Finding) -> list[PlayerReport]:
    """Return the players' reports about the two."""
    pair = (finding.one_id, finding.other_id)
    return list(PlayerReport.objects.filter(reported__in=pair).select_related("reported"))


def _telling(score: Score, players: dict[int, User]) -> TellingDeal:
    loser_id = score.seat.player_id
    [winner] = [player for pk, player in players.items() if pk != loser_id]
    moves = score.deal.moves.all()
    drop = moves.filter(seat=score.seat_id, text__contains=" drop").values_list("ply", flat=True)
    return TellingDeal(
        table_id=score.deal.table.public_id,
        no=score.deal.no,
        ply=drop.first() or moves.count(),
        winner=winner.handle,
        loser=players[loser_id].handle,
        how=score.get_how_display(),
        points=score.points,
    )


def _figure(fact: FindingFact, seen: int, cases: int) -> str:
    """Return a count with its rate, or points with their mean."""
    if not cases:
        return "-"
    if fact.kind == FindingFact.Kind.POINTS:
        counted = {"seen": seen, "cases": cases, "mean": f"{seen / cases:.1f}"}
        return gettext("%(seen)s in %(cases)s deals (%(mean)s per deal)") % counted
    counted = {"seen": seen, "cases": cases, "rate": f"{seen / cases:.1%}"}
    return gettext("%(seen)s of %(cases)s (%(rate)s)") % counted
