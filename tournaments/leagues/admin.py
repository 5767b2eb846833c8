"""Admin of seasons: staff plan them; results and outcomes are read-only."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, ClassVar, Final

from django import forms
from django.contrib import admin
from django.contrib.postgres.forms import SimpleArrayField
from django.http import HttpRequest
from django.utils.translation import gettext_lazy
from moneyed import Money
from unfold.widgets import (
    UnfoldAdminCheckboxSelectMultipleWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
)

from core.admin.edit_pages import ServiceAdmin, action_with_remark
from core.admin.read_only import ReadOnlyInline
from core.exceptions import Refusal
from players.accounts.models import User
from tables.games import GAMES
from tournaments.exceptions import TournamentError
from tournaments.leagues import seasons
from tournaments.leagues.models import Outcome, Season
from tournaments.leagues.series import template_names
from tournaments.lobby.templates_admin import PrizesField
from tournaments.planning.template_models import TournamentTemplate
from wallet.ledger.admin_columns import amount_column
from wallet.ledger.forms import FiguresField
from wallet.ledger.money import as_money, minor_units

FIELDS: Final = (
    *("name", "starts_at", "ends_at", "follows", "series", "game", "pace", "currency", "with_bots"),
    *("place_points", "is_weighted", "pools", "prize_bps", "promoted", "relegated"),
)
TERMS: Final = tuple(name for name in FIELDS if name not in ("series", "pools"))


class SeasonForm(forms.ModelForm[Season]):
    series = forms.ModelMultipleChoiceField(
        TournamentTemplate.objects.order_by("name"),
        label=gettext_lazy("Tournaments of a series"),
        required=False,
        widget=UnfoldAdminCheckboxSelectMultipleWidget(),
        help_text=gettext_lazy("Only these count, and no other games. Choose none to count all."),
    )
    game = forms.ChoiceField(
        label=gettext_lazy("Game"), required=False, widget=UnfoldAdminSelectWidget()
    )
    place_points = SimpleArrayField(
        forms.IntegerField(min_value=0, max_value=999_999),
        label=gettext_lazy("Points by place"),
        widget=UnfoldAdminTextInputWidget(),
        help_text=gettext_lazy("From the first place, such as 100, 60, 40. The last gets none."),
    )
    pools = SimpleArrayField(
        FiguresField(max_digits=14, min_value=Decimal(0)),
        label=gettext_lazy("Prize pool of each division"),
        widget=UnfoldAdminTextInputWidget(),
        initial="0",
        help_text=gettext_lazy(
            "The highest division first, such as 500, 200, 100; 0 for no prizes. The operator pays "
            "them when the season opens."
        ),
    )
    prize_bps = PrizesField(
        label=gettext_lazy("Prizes by place"),
        help_text=gettext_lazy(
            "Percent of each pool by place, such as 50, 30, 20; the sum must be 100. Leave empty "
            "for the rulebook's default."
        ),
        required=False,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 4}),
    )

    class Meta:
        model = Season
        fields = TERMS
        help_texts: ClassVar[dict[str, Any]] = {
            "follows": gettext_lazy("Players keep their divisions of this season."),
            "currency": gettext_lazy("Only games in this currency count, and prizes are in it."),
            "promoted": gettext_lazy("Players of each division who move up at the end."),
            "relegated": gettext_lazy("Players of each division who move down at the end."),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        games = [(name, str(game.title)) for name, game in GAMES.items()]
        self.fields["game"].choices = [("", gettext_lazy("All games")), *games]  # type: ignore[attr-defined]
        self.initial["series"] = self.instance.templates
        self.initial["pools"] = _amounts(self.instance)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not self.errors:
            terms = {name: cleaned[name] for name in TERMS}
            terms["templates"] = sorted(template.pk for template in cleaned["series"])
            try:
                pools = [minor_units(Money(one, cleaned["currency"])) for one in cleaned["pools"]]
                seasons.check_season(Season(pools_minor=pools, **terms))
            except (Refusal, TournamentError) as refusal:
                raise forms.ValidationError(str(refusal), code=refusal.code) from refusal
            self.instance.pools_minor, self.instance.templates = pools, terms["templates"]
        return cleaned


class OutcomeInline(ReadOnlyInline):
    model = Outcome
    fields = ("player", "division", "place", "next_division", "won", "is_passed_over")

    won = amount_column("prize_minor", gettext_lazy("Prize"), currency="season.currency")


@admin.register(Season)
class SeasonAdmin(ServiceAdmin):
    """Seasons are changed and cancelled until they open."""

    form = SeasonForm
    fields = FIELDS
    list_display = ("name", "state", "starts_at", "ends_at", "pools", "promoted", "relegated")
    list_filter = ("state", "currency")
    search_fields = ("name", "=public_id")
    actions = ("cancel",)
    inlines = (OutcomeInline,)

    @admin.display(description=gettext_lazy("Prize pool of each division"))
    def pools(self, season: Season) -> str:
        return f"{_amounts(season)} {season.currency}"

    @admin.display(description=gettext_lazy("Tournaments of a series"))
    def series(self, season: Season) -> str:
        return ", ".join(template_names(season)) or "-"

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return () if self.has_change_permission(request, obj) else ("pools", "series")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        is_planned = obj is None or obj.state == Season.State.PLANNED
        return is_planned and bool(super().has_change_permission(request, obj))

    def save_by_action(self, row: Season, form: Any, by: User) -> Season:
        return seasons.plan_season(season=row, by=by)

    cancel = action_with_remark(
        lambda season, by, remark: seasons.cancel_season(season_id=season.pk, by=by, reason=remark),
        label=gettext_lazy("Cancel seasons that have not opened"),
        message=gettext_lazy("Cancelled"),
        permission="change",
    )


def _amounts(season: Season) -> str:
    amounts = (as_money(minor, season.currency).amount for minor in season.pools_minor)
    return ", ".join(f"{amount.normalize():f}" for amount in amounts)
