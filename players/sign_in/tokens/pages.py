"""The page on which players create and revoke API tokens."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.debug import sensitive_variables

from core.clock import DatabaseNow
from core.exceptions import Refusal
from players.sign_in.security.views import ProvedPostView
from players.sign_in.tokens.actions import LIFETIME, TOKENS_MAX, create_token, end_token
from players.sign_in.tokens.models import PlayerToken


class TokenForm(forms.Form):
    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=60,
        help_text=gettext_lazy("The purpose of the token, for your own list."),
    )
    scopes = forms.MultipleChoiceField(
        label=gettext_lazy("Scopes"),
        choices=PlayerToken.Scope.choices,
        initial=[PlayerToken.Scope.READ],
        widget=forms.CheckboxSelectMultiple,
    )


class TokensView(ProvedPostView):
    """Lists the caller's tokens and creates one, whose text is shown only in that response."""

    def get(self, request: HttpRequest) -> HttpResponse:
        return self._page(TokenForm())

    @sensitive_variables("text")
    def post(self, request: HttpRequest) -> HttpResponse:
        form = TokenForm(request.POST)
        if not form.is_valid():
            return self._page(form)
        try:
            _token, text = create_token(
                player=self.player,
                name=form.cleaned_data["name"],
                scopes=form.cleaned_data["scopes"],
            )
        except Refusal as refusal:
            form.add_error(None, str(refusal))
            return self._page(form)
        return self._page(TokenForm(), text=text)

    def _page(self, form: TokenForm, text: str = "") -> HttpResponse:
        context = {
            "form": form,
            "text": text,
            "tokens": PlayerToken.objects.of_player(self.player).in_force(DatabaseNow()),
            "most": TOKENS_MAX,
            "days": LIFETIME.days,
            "proof_url": self.proof_url,
        }
        return render(self.request, "players/tokens.html", context)


class EndTokenView(ProvedPostView):
    """Revokes one of the caller's tokens; a missing token is no error."""

    proved_page = "tokens"

    def post(self, request: HttpRequest, token_id: int) -> HttpResponse:
        end_token(player=self.player, token_id=token_id)
        messages.success(request, _("The token has been revoked."))
        return redirect("tokens")
