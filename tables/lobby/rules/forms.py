"""What the split calculator asks for (RB 7.4)."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from rummy import PROFILES, Rules
from tables.games import game_of
from tables.state.rules import title_of

MOST_SCORES = 6


class SplitForm(forms.Form):
    """Reads a split from an address, so that a calculation can be passed on as a link."""

    profile = forms.ChoiceField(label=_("Rules"))
    scores = forms.CharField(
        label=_("Points of those who are left"),
        help_text=_("In seat order, with spaces or commas between: 20, 55, 92."),
        max_length=60,
    )
    started = forms.IntegerField(label=_("Players who started"), min_value=2, max_value=6)
    entries = forms.IntegerField(
        label=_("Entries paid, rejoins included"), min_value=2, max_value=1_000
    )
    entry = forms.DecimalField(
        label=_("One entry"), min_value=Decimal("0.01"), max_digits=12, decimal_places=2
    )
    rake = forms.DecimalField(
        label=_("Rake in percent"), min_value=0, max_value=100, max_digits=5, decimal_places=2
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        pools = [rules for rules in PROFILES.values() if game_of(rules).bands(rules)]
        choices = [(rules.name, title_of(rules)) for rules in pools]
        self.fields["profile"].choices = choices  # type: ignore[attr-defined]

    def clean_scores(self) -> list[int]:
        texts = self.cleaned_data["scores"].replace(",", " ").split()
        if not texts or not all(
            text.isascii() and text.isdigit() and len(text) < 6 for text in texts
        ):
            raise ValidationError(_("Write whole points, such as 20, 55, 92."))
        if len(texts) > MOST_SCORES:
            raise ValidationError(_("Six players at most."))
        return [int(text) for text in texts]

    def clean(self) -> dict[str, Any]:
        """Refuse what no pool can come to (RB 7.1)."""
        data = super().clean() or {}
        scores, started, entries = (data.get(name) for name in ("scores", "started", "entries"))
        limit = self.rules.limit if "profile" in data else None
        if scores and limit and max(scores) >= limit:
            words = _("Below %(limit)s each: a player who has reached that is out.") % {
                "limit": limit
            }
            self.add_error("scores", words)
        if scores and started and started < len(scores):
            self.add_error("started", _("Not fewer than are left."))
        if started and entries and entries < started:
            self.add_error("entries", _("Not fewer than players started: each paid one."))
        return data

    @property
    def rules(self) -> Rules:
        return PROFILES[self.cleaned_data["profile"]]

    @property
    def entry_minor(self) -> int:
        return int(self.cleaned_data["entry"] * 100)

    @property
    def rake_bps(self) -> int:
        return int(self.cleaned_data["rake"] * 100)
