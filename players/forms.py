from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from players.models import HANDLE_PATTERN, User


class SignUpForm(forms.Form):
    """What a new player gives beside e-mail and password (allauth adds those)."""

    handle = forms.RegexField(
        regex=HANDLE_PATTERN,
        max_length=20,
        label=_("Handle"),
        help_text=_("The name other players see: 3 to 20 letters, digits or underscores."),
        error_messages={"invalid": _("Use 3 to 20 letters, digits or underscores.")},
    )

    field_order = ("email", "handle", "password1")

    def clean_handle(self) -> str:
        handle: str = self.cleaned_data["handle"]
        if User.objects.filter(handle__iexact=handle).exists():
            raise ValidationError(_("Somebody already plays under this handle."))
        return handle

    def signup(self, request: Any, user: User) -> None:
        """Called by allauth after the user is saved; the handle was saved with it."""
