"""Account pages: profile, display settings and the consent to network data."""

from __future__ import annotations

from typing import Any, ClassVar, cast

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.mixins import LoginRequiredMixin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse, reverse_lazy
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views import View
from django.views.generic import FormView

from core.exceptions import Refusal
from players.accounts import consent, look
from players.accounts.forms import LookForm, ProfileForm
from players.accounts.models import User
from players.accounts.verified_email import has_verified_email


def page_before(request: HttpRequest, default: str) -> str:
    """Return the page of this site named by the parameter `next`, else `default`."""
    wanted = request.POST.get("next") or request.GET.get("next") or ""
    host, is_secure = request.get_host(), request.is_secure()
    is_ours = url_has_allowed_host_and_scheme(wanted, allowed_hosts={host}, require_https=is_secure)
    return wanted if is_ours else default


class PlayerView(LoginRequiredMixin, View):
    """Base view for signed-in players; others are redirected to the sign-in page."""

    @property
    def player(self) -> User:
        return cast(User, self.request.user)


class PlayerFormView(PlayerView, FormView[Any]):
    """Base form view for players; a refusal is shown at `refused_field`, else above the form."""

    refused_field: ClassVar[str | None] = None

    def form_valid(self, form: Any) -> HttpResponse:
        try:
            done = self.carry_out(form)
        except Refusal as refusal:
            return self.refused(form, refusal)
        messages.success(self.request, done)
        return super().form_valid(form)

    def refused(self, form: Any, refusal: Refusal) -> HttpResponse:
        """Return the form with the reason of the refusal."""
        form.add_error(self.refused_field, str(refusal))
        return self.form_invalid(form)

    def carry_out(self, form: Any) -> str:
        """Process the valid form and return the success message."""
        raise NotImplementedError


class NetworkDataView(View):
    """Shows the text about stored network and device data, and records consent to it."""

    def get(self, request: HttpRequest) -> HttpResponse:
        agreed = getattr(request.user, "consent_version", "")
        context = {"version": consent.VERSION, "agreed": agreed}
        return render(request, "players/network_data.html", context)

    def post(self, request: HttpRequest) -> HttpResponse:
        """Record consent if the version shown to the player is the current one."""
        if isinstance(request.user, User) and request.POST.get("version") == consent.VERSION:
            User.objects.filter(pk=request.user.pk).update(consent_version=consent.VERSION)
            messages.success(request, _("Thank you. Your consent is recorded."))
        return redirect("network-data")


class ProfileView(PlayerFormView):
    """Shows the account with its editable settings and links to the other account pages."""

    template_name = "players/profile.html"
    form_class = ProfileForm
    success_url = reverse_lazy("account")

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "instance": self.player}

    def form_valid(self, form: ProfileForm) -> HttpResponse:
        answer = super().form_valid(form)
        look.keep(answer, settings.LANGUAGE_COOKIE_NAME, form.cleaned_data["language"])
        return answer

    def carry_out(self, form: ProfileForm) -> str:
        form.save()
        return _("Saved.")

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(is_verified=has_verified_email(self.player), **kwargs)


class LookView(View):
    """Display settings for all visitors; a player's language is also stored in the account."""

    def get(self, request: HttpRequest) -> HttpResponse:
        now = {"language": get_language(), **look.look(request)["look"]}
        return self._page(LookForm(initial=now))

    def post(self, request: HttpRequest) -> HttpResponse:
        form = LookForm(request.POST)
        if not form.is_valid():
            return self._page(form)
        chosen = {name: value for name, value in form.cleaned_data.items() if value}
        answer = redirect(page_before(self.request, reverse("look")))
        language = chosen.pop("language", None)
        if language is not None:
            look.keep(answer, settings.LANGUAGE_COOKIE_NAME, language)
            User.objects.filter(pk=cast(User, request.user).pk).update(language=language)
        for name, value in chosen.items():
            look.keep(answer, name, value)
        return answer

    def _page(self, form: LookForm) -> HttpResponse:
        return render(self.request, "players/look.html", {"form": form})
