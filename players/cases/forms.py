"""Forms in which players write to staff: answers, and requests about their own data."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy

from players.cases.data_request_models import DataRequest
from players.cases.models import Remark


class AnswerForm(forms.Form):
    text = forms.CharField(
        label=gettext_lazy("Your answer"),
        max_length=Remark.LONGEST,
        widget=forms.Textarea(attrs={"rows": 4}),
    )


class DataRequestForm(forms.Form):
    about = forms.ChoiceField(label=gettext_lazy("Request"), choices=DataRequest.About.choices)
    text = forms.CharField(
        label=gettext_lazy("What to correct or delete, and why"),
        max_length=DataRequest.LONGEST,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=gettext_lazy("Do not send pictures here. Our staff may ask for a document."),
    )
