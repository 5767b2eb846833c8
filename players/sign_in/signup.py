"""The allauth adapter of players' accounts, and its JSON answers to API clients."""

from __future__ import annotations

from functools import partial
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlencode

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.utils import get_next_redirect_url
from allauth.core import context
from django.conf import settings
from django.db import transaction
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from core import addresses
from core.http.error_answers import is_program
from core.http.problems import ProblemResponse
from players.accounts import consent, look
from players.accounts.models import User
from players.accounts.verified_email import address_for_codes
from players.identity.phones.numbers import keep_number
from players.sign_in import lockout
from players.sign_in.security.changes import record_change
from players.sign_in.security.models import AccountChange
from players.sign_in.security.proof import CODE_PAGE, guess
from players.sign_in.security.transactions import send_after_commit

# The page that a link for a new password opens.
BY_MAIL: Final = "account_reset_password_from_key"


# The session's key for the page to open once the e-mail address is confirmed.
CONFIRMED: Final = "page_once_confirmed"


def return_after_confirming(request: HttpRequest) -> None:
    """Keep the page that a new account came from, if it is one of this site."""
    if wanted := get_next_redirect_url(request):
        request.session[CONFIRMED] = wanted


class ProgramAdapter(DefaultAccountAdapter):
    """Answer an invalid form with problem details, because allauth's JSON repeats the password."""

    def is_ajax(self, request: HttpRequest) -> bool:
        return is_program(request)

    def ajax_response(
        self,
        request: HttpRequest,
        response: HttpResponse,
        redirect_to: str | None = None,
        form: BaseForm | None = None,
        data: Any = None,
    ) -> HttpResponse:
        if response.status_code >= HTTPStatus.BAD_REQUEST:  # Refused after the form was validated.
            return response
        if form is None or request.method != "POST" or form.is_valid():
            shown = form if request.method != "POST" else None
            answer: HttpResponse = super().ajax_response(
                request, response, redirect_to=redirect_to, form=shown, data=data
            )
            return answer
        errors = {name: list(messages) for name, messages in form.errors.items()}
        return ProblemResponse(
            status=HTTPStatus.BAD_REQUEST,
            code="invalid",
            message=_("The request is not valid."),
            errors=errors,
        )


class HandleAdapter(ProgramAdapter):
    """Adapter that saves handle, consent version, language and mobile number with a new account.

    The page's language becomes the account's, which is used for e-mails, and for pages in any
    browser from the next sign-in on.
    """

    def save_user(self, request: Any, user: User, form: Any, commit: bool = True) -> User:
        user.handle = form.cleaned_data["handle"]
        return_after_confirming(request)
        user.language = get_language() or user.language
        user.consent_version = consent.VERSION
        # Before the transaction, so that hashing the password holds no connection.
        saved: User = super().save_user(request, user, form, commit=False)
        if commit:
            self.save_new_player(saved, form)
        return saved

    @transaction.atomic
    def save_new_player(self, player: User, form: Any) -> None:
        """Save the account and its mobile number."""
        player.save()
        if form.cleaned_data["mobile"]:
            keep_number(player=player, number=form.cleaned_data["mobile"])

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Refuse a network with too many failures; allauth would count successful tries too."""
        if not lockout.may_try(request, lockout.attempted_email(request, credentials)):
            raise self.validation_error("too_many_login_attempts")

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        lockout.count_failure(request, lockout.attempted_email(request, credentials))

    def reauthenticate(self, user: User, password: str) -> bool:
        """Return whether the password is right; raise after too many wrong ones."""
        with guess(context.request, user) as tried:
            tried.is_right = super().reauthenticate(user, password)
        return tried.is_right

    def set_password(self, user: User, password: str) -> None:
        """Set a new password, hashed before the transaction, and record the change."""
        kind = _kind_of_password(context.request, user)
        user.set_password(password)
        with transaction.atomic():
            user.save(update_fields=["password"])
            record_change(player=user, kind=kind)

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send an e-mail after the transaction of the current page."""
        send = partial(super().send_mail, template_prefix, email, context)
        if not send_after_commit(send):
            send()

    def get_email_verification_redirect_url(self, email_address: Any) -> str:
        """Return the page that the player came from, if they confirm in the same browser."""
        wanted = self.request.session.pop(CONFIRMED, None)
        if wanted is None:
            found: str = super().get_email_verification_redirect_url(email_address)
            return found
        if self.request.user.is_authenticated:
            return str(wanted)
        return f"{reverse('account_login')}?{urlencode({'next': wanted})}"

    def post_login(self, request: Any, user: User, **kwargs: Any) -> HttpResponse:
        answer: HttpResponse = super().post_login(request, user, **kwargs)
        if user.email:
            lockout.remember(request, answer, email=user.email)
        if user.language in dict(settings.LANGUAGES):
            look.keep(answer, settings.LANGUAGE_COOKIE_NAME, user.language)
        return answer

    def get_reauthentication_methods(self, user: Any) -> list[dict[str, Any]]:
        """Return the re-authentication methods: second factors, else the password, else a code.

        The password alone is not enough for accounts with a second factor.
        """
        found: list[dict[str, Any]] = super().get_reauthentication_methods(user)
        by_factor = [method for method in found if method["id"] != "reauthenticate"]
        if by_factor or found or not user.is_authenticated or not address_for_codes(user):
            return by_factor or found
        return [{"id": CODE_PAGE, "description": _("Use a code"), "url": reverse(CODE_PAGE)}]

    def get_client_ip(self, request: HttpRequest) -> str:
        """Return the client's address, for allauth's rate limits and list of sessions."""
        return addresses.client_address(request)


def _kind_of_password(request: HttpRequest, user: User) -> AccountChange.Kind:
    match = request.resolver_match
    if match is not None and match.url_name == BY_MAIL:
        return AccountChange.Kind.PASSWORD_RESET
    has_one = user.has_usable_password()
    return AccountChange.Kind.PASSWORD_CHANGED if has_one else AccountChange.Kind.PASSWORD_SET
