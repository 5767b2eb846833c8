"""The pages of past games: lists, score sheets, replays, disputes, checking deals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse, reverse_lazy
from django.utils.functional import cached_property
from django.utils.translation import gettext as _
from django.views import View

from core.api.openapi import as_json
from players.accounts.avatars import pictures
from players.accounts.pages import PlayerFormView, PlayerView
from tables.exceptions import MovesArchived
from tables.history import chances, coaching
from tables.history.archive import parts_of
from tables.history.deal_file import refuse_archived
from tables.history.fairness import statistics
from tables.history.finished_deals import deals_seen_by, games_seen_by, own_seat_of
from tables.history.forms import DisputeForm, GamesForm
from tables.history.games import game_row, score_sheet
from tables.history.replay import ReplaySeat, replay, seat_shown
from tables.integrity.moderation import disputes
from tables.integrity.moderation.dispute_models import Dispute
from tables.models.deals import Deal

ROWS_PER_PAGE = 25


class GamesView(PlayerView):
    """The caller's games, latest first, filtered by rules and days."""

    def get(self, request: HttpRequest) -> HttpResponse:
        form = GamesForm(request.GET, player=self.player)
        page = Paginator(form.games(), ROWS_PER_PAGE).get_page(request.GET.get("page"))
        query = request.GET.copy()
        query.pop("page", None)
        context = {
            "form": form,
            "page": page,
            "games": [game_row(seat) for seat in page],
            "query": query.urlencode(),
            "parts": range(1, parts_of(self.player, form.games()) + 1),
        }
        return render(request, "tables/history.html", context)


class GameView(PlayerView):
    """The score sheet of a game in which the caller was dealt in; 404 for others."""

    def get(self, request: HttpRequest, table_id: UUID) -> HttpResponse:
        table = get_object_or_404(games_seen_by(self.player), public_id=table_id)
        context = {
            "sheet": score_sheet(table, self.player),
            "open_deals": set(
                deals_seen_by(self.player).filter(table=table).values_list("no", flat=True)
            ),
        }
        return render(request, "tables/game.html", context)


class DealView(PlayerView):
    """A page about one finished deal; 404 unless the caller may view it."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            return super().dispatch(request, *args, **kwargs)
        except MovesArchived as refusal:
            context = {"refusal": refusal, "table_id": kwargs["table_id"]}
            return render(request, "tables/archived.html", context, status=refusal.status)

    def deal(self, table_id: UUID, no: int) -> Deal:
        deals = deals_seen_by(self.player)
        deal: Deal = get_object_or_404(deals, table__public_id=table_id, no=no)
        return deal


class ReplayView(DealView):
    """A deal on the card table, opened at one of its steps.

    The page contains every step: its scripts send no further requests.
    """

    def get(self, request: HttpRequest, table_id: UUID, no: int, ply: int = 0) -> HttpResponse:
        deal = self.deal(table_id, no)
        shown = replay(deal, self.player)
        if ply >= len(shown.steps):
            raise Http404
        numbers = deals_seen_by(self.player).filter(table=deal.table_id, no__in=(no - 1, no + 1))
        place = coaching.coached_seat(deal, self.player)
        coached = coaching.of_deal(deal, place) if place else None
        said = {each.ply: each for each in coached.said} if coached else {}
        context = {
            "replay": shown,
            "deal": as_json(shown),
            "address": reverse("deal", args=[table_id, no]),
            "avatars": pictures(),
            "ply": ply,
            "last": len(shown.moves),
            "moves": [{"move": move, "said": said.get(move.ply)} for move in shown.moves],
            "own": next((seat.position for seat in shown.seats if seat.is_me), None),
            "coaching": coached,
            "chances": chances_shown(deal, shown.seats) if chances.is_shown(deal) else None,
            "neighbours": set(numbers.values_list("no", flat=True)),
            "is_player": own_seat_of(self.player, deal.table) is not None,
        }
        return render(request, "tables/replay.html", context)


def chances_shown(deal: Deal, seats: Sequence[ReplaySeat]) -> dict[str, Any]:
    """Return the context of the chart of chances; without lines while they are not computed."""
    found = chances.stored(deal)
    context: dict[str, Any] = {
        "found": found,
        "address": reverse("deal-chances", args=[deal.table.public_id, deal.no]),
    }
    if found is not None and found.plies:
        lines = list(zip(seats, zip(*found.percent, strict=True), strict=True))
        context["lines"] = sorted(lines, key=lambda line: line[0].is_me)  # Own line on top.
    return context


class ChancesView(DealView):
    """The chart of a replay; requested again every two seconds until a worker has computed it."""

    def get(self, request: HttpRequest, table_id: UUID, no: int) -> HttpResponse:
        deal = self.deal(table_id, no)
        if not chances.is_shown(deal):
            raise Http404
        if chances.stored(deal) is None:
            chances.request(deal, self.player)
        places = deal.deal_seats.select_related("seat__player").order_by("position")
        seats = [seat_shown(place, self.player) for place in places]
        return render(request, "tables/_chances.html", {"chances": chances_shown(deal, seats)})


class DisputeView(DealView, PlayerFormView):
    """Opens a dispute about one step of a deal."""

    template_name = "tables/dispute.html"
    form_class = DisputeForm
    success_url = reverse_lazy("disputes")

    @cached_property
    def shown(self) -> Deal:
        return self.deal(self.kwargs["table_id"], self.kwargs["no"])

    def carry_out(self, form: DisputeForm) -> str:
        disputes.open_dispute(
            player=self.player,
            table_id=self.shown.table_id,
            deal_no=self.shown.no,
            ply=self.kwargs["ply"],
            **form.cleaned_data,
        )
        return _("Your dispute has been opened. The answer will appear here.")

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        refuse_archived(self.shown)
        ply = self.kwargs["ply"]
        if not 0 <= ply <= self.shown.moves.count():
            raise Http404
        return super().get_context_data(deal=self.shown, ply=ply, **kwargs)


class DisputeEndView(DealView):
    """Redirects from the live table to a dispute about the end of a deal."""

    def get(self, request: HttpRequest, table_id: UUID, no: int) -> HttpResponse:
        return redirect("dispute", table_id, no, self.deal(table_id, no).moves.count())


class DisputesView(PlayerView):
    """The caller's disputes with their answers, latest first."""

    def get(self, request: HttpRequest) -> HttpResponse:
        mine = Dispute.objects.of_player(self.player).select_related("deal__table")
        page = Paginator(mine.defer("evidence"), ROWS_PER_PAGE).get_page(request.GET.get("page"))
        return render(request, "tables/disputes.html", {"page": page})


class VerifyView(View):
    """Checks history files in the browser; public, without uploading the file."""

    def get(self, request: HttpRequest) -> HttpResponse:
        return render(request, "tables/verify.html", {"file_url": ""})


class DealtView(View):
    """Shows public statistics of the cards dealt lately."""

    def get(self, request: HttpRequest) -> HttpResponse:
        return render(request, "tables/dealt.html", statistics.statistics())


class VerifyDealView(DealView):
    """The same page with the file of one deal loaded."""

    def get(self, request: HttpRequest, table_id: UUID, no: int) -> HttpResponse:
        deal = self.deal(table_id, no)
        refuse_archived(deal)
        file_url = reverse("deal-file", args=[table_id, no])
        return render(request, "tables/verify.html", {"file_url": file_url, "deal": deal})
