from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any
from zoneinfo import TZPATH, available_timezones

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from players.accounts import look
from players.accounts.avatars import Avatar
from players.accounts.models import HANDLE_PATTERN, User
from players.accounts.places import REGION_NAME_MAX


class RegionField(forms.ChoiceField):
    """A region chosen from a list, or any code or name that `region_code` accepts.

    Only the length is checked here; the form or service that has the country checks the value.
    """

    def valid_value(self, value: Any) -> bool:
        return len(str(value)) <= REGION_NAME_MAX


def handle_field() -> forms.RegexField:
    return forms.RegexField(
        regex=HANDLE_PATTERN,
        max_length=20,
        label=_("Player name"),
        help_text=_("The name other players see: 3 to 20 letters, digits or underscores."),
        error_messages={"invalid": _("Use 3 to 20 letters, digits or underscores.")},
    )


def refuse_taken_handle(handle: str, *, player: User | None = None) -> None:
    """Raise a `ValidationError` if another account has the name, ignoring case."""
    others = User.objects.exclude(pk=player.pk) if player else User.objects.all()
    if others.filter(handle__iexact=handle).exists():
        raise ValidationError(_("This player name is taken."))


def likely_zones(player: User) -> list[str]:
    """Return the player's time zone, that of the site, and those of the player's country."""
    found = [player.time_zone, settings.TIME_ZONE, *zones_of_country(player.country)]
    return [name for name in dict.fromkeys(found) if name in available_timezones()]


@cache
def zones_of_country(country: str) -> tuple[str, ...]:
    """Return the time zones of a country by the system's `zone.tab`; none if it has no such file.

    The file lists the zone with the most people first.
    """
    tables = (Path(folder) / "zone.tab" for folder in TZPATH)
    table = next((path for path in tables if path.is_file()), None)
    if table is None or not country:
        return ()
    rows = (line.split("\t") for line in table.read_text().splitlines() if line[:1] != "#")
    return tuple(row[2] for row in rows if len(row) > 2 and row[0] == country)


class ProfileForm(forms.ModelForm[User]):
    """Settings that players change themselves; only staff change their region and birth date."""

    class Meta:
        model = User
        fields = ("avatar", "language", "time_zone", "has_public_profile")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # The current one is chosen, so that the form offers no empty choice.
        self.initial["avatar"] = self.instance.picture
        self.fields["avatar"] = forms.ChoiceField(
            label=_("Avatar"), choices=Avatar, widget=forms.RadioSelect, required=False
        )
        likely = likely_zones(self.instance)
        others = sorted(available_timezones() - {*likely})
        zones = [
            (_("Likely"), [(name, name) for name in likely]),
            (_("Other"), [(name, name) for name in others]),
        ]
        self.fields["language"] = forms.ChoiceField(label=_("Language"), choices=settings.LANGUAGES)
        self.fields["time_zone"] = forms.ChoiceField(
            label=_("Time zone"),
            choices=zones,
            help_text=_("Used for times on pages and in e-mails."),
        )


class LookForm(forms.Form):
    """Display settings of this browser; omitted fields stay unchanged."""

    language = forms.ChoiceField(label=_("Language"), choices=settings.LANGUAGES, required=False)
    theme = forms.ChoiceField(label=_("Theme"), choices=look.CHOICES["theme"], required=False)
    suits = forms.ChoiceField(label=_("Card suits"), choices=look.CHOICES["suits"], required=False)
    sound = forms.ChoiceField(
        label=_("Sound at the table"), choices=look.CHOICES["sound"], required=False
    )
    vibration = forms.ChoiceField(
        label=_("Vibration at your turn"), choices=look.CHOICES["vibration"], required=False
    )
    phrases = forms.ChoiceField(
        label=_("Phrases of other players"), choices=look.CHOICES["phrases"], required=False
    )


def look_form(request: HttpRequest) -> LookForm:
    """Return the form for settings that a page applies without reloading: all but the language."""
    form = LookForm(initial=look.look(request)["look"])
    del form.fields["language"]
    return form
