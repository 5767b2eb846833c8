"""The form that turns a guest into a full account."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.password_validation import (
    password_validators_help_text_html,
    validate_password,
)
from django.utils.translation import gettext_lazy as _

from players.accounts.forms import handle_field, refuse_taken_handle
from players.accounts.models import User
from players.identity.phones.forms import mobile_field


class KeepAccountForm(forms.Form):
    """E-mail, password, handle and optional mobile number of a guest.

    An address of another account is accepted too, so that the form does not reveal it; only its
    owner can verify it.
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

    mobile = mobile_field()

    def __init__(self, *args: Any, player: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.player = player

    def clean_handle(self) -> str:
        handle: str = self.cleaned_data["handle"]
        refuse_taken_handle(handle, player=self.player)
        return handle

    def clean_password(self) -> str:
        password: str = self.cleaned_data["password"]
        validate_password(password, self.player)
        return password
