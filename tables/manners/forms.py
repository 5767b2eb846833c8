"""The form with which a player reports another one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from tables.manners.models import PlayerReport


class ReportForm(forms.Form):
    """`others` are the handles of those who can be reported."""

    handle = forms.ChoiceField(label=_("Player"))
    kind = forms.ChoiceField(
        choices=[("", "---------"), *PlayerReport.Kind.choices], label=_("What is it about?")
    )
    text = forms.CharField(
        max_length=PlayerReport.LONGEST,
        label=_("What happened?"),
        widget=forms.Textarea(attrs={"rows": 5}),
    )
    is_blocked = forms.BooleanField(
        required=False, label=_("Also block this player: we will not be seated together")
    )
    deal_no = forms.IntegerField(min_value=0, widget=forms.HiddenInput())
    ply = forms.IntegerField(min_value=0, max_value=100_000, widget=forms.HiddenInput())

    def __init__(self, *args: Any, others: Sequence[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["handle"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [(handle, handle) for handle in others]
