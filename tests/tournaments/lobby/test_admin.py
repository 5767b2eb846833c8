"""Admin of tournaments: templates and staff actions."""

import pytest
from django.contrib.auth.hashers import check_password
from django.urls import reverse

from core.models import AuditEntry
from tests.builders.staff.previews import post_agreed
from tests.builders.tables.making import make_player
from tests.builders.tournaments.tournaments import (
    again,
    enter,
    make_template,
    make_tournament,
    start,
)
from tournaments.entries.models import Entry
from tournaments.planning.models import StaffAction, Tournament
from tournaments.planning.template_models import TournamentTemplate

pytestmark = pytest.mark.django_db


@pytest.fixture
def staff(client):
    staff = make_player(is_staff=True, is_superuser=True)
    client.force_login(staff)
    return staff


def act(client, tournament, kind, **more):
    fields = {"tournament": tournament.pk, "kind": kind, "reason": "Because"} | more
    return client.post(reverse("admin:tournaments_staffaction_add"), fields)


def fields_shown(client, page):
    """Return the values of a page's form, without checkboxes and lists."""
    form = client.get(page).context["adminform"].form
    shown = {name: form[name].value() for name in form.fields}
    return {
        name: value
        for name, value in shown.items()
        if value is not None and not isinstance(value, (bool, list))
    }


@pytest.mark.extended
def test_every_list_opens(client, staff):
    tournament = make_tournament()
    enter(tournament, 3)
    start(tournament)

    for model in ("tournament", "tournamenttemplate", "entry", "ticket", "staffaction"):
        assert client.get(reverse(f"admin:tournaments_{model}_changelist")).status_code == 200
    page = reverse("admin:tournaments_tournament_change", args=[tournament.pk])
    assert client.get(page).status_code == 200


@pytest.mark.extended
def test_template_form_shows_invalid_terms(client, staff):
    template = make_template()
    page = reverse("admin:tournaments_tournamenttemplate_change", args=[template.pk])
    fields = fields_shown(client, page)

    def errors(**wrong):
        answer = client.post(page, fields | wrong)
        return str(answer.context["adminform"].form.errors)

    assert "sum to 90 percent, not to 100" in errors(prize_bps="50, 40")
    assert "like 3: 12.5 or 4-6: 5" in errors(prize_bps="first takes all")
    assert "not both" in errors(reentries_max="1", rejoins="on", late_minutes="5")
    assert "not a time zone" in errors(time_zone="Asia/Nowhere")
    assert "Select a valid choice" in errors(weekdays="7")
    assert TournamentTemplate.objects.get(pk=template.pk).prize_bps == []

    assert client.post(page, fields | {"name": "Other", "slug": "other"}).status_code == 302
    after = TournamentTemplate.objects.get(pk=template.pk)
    assert (after.name, after.slug) == ("Other", template.slug)
    assert (after.entry_minor, after.guarantee_minor) == (
        template.entry_minor,
        template.guarantee_minor,
    )


def test_a_template_opens_a_tournament_by_hand(client, staff):
    template = make_template()

    client.post(
        reverse("admin:tournaments_tournamenttemplate_changelist"),
        {"action": "open_one", "_selected_action": [template.pk]},
    )

    assert template.tournaments.count() == 1


@pytest.mark.extended
@pytest.mark.django_db(transaction=True)
def test_staff_actions_are_carried_out_and_recorded(client, staff):
    tournament = make_tournament(round_minutes=30)
    first, *_ = enter(tournament, 4)

    act(client, tournament, "delay", starts_at_0="2030-01-01", starts_at_1="20:00")
    gone = {"tournament": tournament.pk, "kind": "remove", "reason": "Because"}
    gone["player"] = first.player.handle
    post_agreed(client, reverse("admin:tournaments_staffaction_add"), gone)
    missing = act(client, tournament, "extend")

    assert "This action requires a value" in missing.text
    assert again(tournament).starts_at.year == 2030
    assert Entry.objects.get(pk=first.pk).state == Entry.State.RELEASED
    kinds = list(StaffAction.objects.values_list("kind", "asked_by"))
    assert kinds == [("delay", staff.pk), ("remove", staff.pk)]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("entrants", "refusal"), [(3, "tournament_running"), (0, "tournament_over")]
)
def test_refused_staff_action_shows_an_error_and_writes_nothing(client, staff, entrants, refusal):
    tournament = make_tournament()
    enter(tournament, entrants)
    start(tournament)

    answer = act(client, tournament, "cancel")

    assert answer.status_code == 302
    assert refusal in client.get(answer.url).text
    assert not StaffAction.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_abort_in_the_admin_needs_a_second_person(client, staff):
    tournament = make_tournament()
    enter(tournament, 3)
    start(tournament)
    act(client, tournament, "abort")
    agree = {"action": "agree", "_selected_action": [StaffAction.objects.get().pk]}
    acts = reverse("admin:tournaments_staffaction_changelist")

    refused = client.post(acts, agree, follow=True).text
    assert "same_person" in refused
    client.force_login(make_player(is_staff=True, is_superuser=True))
    post_agreed(client, acts, agree)

    assert again(tournament).state == Tournament.State.ABORTED


def test_template_form_reads_amounts_percent_and_weekdays(client, staff):
    template = make_template()
    page = reverse("admin:tournaments_tournamenttemplate_change", args=[template.pk])
    fields = fields_shown(client, page)

    halved = client.post(page, fields | {"entry": "150.505"})
    written = {"entry": "150.50", "guarantee": "2000", "prize_bps": "50, 30.5, 19.5"}
    written |= {"rake_bps": "12.5", "weekdays": ["0", "6"]}
    answer = client.post(page, fields | written)

    assert halved.status_code == 200
    assert "150.505" in str(halved.context["adminform"].form.errors)
    assert answer.status_code == 302
    after = TournamentTemplate.objects.get(pk=template.pk)
    assert (after.entry_minor, after.guarantee_minor) == (150_50, 2000_00)
    assert (after.prize_bps, after.rake_bps) == ([5_000, 3_050, 1_950], 1_250)
    assert after.weekdays == [0, 6]
    again = client.get(page).text
    for shown in ("1: 50\n2: 30.5\n3: 19.5", "Monday", 'value="12.5"'):
        assert shown in again


def test_preview_shows_prizes_to_the_minor_unit_and_refuses_other_sums(client, staff):
    page = reverse("admin:tournaments_tournamenttemplate_prizes")
    asked = {"entry": "49", "rake_bps": "10", "guarantee": "0", "currency": "PTS"}
    asked |= {"entrants_max": "60", "entrants": "53", "prize_bps": "1: 50\n2-4: 16.67"}

    wrong = client.get(page, asked)
    right = client.get(page, asked | {"prize_bps": "1: 49.99\n2-4: 16.67"})

    assert "The shares sum to 100.01 percent, not to 100." in wrong.text
    assert "<table" not in wrong.text
    # 53 entries of 49.00 less 10 percent: 2,337.30; 49.99 and 16.67 percent of it are
    # 1,168.41627 and 389.62791, and the three units left go to the larger remainders.
    [column] = [each for each in right.context["columns"] if each.entrants == 53]
    assert [amount.minor for _, amount, _ in column.prizes] == [1168_41, 389_63, 389_63, 389_63]
    assert (column.pool.minor, column.total.minor, column.odd_to) == (2337_30, 2337_30, [2, 3, 4])
    assert not TournamentTemplate.objects.exists()
    client.force_login(make_player(is_staff=True))
    assert client.get(page, asked).status_code == 403


def test_password_of_a_template_is_stored_as_a_hash_and_never_shown(client, staff):
    template = make_template()
    page = reverse("admin:tournaments_tournamenttemplate_change", args=[template.pk])
    fields = fields_shown(client, page)

    assert client.post(page, fields | {"password": "monsoon-cup"}).status_code == 302
    stored = TournamentTemplate.objects.get(pk=template.pk).password_hash
    assert client.post(page, fields | {"name": "Kept"}).status_code == 302

    assert check_password("monsoon-cup", stored)
    assert TournamentTemplate.objects.get(pk=template.pk).password_hash == stored
    assert stored not in client.get(page).text
    acts = AuditEntry.objects.filter(kind="tournaments.tournamenttemplate")
    assert "set_password" in acts.values_list("act", flat=True)
    assert stored not in str(list(acts.values()))
    assert client.post(page, fields | {"without_password": "on"}).status_code == 302
    assert TournamentTemplate.objects.get(pk=template.pk).password_hash == ""


def test_staff_choose_the_kind_of_a_template(client, staff):
    template = make_template()
    page = reverse("admin:tournaments_tournamenttemplate_change", args=[template.pk])
    fields = fields_shown(client, page)

    assert client.post(page, fields | {"kind": "race"}).status_code == 200  # Without minutes.
    assert client.post(page, fields | {"kind": "race", "round_minutes": 10}).status_code == 302

    assert TournamentTemplate.objects.get(pk=template.pk).kind == "race"
