"""The split calculator: its form, and the calculation line by line (RB 7.4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

import rummy
from rummy import PROFILES, Rules
from tables.games import game_of
from tables.state.rules import title_of

MOST_SCORES = 6
WHY_NOT = {
    "no_split": _("These rules do not allow a split."),
    "wrong_number_of_players": _(
        "A split needs 2 or 3 players left of more than 3, or 2 left of 3 who started."
    ),
    "rest_too_small": _("After the shares for drops, less than one net entry would be left."),
}


class SplitForm(forms.Form):
    """Reads a split from the query, so that a calculation can be shared as a link."""

    profile = forms.ChoiceField(label=_("Rules"))
    scores = forms.CharField(
        label=_("Points of the players left"),
        help_text=_("In seat order, separated by spaces or commas: 20, 55, 92."),
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
        pools = [rules for rules in PROFILES.values() if game_of(rules).figures(rules).bands]
        choices = [(rules.name, title_of(rules)) for rules in pools]
        self.fields["profile"].choices = choices  # type: ignore[attr-defined]

    def clean_scores(self) -> list[int]:
        texts = self.cleaned_data["scores"].replace(",", " ").split()
        if not texts or not all(
            text.isascii() and text.isdigit() and len(text) < 6 for text in texts
        ):
            raise ValidationError(_("Enter whole numbers, such as 20, 55, 92."))
        if len(texts) > MOST_SCORES:
            raise ValidationError(_("Enter at most six players."))
        return [int(text) for text in texts]

    def clean(self) -> dict[str, Any]:
        """Reject input that cannot occur in a pool (RB 7.1)."""
        data = super().clean() or {}
        scores, started, entries = (data.get(name) for name in ("scores", "started", "entries"))
        limit = self.rules.limit if "profile" in data else None
        if scores and limit and max(scores) >= limit:
            words = _("Enter totals below %(limit)s: players who reach it are out.") % {
                "limit": limit
            }
            self.add_error("scores", words)
        if scores and started and started < len(scores):
            self.add_error("started", _("Enter at least the number of players left."))
        if started and entries and entries < started:
            self.add_error("entries", _("Enter at least the number of players who started."))
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


@dataclass(frozen=True, slots=True)
class SplitLine:
    """One survivor: drops, the share for drops above the fewest, the equal part, and the sum."""

    score: int
    drops: int
    more_drops: int
    for_drops_minor: int
    equal_part_minor: int
    share_minor: int


@dataclass(frozen=True, slots=True)
class SplitSum:
    net_minor: int
    prize_minor: int
    rest_minor: int
    is_automatic: bool
    lines: tuple[SplitLine, ...]
    why_not: str


def split_sum(
    rules: Rules, scores: Sequence[int], *, started: int, entries: int, entry: int, bps: int
) -> SplitSum:
    """Return the shares of `rummy.pool.split_offer` line by line; raise the same errors."""
    offer = rummy.pool.split_offer(
        rules, scores, started=started, entries=entries, entry=entry, bps=bps
    )
    net = rummy.pool.net_entry(entry, bps)
    prize = rummy.pool.prize(entries, entry, bps)
    drops = [rummy.pool.drops_left(score, rules) for score in scores]
    more = [left - min(drops) for left in drops]
    lines = [
        SplitLine(score, left, above, above * net, share - above * net, share)
        for score, left, above, share in zip(scores, drops, more, offer.shares or (), strict=False)
    ]
    return SplitSum(
        net_minor=net,
        prize_minor=prize,
        rest_minor=prize - sum(more) * net,
        is_automatic=offer.auto,
        lines=tuple(lines),
        why_not=str(WHY_NOT[offer.why]) if offer.why else "",
    )
