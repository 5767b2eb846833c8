"""Opening a private table, and the page behind its link, which needs no account."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import segno
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _
from django.views import View

import rummy
from core.exceptions import Refusal
from core.text_validation import named
from players.accounts.models import User
from players.accounts.pages import PlayerView
from tables.games import game_of
from tables.lobby import invitations
from tables.lobby.offers import private_row
from tables.manners import blocks, company
from tables.models.tables import Table
from tables.play.pages import RefusalMixin, take_account, too_many_sign_ups
from tables.responsible.readiness import readiness
from tables.seats import seating
from tables.seats.devices import origin_of
from tables.state.rules import rules_of
from wallet.ledger.money import PLAY_POINTS, as_money


class OpenPrivateView(RefusalMixin, PlayerView):
    """Opens a private table of an offered template for people invited by the caller."""

    def get(self, request: HttpRequest) -> HttpResponse:
        kinds = invitations.private_kinds()
        return render(request, "tables/open_private.html", {"kinds": kinds})

    def post(self, request: HttpRequest) -> HttpResponse:
        asked = request.POST.get("kind")
        kind = next((k for k in invitations.private_kinds() if k.slug == asked), None)
        if kind is None:
            raise Http404
        table = invitations.open_private_table(player=self.player, template_id=kind.pk)
        return redirect("private-table", table.invite_code)


class InvitationView(View):
    """The page behind a private table's link; a visitor sits down at a free game as a guest."""

    def get(self, request: HttpRequest, code: str) -> HttpResponse:
        table = _invited_to(code)
        seats = list(table.seats.present().select_related("player").order_by("pk"))
        is_seated = any(seat.player_id == request.user.pk for seat in seats)
        is_open = game_of(table).is_open(table)
        # Players come and go at points tables; at others no one is invited once the game runs.
        if is_seated and not is_open:
            return redirect("table", table.public_id)
        seated = [seat.player_id for seat in seats]
        # For both of a pair between whom there is a block, the table is shown as full.
        is_apart = not is_seated and blocks.are_apart(request.user.pk or 0, seated)
        row = private_row(code, request.user)
        price = (row.stack_min or row.entry).minor if row else 0
        context = {
            "table": table,
            "row": row,
            "summary": game_of(table).summary(rules_of(table.profile)),
            "seats": seats,
            "free": range(table.seats_max - len(seats) if not is_apart else 0),
            "is_seated": is_seated,
            "is_open": is_open,
            "is_free_of_charge": table.currency == PLAY_POINTS,
            **readiness(request.user, table.currency, price=as_money(price, table.currency)),
            "company": _company(request, table),
            **_link_to_share(request, table),
        }
        return render(request, "tables/private.html", context)

    def post(self, request: HttpRequest, code: str) -> HttpResponseBase:
        table = _invited_to(code)
        here = redirect("private-table", code)
        may_sit = game_of(table).is_open(table) and table.seats.present().count() < table.seats_max
        if not request.user.is_authenticated and not (table.currency == PLAY_POINTS and may_sit):
            return here  # No account is made for a visitor who cannot sit down.
        player = take_account(request)
        if player is None:
            return too_many_sign_ups(request)
        try:
            seating.join(
                table_id=table.pk,
                player=player,
                code=code,
                client_seed=request.POST.get("client_seed", ""),
                origin=origin_of(request),
            )
        except (Refusal, rummy.RummyError) as refusal:
            messages.error(request, str(refusal))
            return here
        return redirect("table", table.public_id)


def _invited_to(code: str) -> Table:
    private = Table.objects.filter(bots_fill=False).exclude(invite_code="")
    return get_object_or_404(private.select_related("profile", "opened_by"), invite_code=code)


def _company(request: HttpRequest, table: Table) -> list[company.Companion]:
    player = request.user
    return company.invitable(player, table) if isinstance(player, User) else []


def _link_to_share(request: HttpRequest, table: Table) -> dict[str, Any]:
    link = request.build_absolute_uri(request.path)  # Without the query.
    message = _("Play rummy with me at %(table)s: %(link)s") % {
        "table": named(table.name),
        "link": link,
    }
    return {
        "link": link,
        "message": message,
        "whatsapp": f"https://wa.me/?{urlencode({'text': message})}",
        "qr_code": _qr_code(link),
    }


def _qr_code(link: str) -> str:
    """Return the link as a QR code: SVG, dark on light in any theme."""
    code = segno.make_qr(link, error="m")
    svg = code.svg_inline(border=4, dark="#17161f", light="#fff", omitsize=True, svgclass="qr-code")
    return mark_safe(svg)  # noqa: S308  # Drawn by Segno; contains no text of the link.
