"""Past games: a player's own, and the score sheet of one table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, TypedDict, cast
from uuid import UUID

from django.db.models import Count, Exists, OuterRef, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from players.accounts.models import User
from tables.games import game_of
from tables.models.deals import Deal, DealSeat
from tables.models.seats import BuyIn, Elimination, Score, Seat
from tables.models.tables import Table
from tables.models.templates import RuleProfile
from tables.state.rules import rules_of, variant_of
from tables.view.schemas import LastDeal, ResultRow
from tables.view.scored import result_row, scored_deal
from wallet.ledger.amounts import Amount

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations


class SittingSums(TypedDict):
    paid_minor: int
    won_minor: int | None


class SheetSums(TypedDict):
    entries: int
    paid_minor: int


if TYPE_CHECKING:
    Sitting = WithAnnotations[Seat, SittingSums]
    SeatOnSheet = WithAnnotations[Seat, SheetSums]


@dataclass(frozen=True, slots=True)
class GameRow:
    """One sitting of a player and its result."""

    id: UUID
    name: str
    variant: str
    phase: str
    started_at: datetime | None
    finished_at: datetime | None
    # When the player left the table; null while they may return.
    left_at: datetime | None
    place: int | None
    entry: Amount
    # All entries of the seat, including rejoins.
    paid: Amount
    prize: Amount | None
    # Points tables: the net result of all deals; null in other games.
    won: Amount | None


@dataclass(frozen=True, slots=True)
class SheetCell:
    """One seat in one deal; `points` is null if it was not dealt in, or the deal is void."""

    points: int | None
    how: str
    total: int | None
    is_out: bool
    # The total at which it rejoined after this deal (RB 7.3).
    rejoined_at: int | None
    # Deals rummy: the chips after this deal. Points tables: the amount won or lost.
    chips: int | None
    won: Amount | None


@dataclass(frozen=True, slots=True)
class SheetDeal:
    no: int
    # "settled" or "void".
    status: str
    ending: str
    # In the order of the sheet's seats.
    cells: list[SheetCell]


@dataclass(frozen=True, slots=True)
class SheetSeat:
    number: int
    handle: str
    is_me: bool
    is_bot: bool
    total: int
    # Null outside pools, and after a last deal, in which totals eliminate nobody.
    drops_left: int | None
    place: int | None
    entries: int
    paid: Amount
    prize: Amount | None


@dataclass(frozen=True, slots=True)
class ScoreSheet:
    """Every finished deal of a table by seat, with the money and the final places."""

    id: UUID
    name: str
    variant: str
    phase: str
    started_at: datetime | None
    finished_at: datetime | None
    seats: list[SheetSeat]
    sheet: list[SheetDeal]
    deals: list[LastDeal]
    results: list[ResultRow]


def games_of(
    player: User,
    *,
    variant: str = "",
    started_from: date | None = None,
    started_to: date | None = None,
) -> QuerySet[Sitting]:
    """Return the sittings in which a player was dealt in, latest first; see `game_row`.

    Days are in the installation's time zone.
    """
    dealt_in = DealSeat.objects.filter(seat=OuterRef("pk"))
    won = Score.objects.filter(seat=OuterRef("pk")).order_by().values("seat")
    seats = (
        Seat.objects.of_player(player)
        .filter(Exists(dealt_in))
        .select_related("table__profile", "result")
        .annotate(
            paid_minor=Coalesce(_paid(), 0),
            won_minor=Subquery(won.annotate(sum=Sum("won_minor")).values("sum")),
        )
        .order_by("-table__started_at", "-pk")
    )
    if variant:
        named = (p.pk for p in _profiles_of(player) if variant_of(p) == variant)
        seats = seats.filter(table__profile__in=list(named))
    if started_from:
        seats = seats.filter(table__started_at__date__gte=started_from)
    if started_to:
        seats = seats.filter(table__started_at__date__lte=started_to)
    return cast("QuerySet[Sitting]", seats)


def variants_of(player: User) -> list[str]:
    """Return the variants a player has played: `Pool 101`, `Points`, …"""
    return sorted({variant_of(profile) for profile in _profiles_of(player)})


def game_row(seat: Sitting) -> GameRow:
    """Return the result of a seat of `games_of`."""
    table = seat.table
    result = getattr(seat, "result", None)
    won = seat.won_minor
    return GameRow(
        id=table.public_id,
        name=table.name,
        variant=variant_of(table.profile),
        phase=table.phase,
        started_at=table.started_at,
        finished_at=table.finished_at,
        left_at=seat.left_at,
        place=result.place if result else None,
        entry=Amount.of(table.entry_minor, table.currency),
        paid=Amount.of(seat.paid_minor, table.currency),
        prize=Amount.of(result.prize_minor, table.currency) if result else None,
        won=Amount.of(won, table.currency) if won is not None else None,
    )


def score_sheet(table: Table, viewer: User | None = None) -> ScoreSheet:
    """Return the table's finished deals in order, each score with the hand it was counted from."""
    deals = list(Deal.objects.revealed().filter(table=table).order_by("no"))
    for deal in deals:
        deal.table = table
    scores = list(
        Score.objects.filter(deal__table=table).select_related("seat__player").order_by("pk")
    )
    seats, totals = _seats_dealt_in(table), table.seats.totals()
    seated = {score.seat_id: score.seat for score in scores}
    eliminations = list(Elimination.objects.filter(deal__table=table))
    results = list(table.results.select_related("seat__player"))
    return ScoreSheet(
        id=table.public_id,
        name=table.name,
        variant=variant_of(table.profile),
        phase=table.phase,
        started_at=table.started_at,
        finished_at=table.finished_at,
        seats=[_sheet_seat(table, seat, totals, viewer) for seat in seats],
        sheet=[_sheet_deal(deal, seats, scores, eliminations) for deal in deals],
        deals=[
            scored_deal(deal, scores, seated, table.currency)
            for deal in deals
            if deal.status == Deal.Status.SETTLED
        ],
        results=[
            result_row(result, result.seat, _chips(scores, result.seat_id), table.currency)
            for result in results
        ],
    )


def _profiles_of(player: User) -> QuerySet[RuleProfile]:
    return RuleProfile.objects.filter(tables__seats__player=player).distinct()


def _paid() -> Subquery:
    """Return the seat's payments into the game, including rejoins; no row in games for chips."""
    paid = BuyIn.objects.filter(seat=OuterRef("pk")).order_by().values("seat")
    return Subquery(paid.annotate(sum=Sum("stake__entry_minor")).values("sum"))


def _seats_dealt_in(table: Table) -> list[SeatOnSheet]:
    dealt_in = DealSeat.objects.filter(seat=OuterRef("pk"))
    bought = BuyIn.objects.filter(seat=OuterRef("pk")).order_by().values("seat")
    entries = bought.annotate(n=Count("pk")).values("n")
    seats = (
        table.seats.filter(Exists(dealt_in))
        .select_related("player", "result")
        .annotate(entries=Coalesce(Subquery(entries), 0), paid_minor=Coalesce(_paid(), 0))
        .in_seat_order()
    )
    return cast("list[SeatOnSheet]", list(seats))


def _sheet_seat(
    table: Table, seat: SeatOnSheet, totals: dict[int, int], viewer: User | None
) -> SheetSeat:
    rules, result = rules_of(table.profile), getattr(seat, "result", None)
    figures, total = game_of(rules).figures(rules), totals[seat.pk]
    return SheetSeat(
        number=seat.number or 0,
        handle=seat.player.handle,
        is_me=viewer is not None and seat.player_id == viewer.pk,
        is_bot=seat.player.is_bot,
        total=total,
        drops_left=None if table.is_last_deal else figures.drops_left(total),
        place=result.place if result else None,
        entries=seat.entries,
        paid=Amount.of(seat.paid_minor, table.currency),
        prize=Amount.of(result.prize_minor, table.currency) if result else None,
    )


def _sheet_deal(
    deal: Deal,
    seats: Sequence[SeatOnSheet],
    scores: Iterable[Score],
    eliminations: Iterable[Elimination],
) -> SheetDeal:
    scored = {score.seat_id: score for score in scores if score.deal_id == deal.pk}
    of_deal = [each for each in eliminations if each.deal_id == deal.pk]
    out = {each.seat_id for each in of_deal}
    # A player may rejoin and leave in the same pause, and is then eliminated twice after one deal.
    rejoined = {each.seat_id: each.rejoined_total for each in of_deal if each.rejoined_at}
    return SheetDeal(
        no=deal.no,
        status=deal.status,
        ending=deal.ending,
        cells=[
            _cell(
                scored.get(seat.pk),
                deal.table.currency,
                is_out=seat.pk in out,
                rejoined_at=rejoined.get(seat.pk),
            )
            for seat in seats
        ],
    )


def _cell(
    score: Score | None, currency: str, *, is_out: bool, rejoined_at: int | None
) -> SheetCell:
    return SheetCell(
        points=score.points if score else None,
        how=score.how if score else "",
        total=score.total_after if score else None,
        is_out=is_out,
        rejoined_at=rejoined_at,
        chips=score.chips_after if score else None,
        won=Amount.maybe(score.won_minor, currency) if score else None,
    )


def _chips(scores: Iterable[Score], seat_pk: int) -> int | None:
    """Return a seat's chips after its last deal; None outside deals rummy."""
    after = [score.chips_after for score in scores if score.seat_id == seat_pk]
    return after[-1] if after else None
