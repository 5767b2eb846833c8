"""A player's own account: its page, and keeping it after a visit as a guest."""

from __future__ import annotations

from typing import cast

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.mixins import LoginRequiredMixin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views import View

from players.accounts import consent, look
from players.accounts.forms import LookForm, ProfileForm
from players.accounts.models import User
from players.accounts.verified_email import has_verified_email


class AccountView(LoginRequiredMixin, View):
    """A page of the caller's own account."""

    @property
    def player(self) -> User:
        return cast(User, self.request.user)


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


class ProfileView(AccountView):
    """Shows the account: some of it to change, the rest to read, with links to all else."""

    def get(self, request: HttpRequest) -> HttpResponse:
        return self._page(ProfileForm(instance=self.player))

    def post(self, request: HttpRequest) -> HttpResponse:
        form = ProfileForm(request.POST, instance=self.player)
        if not form.is_valid():
            return self._page(form)
        form.save()
        messages.success(request, _("Saved."))
        answer = redirect("account")
        look.keep(answer, settings.LANGUAGE_COOKIE_NAME, form.cleaned_data["language"])
        return answer

    def _page(self, form: ProfileForm) -> HttpResponse:
        context = {"form": form, "is_verified": has_verified_email(self.player)}
        return render(self.request, "players/profile.html", context)


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
