"""Every staff action is listed, and refused to staff with a conflict of interest in its row."""

import inspect
from functools import partial
from importlib import import_module
from pkgutil import walk_packages

import pytest
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.urls import reverse

from core.models import AuditEntry
from players.accounts.conflicts_of_interest import refuse_own_interest
from players.accounts.models import User
from players.exceptions import SharedInterest
from players.sign_in import actions as sign_ins
from tables.models.seats import Seat
from tables.models.tables import Table
from tables.seats import seating
from tables.state.locks import lock_table
from tests.amounts import first
from tests.builders.people.sessions import prove
from tests.builders.processes.threads import waiting
from tests.builders.staff.acts import WHY, boss, pair
from tests.builders.staff.admin_actions import ACTIONS
from tests.builders.staff.conflicts_of_interest import APPS, OTHERWISE
from tests.builders.staff.staff_actions import CASES
from tests.builders.tables.making import make_game, make_player, make_table
from tests.builders.tournaments.tickets import a_ticket, register_with
from tests.builders.tournaments.tournaments import enter, make_tournament, start
from tests.builders.wallet.payout_desk import make_withdrawal, step
from tests.builders.wallet.players import fund
from tournaments.lobby import registration
from tournaments.rounds import staff_actions
from wallet.audit import freezes
from wallet.exceptions import NothingToSend
from wallet.withdrawals import withdrawals

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("lawful")]
# Parameter names of the acting member of staff, and of the people concerned.
STAFF = {"by", "created_by", "uploaded_by", "requested_by"}
PEOPLE = {"player", "about", "act", "user", "viewer", "winner", "shares", "prizes", "players"}
PEOPLE |= {"absent", "owner", "people", "person", "blocked", "other"}
# Members of staff who read a report, and decide nothing.
PEOPLE |= {"reader", "staff"}
TRIED = sorted(act for act, service in ACTIONS.items() if service)


def functions_with_a_person():
    """Yield the name of each function with a user parameter, and of that parameter."""
    for app in APPS:
        for found in walk_packages(import_module(app).__path__, f"{app}."):
            if ".migrations" in found.name or ".management" in found.name:
                continue
            for name, function in vars(import_module(found.name)).items():
                if not inspect.isfunction(function) or function.__module__ != found.name:
                    continue
                for parameter, declared in function.__annotations__.items():
                    if parameter == "return" or str(declared).startswith("Callable"):
                        continue
                    if "User" in str(declared).replace("UserSession", ""):
                        yield f"{found.name}.{name}", parameter


def decisions_first():
    """Return the actions for `parametrize`: approvals and rulings in the quick run, then others."""
    decisions = [name for name in CASES if ".approve" in name or ".rulings." in name]
    return first(len(decisions), [*decisions, *sorted(set(CASES) - set(decisions))])


def test_every_service_for_staff_is_in_the_table():
    found = list(functions_with_a_person())

    acts = {name for name, parameter in found if parameter in STAFF}
    public = {name for name in acts if "._" not in name or name in OTHERWISE}
    assert {parameter for _, parameter in found} <= STAFF | PEOPLE
    assert public == {*CASES, *OTHERWISE}


@pytest.mark.parametrize("name", decisions_first())
def test_staff_action_is_refused_with_an_interest_and_recorded_without(name):
    act, colleague = CASES[name](), boss()
    acts = AuditEntry.objects.count()

    with pytest.raises(SharedInterest) as refusal:
        act.do(by=act.rival)

    assert refusal.value.code == "shared_interest"
    assert AuditEntry.objects.count() == acts
    act.do(by=colleague)
    [*written] = AuditEntry.objects.filter(by=colleague)
    assert written
    assert all(entry.before != entry.after for entry in written)


@pytest.mark.extended
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("label", "action"), first(3, TRIED))
@pytest.mark.soak
def test_admin_action_shows_the_reason_of_a_conflict_of_interest(client, label, action):
    act = CASES[ACTIONS[label, action]]()
    client.force_login(act.rival)
    acts = AuditEntry.objects.count()

    page = reverse(f"admin:{label.replace('.', '_').lower()}_changelist")
    sent = {"action": action, ACTION_CHECKBOX_NAME: [act.row.pk], **dict(act.sent)}
    shown = client.post(page, sent, follow=True).content.decode()

    assert "(shared_interest)" in shown
    assert AuditEntry.objects.count() == acts


def test_staff_cannot_change_a_player_of_their_own_game(client):
    rival, player = pair()
    client.force_login(rival)
    prove(client)
    page = reverse("admin:players_user_change", args=[player.pk])
    shown = client.get(page).context["adminform"].form.initial
    fields = {name: value for name, value in shown.items() if value not in (None, False)}
    fields |= {"country": "LK", "region": "", "groups": [], "user_permissions": []}

    answer = client.post(page, fields, follow=True).content.decode()
    password = reverse("admin:auth_user_password_change", args=[player.pk])
    sent = {"password1": "a-new-one-9", "password2": "a-new-one-9", "usable_password": "true"}
    shown_too = client.post(password, sent, follow=True).content.decode()

    assert "(shared_interest)" in answer
    assert "(shared_interest)" in shown_too
    after = User.objects.get(pk=player.pk)
    assert (after.country, after.password) == (player.country, player.password)
    client.force_login(boss())
    assert client.post(page, fields).status_code == 302
    assert User.objects.get(pk=player.pk).country == "LK"


@pytest.mark.parametrize("how", first(2, ["waiting list", "withdrawn", "ticket"]))
def test_a_part_in_a_tournament_is_more_than_a_place_in_it(how):
    rival = boss()
    if how == "ticket":
        _, main, [ticket, _] = a_ticket()
        tournament, _ = register_with(ticket, main)
        other = main.tickets.exclude(pk=ticket.pk).get()
        rival = other.player
    else:
        tournament = make_tournament(entrants_max=3)
        enter(tournament, 3 if how == "waiting list" else 1)
        entry = registration.register(tournament_id=tournament.pk, player=rival)
        if how == "withdrawn":
            registration.withdraw(entry_id=entry.pk)
    victim = tournament.entries.exclude(player=rival).first()

    with pytest.raises(SharedInterest):
        staff_actions.remove(entry_id=victim.pk, by=rival, **WHY)

    assert not tournament.entries.filter(is_removed=True).exists()


def test_staff_who_acted_on_a_tournament_cannot_enter_it():
    tournament, staff = make_tournament(), boss()
    victim, *_ = enter(tournament, 3)
    staff_actions.remove(entry_id=victim.pk, by=staff, **WHY)

    with pytest.raises(SharedInterest):
        registration.register(tournament_id=tournament.pk, player=staff)


def test_a_shared_tournament_protects_its_entrants_until_it_is_over():
    tournament, rival = make_tournament(), boss()
    [entry] = enter(tournament)
    registration.register(tournament_id=tournament.pk, player=rival)

    with pytest.raises(SharedInterest):
        sign_ins.block(player_id=entry.player_id, by=rival, **WHY)
    start(tournament)
    with pytest.raises(SharedInterest):
        freezes.freeze_account(account=tournament.escrow_account, by=rival, **WHY)


def test_player_who_left_a_running_game_still_has_an_interest_in_it():
    table = make_game(players=3)
    gone, *others = table.seats.select_related("player").order_by("pk")
    seating.leave(seat_id=gone.pk)
    gone.player.is_staff = True

    with pytest.raises(SharedInterest):
        sign_ins.block(player_id=others[0].player_id, by=gone.player, **WHY)


def test_strangers_and_finished_games_refuse_nothing():
    rival, player = pair()
    Table.objects.update(phase="cancelled", finished_at="2026-01-01T00:00Z", due_at=None)

    refuse_own_interest(player, by=rival)
    refuse_own_interest(make_player(), None, by=rival)


def test_a_file_for_the_bank_leaves_out_players_in_the_same_game():
    rival, player = pair()
    fund(player, deposit=50_00)
    withdrawal = make_withdrawal(20, player=player)
    step("approve", withdrawal)

    with pytest.raises(NothingToSend):
        withdrawals.send_to_bank(by=rival)

    assert list(withdrawals.send_to_bank(by=boss()).withdrawals.all()) == [withdrawal]


@pytest.mark.django_db(transaction=True)
def test_staff_action_is_refused_for_a_concurrent_seat():
    """The action waits for the transaction that takes the seat, then reads the seat."""
    rival, table = boss(), make_table(seats_max=3)
    victim = seating.join(table_id=table.pk, player=make_player()).player
    block = partial(sign_ins.block, player_id=victim.pk, by=rival, **WHY)

    with pytest.raises(SharedInterest), waiting(block):
        Seat.objects.create(table=lock_table(table.pk), player=rival)

    assert User.objects.get(pk=victim.pk).is_active
