"""The pages of public deals: sharing one's own, the public replay, its picture, spectators' replay.

Search engines are asked not to list them, and shared caches keep only the picture, for an hour.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import Any, Final
from urllib.parse import urlencode
from uuid import UUID

from django import forms
from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.core.cache import cache
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views import View

from core.api.openapi import as_json
from core.clock import database_now
from core.exceptions import Refusal
from core.text_validation import named
from players.accounts.avatars import pictures
from players.accounts.pages import PlayerView
from tables.exceptions import DealNotShareable, MovesArchived
from tables.history.pages import DealView
from tables.history.sharing import actions, public_replay
from tables.history.sharing.models import SharedDeal
from tables.history.sharing.picture import picture
from tables.history.sharing.public_replay import PublicReplay
from tables.models.tables import Table
from tables.play.pages import RefusalMixin
from tables.view.open_hands import require_may_watch

PICTURE_SECONDS: Final = 3_600


class ShareForm(forms.Form):
    shows_name = forms.BooleanField(
        label=gettext_lazy("Show my player name"),
        required=False,
        help_text=gettext_lazy(
            "Other players are always shown as “Player 1”, “Player 2” and so on."
        ),
    )


class ShareView(DealView):
    """Makes one deal public, changes whether the name is shown, or withdraws the link."""

    def get(self, request: HttpRequest, table_id: UUID, no: int) -> HttpResponse:
        deal = self.deal(table_id, no)
        shared = deal.shared.public().of_player(self.player).first()
        initial = {"shows_name": shared is not None and shared.shows_name}
        form = ShareForm(initial=initial)
        context: dict[str, Any] = {"deal": deal, "shared": shared, "form": form}
        if shared is not None:
            link = request.build_absolute_uri(reverse("shared-deal", args=[shared.code]))
            message = _("Watch this deal of rummy: %(link)s") % {"link": link}
            context |= {"link": link, "message": message}
            context["whatsapp"] = f"https://wa.me/?{urlencode({'text': message})}"
        else:
            try:
                actions.refuse_to_share(deal)
            except DealNotShareable as refusal:
                context["refusal"] = refusal
        return render(request, "tables/share_deal.html", context)

    def post(self, request: HttpRequest, table_id: UUID, no: int) -> HttpResponse:
        deal = self.deal(table_id, no)
        form = ShareForm(request.POST)
        form.is_valid()
        try:
            actions.share_deal(player=self.player, deal=deal, **form.cleaned_data)
        except Refusal as refusal:
            messages.error(request, str(refusal))
        return redirect("share-deal", table_id, no)


class SharedDealsView(PlayerView):
    """The caller's public links; each can be withdrawn."""

    def get(self, request: HttpRequest) -> HttpResponse:
        mine = SharedDeal.objects.public().of_player(self.player)
        shared = mine.select_related("deal__table__profile")
        return render(request, "tables/shared_deals.html", {"shared": shared})

    def post(self, request: HttpRequest) -> HttpResponse:
        code = request.POST.get("code", "")
        if code and actions.withdraw_links(self.player, code=code):
            messages.success(request, _("The link no longer works."))
        return redirect("shared-deals")


class PublicView(View):
    """Base of what anybody may see; a deal whose moves are archived has no page any more."""

    throttle_scope = "costly"

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            answer = super().dispatch(request, *args, **kwargs)
        except MovesArchived as refusal:
            raise Http404 from refusal
        answer["X-Robots-Tag"] = "noindex, nofollow"
        return answer


class PublicReplayView(PublicView):
    """A replay for anybody, at one of its steps."""

    def page(
        self, request: HttpRequest, shown: PublicReplay, ply: int, context: dict[str, Any]
    ) -> HttpResponse:
        if ply >= len(shown.steps):
            raise Http404
        context |= {
            "replay": shown,
            "deal": as_json(shown),
            "avatars": pictures(),
            "ply": ply,
            "last": len(shown.moves),
            "moves": [{"move": move} for move in shown.moves],
        }
        answer = render(request, "tables/public_replay.html", context)
        answer["Cache-Control"] = "private, no-store"  # A withdrawn link ends at once.
        return answer


class SharedDealView(PublicReplayView):
    """The page behind a public link, with the tags by which other sites preview it."""

    def get(self, request: HttpRequest, code: str, ply: int = 0) -> HttpResponse:
        shown = public_replay.shared_replay(shared_deal(code))
        title = _("A deal of rummy: %(variant)s") % {"variant": named(shown.variant)}
        address = reverse("shared-deal", args=[code])
        context = {
            "title": title,
            "address": address,
            "page": request.build_absolute_uri(address),
            "picture": request.build_absolute_uri(reverse("shared-picture", args=[code])),
        }
        return self.page(request, shown, ply, context)


class PictureView(PublicView):
    """The preview picture of a shared deal, drawn once an hour."""

    throttle_scope = "public"

    def get(self, request: HttpRequest, code: str) -> HttpResponse:
        shared = shared_deal(code)
        drawn = cache.get_or_set(
            f"shared-picture:{code}",
            lambda: b64encode(picture(public_replay.shared_replay(shared))).decode(),
            PICTURE_SECONDS,
        )
        answer = HttpResponse(b64decode(str(drawn)), content_type="image/png")
        answer["Cache-Control"] = f"public, max-age={PICTURE_SECONDS}"
        return answer


class WatchedDealView(RefusalMixin, PublicReplayView):
    """The last deal of a table with all hands, for spectators; 404 if they may not see them."""

    def get(self, request: HttpRequest, table_id: UUID, no: int, ply: int = 0) -> HttpResponseBase:
        tables = Table.objects.select_related("profile")
        table = get_object_or_404(tables, public_id=table_id)
        if table.invite_code and not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        require_may_watch(table, request.user)
        deal = public_replay.watched_deal(table, no, database_now())
        if deal is None:
            raise Http404
        context = {
            "title": named(table.name),
            "address": reverse("watched-deal", args=[table_id, no]),
            "back": reverse("table", args=[table_id]),
        }
        return self.page(request, public_replay.watched_replay(deal), ply, context)


def shared_deal(code: str) -> SharedDeal:
    """Return the deal of a link that was not withdrawn; respond 404 to others."""
    public = SharedDeal.objects.public().select_related("deal__table__profile", "deal__reveal")
    found: SharedDeal = get_object_or_404(public, code=code)
    return found
