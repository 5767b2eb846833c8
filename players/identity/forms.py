"""Forms for birth date, PAN and identity documents."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.pages.dates import DayInput
from players.identity.documents import LARGEST_BYTES
from players.identity.models import IdentityCheck
from players.identity.providers import provider_in_use


class BirthDateForm(forms.Form):
    born = forms.DateField(
        label=gettext_lazy("Birth date"),
        widget=DayInput(attrs={"autocomplete": "bday"}),
        help_text=gettext_lazy(
            "As on your documents. You can set this once. To correct it later, contact us."
        ),
    )


class TaxNumberForm(forms.Form):
    number = forms.CharField(
        label=gettext_lazy("PAN"),
        max_length=20,
        help_text=gettext_lazy("You can set this once. To correct it later, contact us."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "characters"}),
    )


def _file_field(label: Any, help_text: Any = "", *, required: bool) -> forms.FileField:
    accepted = {"accept": "image/jpeg,image/png,application/pdf"}
    widget = forms.FileInput(attrs=accepted)
    return forms.FileField(label=label, help_text=help_text, required=required, widget=widget)


class DocumentForm(forms.Form):
    name = forms.CharField(
        label=gettext_lazy("Full name"),
        max_length=IdentityCheck.LONGEST_NAME,
        help_text=gettext_lazy("As on the document. Money is paid out only to this name."),
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    document = forms.ChoiceField(
        label=gettext_lazy("Document"), choices=IdentityCheck.DocumentKind.choices
    )
    front = _file_field(
        gettext_lazy("Front"), gettext_lazy("JPEG, PNG or PDF, up to 4 MB."), required=True
    )
    back = _file_field(gettext_lazy("Back, if it has one"), required=False)
    may_be_sent = forms.BooleanField(required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Ask for consent to send the documents, if a provider is in use."""
        super().__init__(*args, **kwargs)
        provider = provider_in_use()
        if provider is None:
            del self.fields["may_be_sent"]
        else:
            sent = self.fields["may_be_sent"]
            sent.label = _("%(provider)s may check my document") % {"provider": provider.title}
            sent.help_text = _(
                "We send %(provider)s the pictures, your name, birth date and country, and keep "
                "their answer. If you do not agree, our staff check the document, which may take "
                "longer."
            ) % {"provider": provider.title}

    def contents(self) -> list[bytes]:
        """Return the files' contents, each read to one byte more than the maximum."""
        chosen = [self.cleaned_data[name] for name in ("front", "back")]
        return [file.read(LARGEST_BYTES + 1) for file in chosen if file]
