"""A player's own account: its page, and keeping it after a visit as a guest."""

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


class PlayerView(LoginRequiredMixin, View):
    """A page for players who have signed in; others are asked to."""

    @property
    def player(self) -> User:
        return cast(User, self.request.user)


class PlayerFormView(PlayerView, FormView[Any]):
    """A form for players; what is refused stands at `refused_field`, else above the form."""

    refused_field: ClassVar[str | None] = None

    def form_valid(self, form: Any) -> HttpResponse:
        try:
            done = self.carry_out(form)
        except Refusal as refusal:
            return self.refused(form, refusal)
        messages.success(self.request, done)
        return super().form_valid(form)

    def refused(self, form: Any, refusal: Refusal) -> HttpResponse:
        """Return the answer to a form that was refused: the form, with the reason."""
        form.add_error(self.refused_field, str(refusal))
        return self.form_invalid(form)

    def carry_out(self, form: Any) -> str:
        """Do what the valid form asks for, and return what the player then reads."""
        raise NotImplementedError


class NetworkDataView(View):
    """What is kept of where people play: a text that players agree to, again when it changes."""

    def get(self, request: HttpRequest) -> HttpResponse:
        agreed = getattr(request.user, "consent_version", "")
        context = {"version": consent.VERSION, "agreed": agreed}
        return render(request, "players/network_data.html", context)

    def post(self, request: HttpRequest) -> HttpResponse:
        """Note that the player agrees to the version they were shown, if it is the present one."""
        if isinstance(request.user, User) and request.POST.get("version") == consent.VERSION:
            User.objects.filter(pk=request.user.pk).update(consent_version=consent.VERSION)
            messages.success(request, _("Thank you. We have noted that you agree."))
        return redirect("network-data")


class ProfileView(PlayerFormView):
    """Shows the account: some of it to change, the rest to read, with links to all else."""

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
    """Language, theme, suits and sound, for everybody; a player's language goes to the account."""

    def get(self, request: HttpRequest) -> HttpResponse:
        now = {"language": get_language(), **look.look(request)["look"]}
        return self._page(LookForm(initial=now))

    def post(self, request: HttpRequest) -> HttpResponse:
        form = LookForm(request.POST)
        if not form.is_valid():
            return self._page(form)
        chosen = {name: value for name, value in form.cleaned_data.items() if value}
        answer = redirect(self._next())
        language = chosen.pop("language", None)
        if language is not None:
            look.keep(answer, settings.LANGUAGE_COOKIE_NAME, language)
            User.objects.filter(pk=cast(User, request.user).pk).update(language=language)
        for name, value in chosen.items():
            look.keep(answer, name, value)
        return answer

    def _next(self) -> str:
        """Where the player came from, if that is a page of this site."""
        wanted: str = self.request.POST.get("next", "")
        host, is_secure = self.request.get_host(), self.request.is_secure()
        if url_has_allowed_host_and_scheme(wanted, allowed_hosts={host}, require_https=is_secure):
            return wanted
        return reverse("look")

    def _page(self, form: LookForm) -> HttpResponse:
        return render(self.request, "players/look.html", {"form": form})
