"""Kinds of tables made by staff: their rules, their prices, and what the lobby makes of them."""

import pytest
from django.urls import reverse

from tables.games import PROFILES, opening
from tables.lobby.table_templates.forms import GROUPS, TemplateForm, base_of
from tables.models.tables import Table
from tables.models.templates import RuleProfile, TableTemplate
from tables.seats import seating
from tables.state.rules import rules_of
from tests.builders.tables.deals import settle
from tests.builders.tables.making import make_player
from tests.builders.tables.offers import FIELDS
from tests.builders.tables.playing import reread
from tests.builders.tables.shared import shared

pytestmark = pytest.mark.django_db


@shared
def superuser():
    return make_player(is_staff=True, is_superuser=True)


@pytest.fixture
def staff(client, superuser):
    client.force_login(superuser)
    return client


def post(staff, template=None, **changes):
    page = "tables_tabletemplate_change" if template else "tables_tabletemplate_add"
    url = reverse(f"admin:{page}", args=[template.pk] if template else [])
    return staff.post(url, FIELDS | changes)


def errors_of(answer):
    return str(answer.context["adminform"].form.errors)


@pytest.mark.extended
def test_a_template_made_in_the_admin_has_a_table_in_the_lobby(staff):
    assert staff.get(reverse("admin:tables_tabletemplate_add")).status_code == 200

    assert post(staff).status_code == 302
    opening.keep_lobby_stocked()

    template = TableTemplate.objects.get()
    assert rules_of(template.profile) == PROFILES["total-rummy-pool-101"]
    table = Table.objects.get()
    assert (table.template, table.entry_minor, table.rake_bps) == (template, 100_00, 1_000)
    assert table.bot_strength == "greedy"
    assert staff.get(reverse("admin:tables_tabletemplate_changelist")).status_code == 200


def test_a_template_keeps_the_name_reports_know_it_by(staff):
    post(staff)

    assert post(staff, TableTemplate.objects.get(), slug="other", name="Other").status_code == 302

    template = TableTemplate.objects.get()
    assert (template.slug, template.name) == ("evening-pool", "Other")


def test_custom_rules_are_stored_as_an_unchangeable_version(staff):
    post(staff, turn_seconds=20, limit=151)
    template = TableTemplate.objects.get()
    first = template.profile
    assert (first.name, first.version) == ("total-rummy-pool-101-evening-pool", 1)

    assert post(staff, template, turn_seconds=20, limit=161).status_code == 302
    template.refresh_from_db()
    assert (template.profile.name, template.profile.version) == (first.name, 2)
    assert rules_of(template.profile).limit == 161
    post(staff, template, turn_seconds=20, limit=151)

    template.refresh_from_db()
    assert template.profile == first
    assert RuleProfile.objects.count() == 2


def test_the_form_opens_with_what_is_stored(staff):
    post(staff, turn_seconds=20, rejoin="no", split="no", auto_split="no")
    template = TableTemplate.objects.get()

    page = staff.get(reverse("admin:tables_tabletemplate_change", args=[template.pk]))

    form = page.context["adminform"].form
    assert form.initial["base"] == "total-rummy-pool-101"
    assert (form.initial["turn_seconds"], form.initial["rejoin"]) == (20, "no")
    assert str(form.initial["entry"]) == "100.00"
    assert b"Out at 101. 5 drops at 0." in page.content
    assert b"Rejoin up to" not in page.content


@pytest.mark.parametrize(
    ("changes", "field", "words"),
    [
        ({"limit": 80}, "limit", "cap &lt; limit"),
        ({"first_drop": 41}, "first_drop", "first_drop &lt;= middle_drop"),
        ({"base": "total-rummy-points"}, "entry", "the game does not use it."),
        (
            {"base": "total-rummy-points", "entry": ""},
            "point_value",
            "This game needs a value here.",
        ),
        ({"entry": "100.001"}, "entry", "not a whole minor amount"),
        ({"base": "vengala-pool-101"}, "__all__", "for 2 to 5 players"),
        ({"seats_min": 5, "seats_max": 4}, "__all__", "for 2 to 6 players"),
        ({"base": "total-rummy-best-of-2", "limit": 101}, "limit", "a pool has a limit"),
        ({"bots_fill": "on", "currency": "INR"}, "bots_fill", "play points only"),
        ({"rejoin": "yes", "base": "total-rummy-best-of-3"}, "limit", "belong to pools"),
        ({"rejoin": "yes", "base": "straight"}, "rejoin", "the game does not use it."),
        ({"rounds": 3, "base": "straight"}, "rounds", "a game of rounds"),
        ({"round_the_corner": "yes", "base": "straight"}, "round_the_corner", "aces are high"),
        ({"aces": "high", "base": "straight"}, "ace_points", "count more than 1"),
        ({"unmet": "pure_exempt", "unmet_points": "flat"}, "unmet_points", "nothing exempt"),
        ({"rejoin": "no", "max_rejoins": 2}, "rejoin", "need rejoin"),
        ({"auto_split": "no", "auto_split_from": 60}, "split", "needs auto_split"),
        ({"drops_allowed": "no"}, "split", "needs drops_allowed"),
        ({"limit": "none"}, "limit", "a pool has a limit"),
        ({"max_set_size": "many"}, "max_set_size", "whole number"),
        ({"max_set_size": 2}, "__all__", "at least 3"),
    ],
)
def test_invalid_rules_are_reported_at_their_field(changes, field, words):
    form = TemplateForm(FIELDS | changes)

    assert field in form.errors
    assert words in str(form.errors[field])


GROUPS_ASKED = {
    "life_of_four": "other",
    "max_jokers_per_sequence": "2",
    "max_jokers_per_set": "1",
    "max_set_size": "4",
    "min_naturals": "2",
    "identical_triples": "yes",
    "loose_jokers": "yes",
    "open_joker": "never",
    "unmet": "pure_exempt",
    "unmet_points": "sum",
}


def test_a_template_stores_every_group_rule_and_shows_it_again(staff):
    answer = post(staff, **GROUPS_ASKED)
    assert answer.status_code == 302, errors_of(answer)
    template = TableTemplate.objects.get()

    rules = rules_of(template.profile)
    page = staff.get(reverse("admin:tables_tabletemplate_change", args=[template.pk]))

    stored = {name: str(value) for name, value in rules.to_dict().items()}
    asked = GROUPS_ASKED | {"identical_triples": "True", "loose_jokers": "True"}
    assert {name: stored[name] for name in asked} == asked
    form = page.context["adminform"].form
    shown = {name: str(form.initial.get(name, "sum")) for name in GROUPS_ASKED}
    assert shown == GROUPS_ASKED
    assert set(GROUPS_ASKED) == set(GROUPS)
    for name in GROUPS:
        assert f'name="{name}"' in page.text


def test_a_limit_of_the_base_is_taken_off_by_the_word_none(staff):
    answer = post(
        staff, base="vengala-pool-101", seats_max=5, max_jokers_per_set="none", max_set_size="None"
    )
    assert answer.status_code == 302, errors_of(answer)
    template = TableTemplate.objects.get()

    rules = rules_of(template.profile)
    page = staff.get(reverse("admin:tables_tabletemplate_change", args=[template.pk]))
    initial = page.context["adminform"].form.initial
    kept = {name: initial[name] for name in ("base", "max_jokers_per_set", "max_set_size")}
    again = post(staff, template, seats_max=5, **kept)

    assert (rules.max_jokers_per_sequence, rules.max_jokers_per_set) == (1, None)
    assert rules.max_set_size is None
    assert again.status_code == 302
    template.refresh_from_db()
    assert rules_of(template.profile) == rules


# One of each game; the other profiles differ in numbers alone.
OF_EACH_GAME = {"total-rummy-pool-101", "total-rummy-best-of-2", "vengala-points", "straight"}


@pytest.mark.extended
@pytest.mark.parametrize(
    "base",
    [
        name if name in OF_EACH_GAME else pytest.param(name, marks=pytest.mark.soak)
        for name in sorted(PROFILES)
    ],
)
def test_every_profile_can_be_offered(staff, base):
    prices = {"entry": "100.00"}
    if PROFILES[base].game == "points":
        prices = {"entry": "", "point_value": "0.50"}

    assert post(staff, base=base, seats_max=4, limit=1, **prices).status_code == 200
    assert not TableTemplate.objects.exists()
    assert not RuleProfile.objects.exists()

    answer = post(staff, base=base, seats_max=4, **prices)

    assert answer.status_code == 302, errors_of(answer)
    opening.keep_lobby_stocked()
    table = Table.objects.get()
    seating.join(table_id=table.pk, player=make_player())
    assert reread(table).escrow.balance_minor == (40_00 if "point_value" in prices else 100_00)


@pytest.mark.parametrize("name", sorted(PROFILES))
def test_base_of_changed_rules_is_found(name):
    changed = {"turn_seconds": 12, "gap_seconds": 3}

    assert base_of(PROFILES[name].with_(name=f"{name}-evening", **changed)).name == name
    assert base_of(PROFILES[name].with_(name="kitchen", **changed)).name == name


def test_a_withdrawn_template_closes_its_empty_tables_and_leaves_the_others(staff):
    post(staff)
    template = TableTemplate.objects.get()
    empty = opening.restock(template_id=template.pk)
    seat = seating.join(table_id=empty.pk, player=make_player())
    url = reverse("admin:tables_tabletemplate_changelist")

    def act(action):
        staff.post(url, {"action": action, "_selected_action": [template.pk]})

    act("withdraw")
    assert reread(empty).phase == Table.Phase.WAITING
    seating.leave(seat_id=seat.pk)
    act("withdraw")

    assert reread(empty).phase == Table.Phase.CANCELLED
    assert reread(empty).ending == "closed"
    assert opening.keep_lobby_stocked() == []
    act("offer")
    assert len(opening.keep_lobby_stocked()) == 1


def test_occupied_tables_keep_their_terms_and_empty_ones_are_reopened(staff, owner):
    post(staff)
    template = TableTemplate.objects.get()
    taken = opening.restock(template_id=template.pk)
    seating.join(table_id=taken.pk, player=make_player())

    post(staff, template, entry="120.00", turn_seconds=15)

    assert (reread(taken).phase, reread(taken).entry_minor) == (Table.Phase.WAITING, 100_00)
    assert rules_of(reread(taken).profile).turn_seconds == 30
    with owner():
        Table.objects.filter(pk=taken.pk).update(template=None)
    opening.keep_lobby_stocked()
    [newer] = Table.objects.filter(template=template)
    assert (newer.entry_minor, rules_of(newer.profile).turn_seconds) == (120_00, 15)
    post(staff, template, entry="130.00")
    assert reread(newer).phase == Table.Phase.CANCELLED


@pytest.mark.extended
def test_an_empty_points_table_stays_as_long_as_the_lobby_has_no_other(owner, staff):
    post(staff, base="total-rummy-points", entry="", point_value="1.00")
    template = TableTemplate.objects.get()
    first = opening.restock(template_id=template.pk)
    seats = [seating.join(table_id=first.pk, player=make_player()) for _ in range(2)]
    for seat in seats:
        seating.leave(seat_id=seat.pk)
    assert reread(first).phase == Table.Phase.WAITING
    with owner():
        Table.objects.filter(pk=first.pk).update(seats_max=2)
    seats = [seating.join(table_id=first.pk, player=make_player()) for _ in range(2)]
    [second] = opening.keep_lobby_stocked()

    for seat in seats:
        seating.leave(seat_id=seat.pk)
    settle(first)

    assert reread(first).phase == Table.Phase.FINISHED
    assert reread(second).phase == Table.Phase.WAITING
