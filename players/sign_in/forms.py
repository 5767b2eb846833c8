"""The sign-up form."""

from __future__ import annotations

from typing import Any

from django import forms

from players.accounts.forms import handle_field, refuse_taken_handle
from players.accounts.models import User
from players.identity.phones.forms import mobile_field


class SignUpForm(forms.Form):
    """Fields of a new account besides e-mail and password, which allauth adds."""

    handle = handle_field()
    mobile = mobile_field()

    field_order = ("email", "handle", "password1", "mobile")

    def clean_handle(self) -> str:
        handle: str = self.cleaned_data["handle"]
        refuse_taken_handle(handle)
        return handle

    def signup(self, request: Any, user: User) -> None:
        """Do nothing: allauth requires it, but `HandleAdapter` has saved these fields already."""
