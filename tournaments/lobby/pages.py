"""Pages of tournaments."""

from __future__ import annotations

from urllib.parse import urlsplit
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.models import AnonymousUser
from django.core import signing
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views import View

from core.clock import database_now
from core.exceptions import Refusal
from players.accounts.models import User
from players.accounts.pages import PlayerView
from tables.models.seats import Seat
from tables.models.tables import Table
from tables.responsible.readiness import readiness
from tables.responsible.verdicts import time_verdict
from tables.seats.devices import origin_of
from tables.state import absence
from tournaments.entries.models import Entry, Ticket
from tournaments.exceptions import NotRegistered
from tournaments.kinds import kind_of
from tournaments.lobby import detail, registration
from tournaments.lobby.detail import own_entry_or_404, shown_or_404, tournament_page
from tournaments.lobby.forms import TournamentListForm
from tournaments.lobby.lists import tournament_list
from tournaments.lobby.standings import own_rank, ranked_rows, standings
from tournaments.planning import timing
from tournaments.planning.models import Tournament

TABLES_PER_PAGE = 12
STANDINGS_PER_PAGE = 100


class TournamentListView(View):
    """The tournament list by tab, filtered and paginated; invalid parameters show an error."""

    def get(self, request: HttpRequest) -> HttpResponse:
        form, after = TournamentListForm(request.GET), request.GET.get("after", "")
        try:
            listed = tournament_list(request.user, form.chosen_filter(), after=after)
        except signing.BadSignature:
            form.add_error(None, _("Invalid page link. Showing the first page."))
            after = ""
            listed = tournament_list(request.user, form.chosen_filter())
        context = {"form": form, "listed": listed, "after": after}
        is_poll = request.headers.get("HX-Request") == "true"
        page = "tournaments/_rows.html" if is_poll else "tournaments/list.html"
        return render(request, page, context)


class TournamentView(View):
    """One tournament: terms, plan, prizes, rounds, and the viewer's entry and tables."""

    def get(self, request: HttpRequest, tournament_id: UUID) -> HttpResponse:
        tournament = shown_or_404(tournament_id)
        page = tournament_page(tournament, request.user)
        context = {"page": page}
        is_for_more = page.me is not None and (page.me.may_reenter or page.me.may_buy_add_on)
        if page.may_register or is_for_more:
            tickets = [] if is_for_more else list(_tickets(tournament, request.user))
            price = tournament.addon if page.me and page.me.may_buy_add_on else tournament.entry
            # A ticket is no stake: own limits on stakes and losses, and debts, do not apply to it.
            context |= {"tickets": tickets} | readiness(
                request.user,
                tournament.currency,
                price=None if tickets or not tournament.entry_minor else price,
                is_paid=not tickets and tournament.entry_minor > 0,
                of_seats=time_verdict,
            )
        is_poll = request.headers.get("HX-Request") == "true"
        template = "tournaments/_live.html" if is_poll else "tournaments/detail.html"
        return render(request, template, context)


class RoundView(View):
    """The tables of one round."""

    def get(self, request: HttpRequest, tournament_id: UUID, no: int) -> HttpResponse:
        tournament = shown_or_404(tournament_id)
        this = get_object_or_404(tournament.rounds, no=no)
        tables = Paginator(detail.round_tables(tournament, no), TABLES_PER_PAGE)
        page = tables.get_page(request.GET.get("page"))
        context = {
            "tournament": tournament,
            "round": this,
            "is_race": kind_of(tournament).reseats,
            "page": page,
            "rows": detail.table_rows(page.object_list, request.user),
        }
        return render(request, "tournaments/round.html", context)


class StandingsView(View):
    """The standings, paginated."""

    def get(self, request: HttpRequest, tournament_id: UUID) -> HttpResponse:
        tournament = shown_or_404(tournament_id)
        pages = Paginator(standings(tournament), STANDINGS_PER_PAGE)
        page = pages.get_page(request.GET.get("page"))
        rows = ranked_rows(page.object_list, tournament, request.user)
        context = {"tournament": tournament, "page": page, "rows": rows}
        return render(request, "tournaments/standings.html", context)


class DrawView(View):
    """The published draw: seed, commitment and order, for anyone to verify."""

    def get(self, request: HttpRequest, tournament_id: UUID) -> HttpResponse:
        tournament = shown_or_404(tournament_id)
        data = reverse("tournament-draw-api", args=[tournament_id])
        context = {
            "tournament": tournament,
            "draw": detail.draw_of(tournament),
            "data_url": request.build_absolute_uri(data),
        }
        return render(request, "tournaments/draw.html", context)


class ReadyView(View):
    """Render the banner with a link to the player's table, polled by every page.

    A player on the tournament's page is redirected to the table; where each table plays one deal,
    also a player at an earlier table of the tournament. Without a table, a qualified player gets
    the link to the add-on during the break.
    """

    def get(self, request: HttpRequest) -> HttpResponse:
        seat = _ready_seat(request.user)
        path = urlsplit(request.headers.get("HX-Current-URL", "")).path
        if seat is None:
            on_sale = _add_on_for(request.user)
            if on_sale is not None and path == reverse("tournament", args=[on_sale.public_id]):
                on_sale = None
            return render(request, "tournaments/_ready.html", {"on_sale": on_sale})
        table = reverse("table", args=[seat.table.public_id])
        tournament = seat.table.round_table.round.tournament
        context = {"seat": seat, "tournament": tournament, "at_table": path == table}
        if path == table and kind_of(tournament).plays_one_deal:
            context["standing"] = own_rank(tournament, request.user)
            context["limit"] = kind_of(tournament).limit(tournament)
        answer = render(request, "tournaments/_ready.html", context)
        if path == reverse("tournament", args=[tournament.public_id]) or (
            path != table and path in _earlier_tables(tournament, seat)
        ):
            answer["HX-Redirect"] = table
        return answer


def _ready_seat(viewer: User | AnonymousUser) -> Seat | None:
    """Return the player's latest seat at a live tournament table, or None; one query."""
    if not viewer.is_authenticated:
        return None
    seats = Seat.objects.active().of_player(viewer)
    live = seats.filter(table__round_table__isnull=False, table__finished_at__isnull=True)
    return live.select_related("table__round_table__round__tournament").order_by("-pk").first()


def _add_on_for(viewer: User | AnonymousUser) -> Tournament | None:
    """Return the tournament in whose break the player can buy the add-on now, or None."""
    if not viewer.is_authenticated:
        return None
    qualified = Entry.objects.filter(player=viewer, state=Entry.State.QUALIFIED, is_removed=False)
    in_break = qualified.filter(
        addon_stake=None, tournament__addon_until__isnull=False, tournament__frozen_at=None
    )
    entry = in_break.select_related("tournament").first()
    if entry is None or not timing.addon_is_open(entry.tournament, database_now()):
        return None
    return entry.tournament


def _earlier_tables(tournament: Tournament, seat: Seat) -> set[str]:
    """Return the addresses of the player's other tables, where each table plays one deal."""
    if not kind_of(tournament).plays_one_deal:
        return set()
    mine = Table.objects.filter(owner_ref=tournament.owner_ref, seats__player=seat.player_id)
    keys = mine.exclude(pk=seat.table_id).values_list("public_id", flat=True)
    return {reverse("table", args=[key]) for key in keys}


class CommandView(PlayerView):
    """Base of views that run a command and redirect; an error becomes a message."""

    leads_to = ""

    def post(self, request: HttpRequest, tournament_id: UUID) -> HttpResponseBase:
        tournament = shown_or_404(tournament_id)
        try:
            done = self.command(tournament, self.player)
        except Refusal as refusal:
            messages.error(request, str(refusal))
        else:
            messages.success(request, done)
        to = self.leads_to or reverse("tournament", args=[tournament_id])
        return redirect(to)

    def command(self, tournament: Tournament, player: User) -> str:
        raise NotImplementedError


class RegisterView(CommandView):
    def command(self, tournament: Tournament, player: User) -> str:
        ticket = None
        if ticket_id := self.request.POST.get("ticket"):
            ticket = get_object_or_404(_tickets(tournament, player), public_id=ticket_id)
        entry = registration.register(
            tournament_id=tournament.pk,
            player=player,
            ticket=ticket,
            origin=origin_of(self.request),
            password=self.request.POST.get("password", ""),
        )
        if entry.state == Entry.State.WAITING:
            return _("The tournament is full. You are on the waiting list and have not paid.")
        return _("You are registered. A link to your table will appear on every page.")


class WithdrawView(CommandView):
    def command(self, tournament: Tournament, player: User) -> str:
        registration.withdraw(entry_id=own_entry_or_404(tournament, player).pk)
        return _("You have withdrawn. Your entry has been refunded.")


class ReenterView(CommandView):
    def command(self, tournament: Tournament, player: User) -> str:
        entry = registration.reenter(
            tournament_id=tournament.pk, player=player, origin=origin_of(self.request)
        )
        if Entry.objects.filter(pk=entry.pk, state=Entry.State.PLAYING).exists():
            return _("You have entered again. A link to your table will appear on every page.")
        return _("You have entered again and wait for a table.")


class AddOnView(CommandView):
    def command(self, tournament: Tournament, player: User) -> str:
        registration.add_on(entry_id=own_entry_or_404(tournament, player).pk)
        return _("You have bought the add-on. You start round 2 with its chips.")


class CheckInView(CommandView):
    def command(self, tournament: Tournament, player: User) -> str:
        registration.check_in(entry_id=own_entry_or_404(tournament, player).pk)
        return _("You are checked in.")


class ComeBackView(CommandView):
    """Return to a table at which the player was absent."""

    def command(self, tournament: Tournament, player: User) -> str:
        if own_entry_or_404(tournament, player).is_removed:
            raise NotRegistered(_("You have been removed from this tournament."))
        seats = Seat.objects.present().of_player(player)
        live = seats.filter(
            table__round_table__round__tournament=tournament, table__finished_at__isnull=True
        )
        # After a drop in a race a player may have a seat at two tables that are played.
        seat = get_object_or_404(live.select_related("table").order_by("-pk")[:1])
        absence.come_back(seat_id=seat.pk)
        self.leads_to = reverse("table", args=[seat.table.public_id])
        return _("You are back in play.")


def _tickets(tournament: Tournament, viewer: User | AnonymousUser) -> QuerySet[Ticket]:
    """Return the viewer's tickets that can be used for this tournament."""
    if not viewer.is_authenticated or tournament.template_id is None:
        return Ticket.objects.none()
    return Ticket.objects.filter(
        player=viewer,
        admits_to=tournament.template_id,
        state=Ticket.State.ISSUED,
        value_minor=tournament.entry_minor,
    )
