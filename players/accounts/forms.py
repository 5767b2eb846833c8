from __future__ import annotations

from typing import Any
from zoneinfo import available_timezones

from django import forms
from django.conf import settings
from django.contrib.auth.password_validation import (
    password_validators_help_text_html,
    validate_password,
)
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from players.accounts import look
from players.accounts.models import HANDLE_PATTERN, User


def handle_field() -> forms.RegexField:
    return forms.RegexField(
        regex=HANDLE_PATTERN,
        max_length=20,
        label=_("Player name"),
        help_text=_("The name other players see: 3 to 20 letters, digits or underscores."),
        error_messages={"invalid": _("Use 3 to 20 letters, digits or underscores.")},
    )


class SignUpForm(forms.Form):
    """What a new player gives beside e-mail and password (allauth adds those)."""

    handle = handle_field()

    field_order = ("email", "handle", "password1")

    def clean_handle(self) -> str:
        handle: str = self.cleaned_data["handle"]
        if User.objects.filter(handle__iexact=handle).exists():
            raise ValidationError(_("This player name is taken."))
        return handle

    def signup(self, request: Any, user: User) -> None:
        """Called by allauth after the user is saved; the handle was saved with it."""


class KeepAccountForm(forms.Form):
    """What a guest gives to sign in again: e-mail, password, and a handle to be known by.

    An address that has an account is taken like any other: who types it learns nothing, and only
    its owner can verify it.
    """

    email = forms.EmailField(
        label=_("Email"), widget=forms.EmailInput(attrs={"autocomplete": "email"})
    )
    handle = handle_field()
    password = forms.CharField(
        label=_("Password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text=password_validators_help_text_html,
    )

    def __init__(self, *args: Any, player: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.player = player

    def clean_handle(self) -> str:
        handle: str = self.cleaned_data["handle"]
        others = User.objects.exclude(pk=self.player.pk)
        if others.filter(handle__iexact=handle).exists():
            raise ValidationError(_("This player name is taken."))
        return handle

    def clean_password(self) -> str:
        password: str = self.cleaned_data["password"]
        validate_password(password, self.player)
        return password


class ProfileForm(forms.ModelForm[User]):
    """What players may change themselves; only staff change their region and birth date."""

    class Meta:
        model = User
        fields = ("language", "time_zone")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        zones = [(name, name) for name in sorted(available_timezones())]
        self.fields["language"] = forms.ChoiceField(label=_("Language"), choices=settings.LANGUAGES)
        self.fields["time_zone"] = forms.ChoiceField(
            label=_("Time zone"),
            choices=zones,
            help_text=_("Pages and e-mails show times in it."),
        )


class LookForm(forms.Form):
    """How this browser shows the site; what is not sent stays as it is."""

    language = forms.ChoiceField(label=_("Language"), choices=settings.LANGUAGES, required=False)
    theme = forms.ChoiceField(label=_("Theme"), choices=look.CHOICES["theme"], required=False)
    suits = forms.ChoiceField(label=_("Card suits"), choices=look.CHOICES["suits"], required=False)
    sound = forms.ChoiceField(
        label=_("Sound at the table"), choices=look.CHOICES["sound"], required=False
    )
    vibration = forms.ChoiceField(
        label=_("Vibration at your turn"), choices=look.CHOICES["vibration"], required=False
    )
    phrases = forms.ChoiceField(
        label=_("Phrases of other players"), choices=look.CHOICES["phrases"], required=False
    )


def look_form(request: HttpRequest) -> LookForm:
    """Return the form of what a page can change of itself at once: all but the language."""
    form = LookForm(initial=look.look(request)["look"])
    del form.fields["language"]
    return form
