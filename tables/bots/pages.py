"""The page on which a player declares and deletes their bots."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.core.validators import RegexValidator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.debug import sensitive_variables

from core.exceptions import Refusal
from players.accounts.models import HANDLE_PATTERN, User
from players.sign_in.security.views import ProvedPostView
from tables.bots import declared
from tables.seats.declared_bots import TABLES_MAX
from wallet.stakes.balances import wallet_of


class BotForm(forms.Form):
    handle = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=20,
        validators=[
            RegexValidator(
                HANDLE_PATTERN, gettext_lazy("Use 3 to 20 letters, digits or underscores.")
            )
        ],
        help_text=gettext_lazy("Other players see this name with a bot label."),
    )


class BotsView(ProvedPostView):
    """Lists the caller's bots and declares one; its token is shown only in this response."""

    def get(self, request: HttpRequest) -> HttpResponse:
        return self._page(BotForm())

    @sensitive_variables("text")
    def post(self, request: HttpRequest) -> HttpResponse:
        form = BotForm(request.POST)
        if not form.is_valid():
            return self._page(form)
        try:
            _bot, text = declared.declare_bot(owner=self.player, handle=form.cleaned_data["handle"])
        except Refusal as refusal:
            form.add_error(None, str(refusal))
            return self._page(form)
        return self._page(BotForm(), text=text)

    def _page(self, form: BotForm, text: str = "") -> HttpResponse:
        bots = User.objects.get_queryset().own_bots(self.player).order_by("pk")
        context = {
            "form": form,
            "text": text,
            "bots": [(bot, [held.spendable for held in wallet_of(bot)]) for bot in bots],
            "most": declared.BOTS_MAX,
            "tables": TABLES_MAX,
            "proof_url": self.proof_url,
        }
        return render(self.request, "tables/own_bots.html", context)


class BotActView(BotsView):
    """An action on one of the caller's bots: replace the token, refill points, or delete."""

    proved_page = "own-bots"

    def needs_proof(self, request: HttpRequest, **parts: Any) -> bool:
        """Require no confirmation for refilling points, which is harmless."""
        return parts.get("act") != "refill" and super().needs_proof(request)

    @sensitive_variables("text")
    def post(self, request: HttpRequest, bot_id: int = 0, act: str = "") -> HttpResponse:
        if act not in ("token", "refill", "end"):
            raise Http404
        try:
            if act == "token":
                text = declared.replace_token(owner=self.player, bot_id=bot_id)
                return self._page(BotForm(), text=text)
            self._do(act, bot_id)
        except User.DoesNotExist as error:
            raise Http404 from error
        except Refusal as refusal:
            messages.error(request, str(refusal))
        return redirect("own-bots")

    def get(self, request: HttpRequest, **_parts: Any) -> HttpResponse:
        return redirect("own-bots")

    def _do(self, act: str, bot_id: int) -> None:
        if act == "refill":
            declared.refill_bot(owner=self.player, bot_id=bot_id)
            messages.success(self.request, _("The bot's play points have been refilled."))
        else:
            declared.end_bot(owner=self.player, bot_id=bot_id)
            messages.success(self.request, _("The bot has been deleted."))
