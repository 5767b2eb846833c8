"""The pages of private tables: opening one, sharing its link, sitting down."""

from __future__ import annotations

from urllib.parse import urlencode

import segno
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _

from core.text_validation import named
from players.accounts.pages import PlayerView
from tables.games import game_of
from tables.lobby import invitations
from tables.models.profiles import TableTemplate
from tables.models.tables import Table
from tables.play.pages import RefusalMixin
from tables.state.rules import variant_of


class OpenPrivateView(RefusalMixin, PlayerView):
    """Opens a private table of an offered template for the caller's guests."""

    def post(self, request: HttpRequest) -> HttpResponse:
        asked = request.POST.get("kind")
        kind = next((k for k in TableTemplate.objects.offered() if k.slug == asked), None)
        if kind is None:
            raise Http404
        table = invitations.open_private_table(player=self.player, template_id=kind.pk)
        return redirect("private-table", table.invite_code)


class PrivateTableView(PlayerView):
    """The page behind a private table's link."""

    def get(self, request: HttpRequest, code: str) -> HttpResponse:
        private = Table.objects.exclude(invite_code="").select_related("profile", "opened_by")
        table = get_object_or_404(private, invite_code=code)
        seats = table.seats.present().select_related("player").order_by("pk")
        is_seated = any(seat.player_id == self.player.pk for seat in seats)
        # Players come and go at points tables; at others no one is invited once the game runs.
        if is_seated and not game_of(table).is_open(table):
            return redirect("table", table.public_id)
        link = request.build_absolute_uri(request.path)  # Without the query.
        message = _("Play rummy with me at %(table)s: %(link)s") % {
            "table": named(table.name),
            "link": link,
        }
        context = {
            "table": table,
            "variant": variant_of(table.profile),
            "seats": seats,
            "is_seated": is_seated,
            "link": link,
            "message": message,
            "whatsapp": f"https://wa.me/?{urlencode({'text': message})}",
            "qr_code": _qr_code(link),
        }
        return render(request, "tables/private.html", context)


def _qr_code(link: str) -> str:
    """Return the link as a QR code: SVG, dark on light in any theme."""
    code = segno.make_qr(link, error="m")
    svg = code.svg_inline(border=4, dark="#17161f", light="#fff", omitsize=True, svgclass="qr-code")
    return mark_safe(svg)  # noqa: S308  # Drawn by Segno; contains no text of the link.
