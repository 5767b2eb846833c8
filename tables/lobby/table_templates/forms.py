"""The staff form for table templates: a rules profile with individual changes."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, ClassVar, Final, get_args

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _
from moneyed import Money
from unfold.widgets import (
    UnfoldAdminDecimalFieldWidget,
    UnfoldAdminIntegerFieldWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextInputWidget,
)

from rummy import ALL_PROFILES, AnyRules, RulesError
from rummy.notation.house_rules import kinds_of
from tables.exceptions import TableError
from tables.games import PROFILES, game_of, opening
from tables.games.game import Price
from tables.models.templates import NetworkRule, TableTemplate
from tables.state.rules import rules_of
from wallet.exceptions import InexactAmount
from wallet.ledger.forms import ShareField
from wallet.ledger.money import PLAY_POINTS, as_money, minor_units

# The rules of all families that staff may change, with their labels; an empty field keeps the value
# of the base.
OWN: Final = {
    "limit": _("Limit"),
    "first_drop": _("First drop"),
    "middle_drop": _("Middle drop"),
    "cap": _("Cap"),
    "deals": _("Deals"),
    "chips": _("Chips"),
    "max_rejoins": _("Max rejoins"),
    "rejoin_at_most": _("Rejoin at most"),
    "auto_split_from": _("Auto split from"),
    "least_loss": _("Least loss"),
    "misses_allowed": _("Misses allowed"),
    "misses_allowed_for_two": _("Misses allowed for two"),
    "turn_seconds": _("Turn seconds"),
    "extra_seconds": _("Extra seconds"),
    "meld_seconds": _("Meld seconds"),
    "gap_seconds": _("Gap seconds"),
    "toss_seconds": _("Toss seconds"),
    "start_seconds": _("Start seconds"),
    "rejoin_seconds": _("Rejoin seconds"),
    "split_seconds": _("Split seconds"),
    "target": _("Target"),
    "rounds": _("Rounds"),
    "max_melds_per_turn": _("Max melds per turn"),
    "max_refills": _("Max refills"),
    "max_turns": _("Max turns"),
    "ace_points": _("Ace points"),
    "rummy_bonus": _("Rummy bonus"),
    "rejoin": _("Rejoin"),
    "split": _("Split"),
    "auto_split": _("Auto split"),
    "drops_allowed": _("Drops allowed"),
    "round_the_corner": _("Round the corner"),
    "half_without_turn": _("Half without turn"),
    "absent_pays_lower": _("Absent pays lower"),
    "lay_off_before_meld": _("Lay off before meld"),
    "may_discard_taken": _("May discard taken"),
    "must_discard_last": _("Must discard last"),
    "gap_ready": _("Gap ready"),
    "aces": _("Aces"),
    "refill": _("Refill"),
    "scoring": _("Scoring"),
}
# The rules for groups and for the points of a losing hand (RB 2 to 4, 5.3).
GROUPS: Final = {
    "max_jokers_per_sequence": _("Max jokers per sequence"),
    "max_jokers_per_set": _("Max jokers per set"),
    "max_set_size": _("Max set size"),
    "min_naturals": _("Min naturals"),
    "identical_triples": _("Identical triples"),
    "loose_jokers": _("Loose jokers"),
    "life_of_four": _("Life of four"),
    "open_joker": _("Open joker"),
    "unmet": _("Unmet"),
    "unmet_points": _("Unmet points"),
}
RULES: Final = OWN | GROUPS
KINDS: Final = {
    name: kind for rules in ALL_PROFILES.values() for name, kind in kinds_of(type(rules)).items()
}
# The field beside which an error of the rules is shown.
FIELD_OF_CODE: Final = {
    "bad_limit": "limit",
    "bad_drops": "first_drop",
    "bad_deals": "deals",
    "bad_target": "target",
    "bad_rounds": "rounds",
    "bad_aces": "round_the_corner",
    "bad_ace_points": "ace_points",
    "bad_rejoin": "rejoin",
    "bad_split": "split",
    "bad_unmet": "unmet_points",
}
# The text that removes an optional number for which the base has a value.
NONE: Final = "none"


class RuleNumber(forms.IntegerField):
    """A whole number, or `none` if the rule is optional."""

    def to_python(self, value: Any) -> Any:
        is_none = isinstance(value, str) and value.strip().lower() == NONE
        return NONE if is_none else super().to_python(value)

    def run_validators(self, value: Any) -> None:
        if value != NONE:
            super().run_validators(value)


def rule_field(name: str) -> forms.Field:
    """Return the form field of a rule, as its type needs it."""
    kind, same = KINDS[name], _("same as the base")
    common: dict[str, Any] = {"label": RULES[name], "required": False}
    if kind is bool:
        return forms.TypedChoiceField(
            **common,
            empty_value=None,
            coerce=lambda value: value == "yes",
            choices=[("", same), ("yes", _("yes")), ("no", _("no"))],
            widget=UnfoldAdminSelectWidget(),
        )
    if kind == int | None:
        attrs = {"placeholder": _("same as the base, or “none”"), "inputmode": "numeric"}
        text = UnfoldAdminTextInputWidget(attrs=attrs)
        return RuleNumber(**common, max_value=1_000_000, widget=text)
    if kind is int:
        number = UnfoldAdminIntegerFieldWidget(attrs={"placeholder": same})
        return forms.IntegerField(**common, max_value=1_000_000, widget=number)
    options = [(word, word.replace("_", " ")) for word in get_args(kind)]
    choices = [("", same), *options]
    return forms.ChoiceField(**common, choices=choices, widget=UnfoldAdminSelectWidget())


class TemplateForm(forms.ModelForm[TableTemplate]):
    """A valid form sets `rules`, and the prices of its instance."""

    base = forms.ChoiceField(
        label=_("House rules"),
        choices=[(name, name) for name in PROFILES],
        widget=UnfoldAdminSelectWidget(),
    )
    currency = forms.ChoiceField(label=_("Currency"), widget=UnfoldAdminSelectWidget())
    entry = forms.DecimalField(
        label=_("Entry"),
        required=False,
        max_digits=14,
        min_value=Decimal("0.01"),
        help_text=_("Pools and deals: the price of a seat."),
        widget=UnfoldAdminDecimalFieldWidget(),
    )
    point_value = forms.DecimalField(
        label=_("Value of a point"),
        required=False,
        max_digits=14,
        min_value=Decimal("0.01"),
        help_text=_("Points tables: the smallest stack is the cap times this value."),
        widget=UnfoldAdminDecimalFieldWidget(),
    )

    rake_bps = ShareField(
        label=_("Rake"), help_text=_("In percent of each entry, or of a deal's winnings.")
    )

    rules: AnyRules

    class Meta:
        model = TableTemplate
        fields = (
            "slug",
            "name",
            "seats_min",
            "seats_max",
            "rake_bps",
            "bots_fill",
            "bot_strength",
            "is_offered",
            "same_network",
        )
        help_texts: ClassVar[dict[str, Any]] = {
            "bots_fill": _("Practice tables: bots take the free seats. Play points only."),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        currencies = (PLAY_POINTS, *settings.CASH_CURRENCIES)
        self.fields["currency"].choices = [(code, code) for code in currencies]  # type: ignore[attr-defined]
        self.fields["same_network"].required = False
        if self.instance.pk:
            self.initial.update(self._as_stored())
            # Reports of closed days include the slug and must not change.
            self.fields["slug"].disabled = True

    def clean_same_network(self) -> str:
        return self.cleaned_data["same_network"] or NetworkRule.FLAG

    def clean(self) -> dict[str, Any]:
        super().clean()
        if self.errors:
            return self.cleaned_data
        if rules := self._rules():
            self.rules = rules
            self._price(rules)
        if not self.errors:
            self._refuse_terms()
        return self.cleaned_data

    def _rules(self) -> AnyRules | None:
        """Return the rules, or None after adding errors to the fields that caused them."""
        base = PROFILES[self.cleaned_data["base"]]
        base_values = base.to_dict()
        asked = {name: self.cleaned_data[name] for name in RULES}
        changes = {name: value for name, value in asked.items() if value not in (None, "")}
        for name in changes.keys() - base_values.keys():
            self.add_error(name, _("Leave this empty: the game does not use it."))
        if self.errors:
            return None
        changes = {name: None if value == NONE else value for name, value in changes.items()}
        changes = {name: value for name, value in changes.items() if value != base_values[name]}
        if not changes:
            return base
        name = f"{base.name}-{self.cleaned_data['slug']}"[:60].rstrip("-")
        try:
            return base.with_(name=name, **changes)
        except RulesError as refusal:
            self.add_error(FIELD_OF_CODE.get(refusal.code), refusal.message)
            return None

    def _price(self, rules: AnyRules) -> None:
        """Set the entry or the value of a point of the instance, as the game requires."""
        game = game_of(rules)
        wanted = game.price_field
        other = "entry" if wanted == "point_value" else "point_value"
        if self.cleaned_data[wanted] is None:
            self.add_error(wanted, _("This game needs a value here."))
        if self.cleaned_data[other] is not None:
            self.add_error(other, _("Leave this empty: the game does not use it."))
        if self.errors:
            return
        try:
            price = minor_units(Money(self.cleaned_data[wanted], self.cleaned_data["currency"]))
        except InexactAmount as refusal:
            self.add_error(wanted, str(refusal))
            return
        self.instance.currency = self.cleaned_data["currency"]
        self.instance.entry_minor, self.instance.point_value_minor = game.price(rules, price)

    def _refuse_terms(self) -> None:
        try:
            opening.refuse_terms(
                rules=self.rules,
                price=Price(self.instance.entry_minor, self.instance.point_value_minor),
                seats_min=self.cleaned_data["seats_min"],
                seats_max=self.cleaned_data["seats_max"],
            )
        except TableError as refusal:
            self.add_error(None, str(refusal))
        if self.cleaned_data["bots_fill"] and self.cleaned_data["currency"] != PLAY_POINTS:
            self.add_error("bots_fill", _("Bots can play for play points only."))

    def _as_stored(self) -> dict[str, Any]:
        """Return initial values: the base, the rules that differ from it, and the price."""
        template, rules = self.instance, rules_of(self.instance.profile)
        base = base_of(rules)
        mine, others = rules.to_dict(), base.to_dict()
        changes: dict[str, Any] = {
            name: mine[name] for name in RULES if name in mine and mine[name] != others[name]
        }
        for name, value in changes.items():
            if isinstance(value, bool):
                changes[name] = "yes" if value else "no"
            elif value is None:
                changes[name] = NONE
        game = game_of(rules)
        amount = as_money(game.price_minor(template), template.currency).amount
        return {
            "base": base.name,
            "currency": template.currency,
            game.price_field: amount,
            **changes,
        }


# One field per rule, because the admin derives its own form from the declared fields.
_RULE_FIELDS = {name: rule_field(name) for name in RULES}
TemplateForm.base_fields |= _RULE_FIELDS
TemplateForm.declared_fields |= _RULE_FIELDS


def base_of(rules: AnyRules) -> AnyRules:
    """Return the library's profile that these rules were derived from.

    A profile whose name is the beginning of theirs comes first; then the fewest differences decide.
    """
    mine = rules.to_dict()

    def unlike(base: AnyRules) -> tuple[bool, int]:
        others = base.to_dict()
        return not rules.name.startswith(base.name), sum(
            mine[rule] != others[rule] for rule in mine
        )

    family = [base for base in PROFILES.values() if base.family == rules.family]
    return min(family, key=unlike)
