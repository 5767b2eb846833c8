"""Re-authentication of players without a password, by a code in an e-mail."""

from __future__ import annotations

from typing import Any, Final

from allauth.account.adapter import get_adapter
from allauth.account.internal.flows.login import record_authentication
from allauth.account.views import BaseReauthenticateView
from allauth.core import ratelimit
from django import forms
from django.contrib import messages
from django.contrib.auth.mixins import LoginRequiredMixin
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.debug import sensitive_variables

from core.clock import database_now
from players.accounts.models import User
from players.accounts.verified_email import address_for_codes
from players.sign_in.security.proof import guess

SESSION_KEY: Final = "reauthentication_code"
SECONDS: Final = 15 * 60
TRIES: Final = 3


class CodeForm(forms.Form):
    code = forms.CharField(
        label=gettext_lazy("Code"),
        max_length=20,
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code", "autocapitalize": "off"}),
    )

    def __init__(self, *args: Any, request: HttpRequest, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.request = request

    @sensitive_variables("code")
    def clean_code(self) -> str:
        code: str = self.cleaned_data["code"]
        with guess(self.request, self.request.user) as tried:
            tried.is_right = _is_right(self.request, code)
        if not tried.is_right:
            raise forms.ValidationError(_("This code is wrong or has expired. Request a new one."))
        return code


class CodeView(LoginRequiredMixin, BaseReauthenticateView):
    """Sends a code to the account's address, and checks it.

    `reauthentication_code` of `ACCOUNT_RATE_LIMITS` limits the codes sent. Wrong codes count
    together with wrong passwords, so that a new session or code gives no more guesses.
    """

    template_name = "account/reauthenticate_by_code.html"
    form_class = CodeForm

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if "send" in request.POST:
            action = "reauthentication_code"
            if refusal := ratelimit.consume_or_429(request, action=action, user=request.user):
                refused: HttpResponse = refusal
                return refused
            send_code(request)
            messages.info(request, _("We have sent you a code."))
            context = self.get_context_data(form=CodeForm(request=request))
            shown: HttpResponse = self.render_to_response(context)
            return shown
        answer: HttpResponse = super().post(request, *args, **kwargs)
        return answer

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "request": self.request}

    def form_valid(self, form: CodeForm) -> HttpResponse:
        record_authentication(self.request, self.request.user, "code", reauthenticated=True)
        answer: HttpResponse = super().form_valid(form)
        return answer

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(**kwargs)
        is_sent = SESSION_KEY in self.request.session
        return {**context, "is_sent": is_sent, "address": address_for_codes(self.request.user)}


@sensitive_variables("code")
def send_code(request: HttpRequest) -> None:
    """Send a new code, which replaces the previous one; the session stores a keyed hash."""
    assert isinstance(request.user, User), "the page is for players who have signed in"
    code = get_adapter(request).generate_login_code()
    kept = {"hash": _hash(code), "at": database_now().timestamp(), "tries": 0}
    request.session[SESSION_KEY] = kept
    context = {"code": code, "handle": request.user.handle, "minutes": SECONDS // 60}
    address = address_for_codes(request.user)
    get_adapter(request).send_mail("account/email/reauthentication_code", address, context)


def _is_right(request: HttpRequest, code: str) -> bool:
    """Return whether the code is right; it is valid once and for at most `TRIES` tries."""
    kept = request.session.pop(SESSION_KEY, None)
    if kept is None or database_now().timestamp() - kept["at"] > SECONDS:
        return False
    if constant_time_compare(_hash(code), kept["hash"]):
        return True
    kept["tries"] += 1
    if kept["tries"] < TRIES:
        request.session[SESSION_KEY] = kept
    return False


def _hash(code: str) -> str:
    plain = "".join(char for char in code if char.isalnum()).lower()
    return salted_hmac("players.sign_in.security.code_page", plain, algorithm="sha256").hexdigest()
