"""The player page for staff: each section needs the permission for its data."""

import re
from html import unescape
from urllib.parse import parse_qsl, urlsplit

import pytest
from allauth.usersessions.models import UserSession
from django.apps import apps
from django.contrib.auth.models import Group
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from moneyed import Money

from core.admin.autocomplete import PickerField
from players.eligibility import holds
from players.eligibility.hold_models import Hold
from players.limits.models import OwnLimit
from staff.access.roles import ROLES, make_roles
from staff.players.player_sections import sections_of
from tables.seats import seating
from tables.seats.models import ReviewFlag
from tests.builders.people.regions import open_region
from tests.builders.people.sessions import prove
from tests.builders.staff.people import clerk
from tests.builders.tables.disputes import complain, played_deal
from tests.builders.tables.making import make_table
from tests.builders.tournaments.tickets import a_ticket
from tests.builders.tournaments.tournaments import enter, make_tournament
from tests.builders.wallet.payout_desk import make_withdrawal, payee_for
from tests.builders.wallet.players import acts, admit_to_cash, fund, make_player
from wallet.audit.models import AccountFreeze
from wallet.deposits import limits as deposit_limits
from wallet.withdrawals import withdrawals

pytestmark = pytest.mark.django_db


def url_of(player):
    return reverse("player-desk", args=[player.pk])


def sign_in(client, role=""):
    person = clerk(is_superuser=not role)
    if role:
        make_roles(apps)
        person.groups.add(Group.objects.get(name=role))
    client.force_login(person)
    return person


@pytest.fixture
def busy(db):
    """A player with money, a limit, games, a dispute, a flag, a tournament and a session."""
    open_region("IN-KA")
    opened = complain(played_deal())
    player = admit_to_cash(opened.seat.player)
    fund(player, deposit=50_00, winnings=50_00)
    withdrawals.request_withdrawal(
        player=player, amount=Money(7, "INR"), payee=payee_for(player), requested_by=player
    )
    limit = {"currency": "INR", "amount": Money(100, "INR")}
    deposit_limits.set_limit(player=player, period=OwnLimit.Period.DAY, **limit, is_proved=True)
    table = opened.deal.table
    other = table.seats.exclude(pk=opened.seat_id).first()
    ReviewFlag.objects.create(table=table, kind="network", seat=opened.seat, other=other)
    UserSession.objects.create(user=player, ip="192.0.2.7", session_key="k", user_agent="Firefox")
    return player


def titles(viewer, player):
    return {section.title for section in sections_of(player, viewer) if section.rows}


def columns_of(title, viewer, player):
    [columns] = [one.columns for one in sections_of(player, viewer) if one.title == title]
    return columns


@pytest.mark.extended
def test_player_page_shows_all_sections(client, busy):
    boss = sign_in(client)
    [entry] = enter(make_tournament())

    page = client.get(url_of(busy)).content.decode()

    for words in ("₹93.00", "₹7.00", "₹100.00", "192.0.2.7", "The clock", "Same network"):
        assert words in page
    seen = titles(boss, busy)
    assert {"Money", "Accounts", "Transfers", "Withdrawals", "Deposit limits"} <= seen
    assert {"At tables now", "Games", "Disputes", "Review flags", "Sessions"} <= seen
    assert "Tournaments" in titles(boss, entry.player)


@pytest.mark.extended
def test_each_role_sees_what_its_own_lists_hold(client, busy):
    operations, finance, support = (
        titles(sign_in(client, role), busy) for role in ("Operations", "Finance", "Support")
    )

    assert operations == {"At tables now", "Games", "Disputes", "Review flags"}
    shown = {
        role: columns_of("Games", sign_in(client, role), busy)
        for role in ROLES
        if role != "Identity"
    }
    assert not titles(sign_in(client, "Identity"), busy)
    assert "Paid" in shown["Finance"]
    assert "Won" in shown["Support"]
    assert not {"Paid", "Won"} & set(shown["Operations"])
    assert "Sessions" not in finance
    assert "Disputes" not in finance
    assert {"Money", "Transfers", "Withdrawals", "At tables now"} <= finance
    assert {"Money", "Sessions", "Disputes", "Review flags"} <= support


@pytest.mark.extended
def test_more_rows_cost_no_more_queries():
    boss = clerk(is_superuser=True)
    one, other = (_with_money(make_player()) for _ in range(2))
    make_withdrawal(1, player=one)
    for rupees in (1, 2, 3):
        make_withdrawal(rupees, player=other)

    def queries(player):
        with CaptureQueriesContext(connection) as asked:
            sections_of(player, boss)
        return len(asked)

    assert queries(other) == queries(one)


def _with_money(player):
    fund(player, deposit=10_00)
    return player


@pytest.mark.extended
def test_account_is_frozen_and_unfrozen_from_the_player_page(client):
    player, by = make_player(), sign_in(client, "Support")
    account = fund(player, deposit=50_00)["deposit"]
    add = reverse("admin:wallet_accountfreeze_add")
    link = f"{add}?account={account.pk}&amp;act="

    assert f"{link}freeze" in client.get(url_of(player)).content.decode()
    form = client.get(link.replace("&amp;", "&") + "freeze").context["adminform"].form
    client.post(add, {"account": account.pk, "act": form.initial["act"], "reason": "Stolen card"})

    act = AccountFreeze.objects.get()
    assert (act.act, act.by, act.reason) == ("freeze", by, "Stolen card")
    assert f"{link}thaw" in client.get(url_of(player)).content.decode()


@pytest.mark.extended
def test_links_to_staff_actions_fill_in_player_and_row(client, busy):
    sign_in(client)
    [entry] = enter(make_tournament())
    seated = seating.join(table_id=make_table(seats_min=2).pk, player=busy).player

    pages = [client.get(url_of(one)).content.decode() for one in (busy, entry.player, seated)]

    links = map(unescape, re.findall(r'href="([^"]+/add/\?[^"]+)', "".join(pages)))
    # One of each kind: all accounts have the same.
    forms = {(urlsplit(one).path, *dict(parse_qsl(urlsplit(one).query))): one for one in links}
    begun = {path.split("/")[3] for path, *_ in forms}
    assert begun == {"accountfreeze", "adjustment", "bonusrequest", "ruling", "staffaction"}
    for link in forms.values():
        form = client.get(link).context["adminform"].form
        for name, value in parse_qsl(urlsplit(link).query):
            assert str(form[name].value()) == value
            if isinstance(form.fields[name], PickerField):
                assert form.fields[name].clean(value)
    cases = set(re.findall(r'href="(/admin/cases/[^"]+)', pages[0]))
    assert len(cases) == 2
    assert {client.get(link).status_code for link in cases} == {200}


@pytest.mark.extended
def test_player_page_links_to_the_refund_of_a_ticket(client):
    sign_in(client)
    open_region("IN-KA")
    _, _, [ticket, *_] = a_ticket()
    link = f"{reverse('admin:tournaments_ticketrefund_add')}?ticket={ticket.pk}"

    assert link in client.get(url_of(ticket.player)).content.decode()


def test_player_is_blocked_on_the_player_page_for_a_reason(client):
    player, by = make_player(), sign_in(client, "Support")

    client.post(url_of(player), {"act": "block", "reason": ""})
    assert not acts().exists()
    client.post(url_of(player), {"act": "block", "reason": "Two accounts"})

    player.refresh_from_db()
    assert not player.is_active
    act = acts().get()
    assert (act.act, act.by, act.about, act.reason) == ("block", by, player, "Two accounts")
    assert "Unblock" in client.get(url_of(player)).content.decode()


def test_staff_without_permission_cannot_block_a_player(client):
    player, other = make_player(), clerk()
    sign_in(client, "Operations")

    page = client.get(url_of(player)).content.decode()

    assert client.post(url_of(player), {"act": "block", "reason": "x"}).status_code == 403
    assert 'name="reason"' not in page
    sign_in(client, "Support")
    shown = client.post(url_of(other), {"act": "block", "reason": "x"}).content.decode()
    assert "staff_account" in shown
    other.refresh_from_db()
    assert other.is_active


def test_hold_is_set_and_lifted_on_the_player_page(client):
    player, by = make_player(), sign_in(client, "Finance")

    client.post(url_of(player), {"act": "hold-withdraw", "reason": ""})
    assert not acts().exists()
    client.post(url_of(player), {"act": "hold-withdraw", "reason": "Bank asks"})
    held = client.get(url_of(player)).content.decode()
    client.post(url_of(player), {"act": "lift-withdraw", "reason": "Answered"})

    assert "Bank asks" in held
    assert 'value="lift-withdraw"' in held
    assert 'value="hold-deposit"' in held
    assert 'value="hold-withdraw"' in client.get(url_of(player)).content.decode()
    set_, lifted = acts().filter(by=by, about=player).order_by("pk")
    assert (set_.act, set_.reason) == ("hold", "Bank asks")
    assert (lifted.act, lifted.reason) == ("lift", "Answered")
    assert player.is_active
    assert client.post(url_of(player), {"act": "unheard-of", "reason": "x"}).status_code == 400


def test_staff_with_view_permission_can_neither_set_nor_lift_a_hold(client):
    player = make_player()
    holds.set_hold(
        player_id=player.pk, kind=Hold.Kind.PLAY, by=clerk(is_superuser=True), reason="Two accounts"
    )
    sign_in(client, "Operations")

    page = client.get(url_of(player)).content.decode()

    assert "Two accounts" in page
    assert 'name="reason"' not in page
    for act in ("lift-play", "hold-deposit"):
        assert client.post(url_of(player), {"act": act, "reason": "x"}).status_code == 403
    assert Hold.objects.active().count() == 1


def test_support_changes_a_person_but_no_rights_and_no_staff(client):
    player, colleague, by = make_player(), clerk(), sign_in(client, "Support")
    change = reverse("admin:players_user_change", args=[player.pk])
    person = {"handle": "renamed", "country": "IN", "region": "TN"}
    more = {"time_zone": "Asia/Kolkata", "language": "en", "birth_date": "1990-01-01"}
    theft = {"is_staff": "on", "is_superuser": "on", "is_active": "", "email": "x@example.com"}

    client.post(change, person | more | theft)
    of_colleague = reverse("admin:players_user_change", args=[colleague.pk])

    before = player.email
    player.refresh_from_db()
    assert (player.handle, player.region, player.email) == ("renamed", "TN", before)
    assert (player.is_staff, player.is_superuser, player.is_active) == (False, False, True)
    act = acts().get()
    assert (act.act, act.by, act.about) == ("change", by, player)
    assert "region=TN" in act.after
    assert client.post(of_colleague, person | more).status_code == 403
    assert client.post(f"/admin/players/user/{player.pk}/password/").status_code == 403
    assert "pbkdf2" not in client.get(change).content.decode()


def test_a_superuser_gives_a_role_and_a_password_on_record(client):
    colleague, by = clerk(), sign_in(client)
    prove(client)
    make_roles(apps)
    role = Group.objects.get(name="Support")
    fields = {
        "handle": colleague.handle,
        "email": colleague.email,
        "time_zone": "Asia/Kolkata",
        "language": "en",
        "is_active": "on",
        "is_staff": "on",
        "groups": [role.pk],
    }

    client.post(reverse("admin:players_user_change", args=[colleague.pk]), fields)
    word = "a quite long password"
    client.post(
        f"/admin/players/user/{colleague.pk}/password/",
        {"usable_password": "true", "password1": word, "password2": word},
    )

    given, set_ = acts().filter(by=by).order_by("pk")
    assert (given.act, given.about, given.after) == ("change", colleague, "groups=Support")
    assert (set_.act, set_.before, set_.after) == ("set_password", "", "")
    colleague.refresh_from_db()
    assert colleague.check_password(word)


def test_session_is_ended_in_the_list_and_its_key_not_shown(client, busy):
    by = sign_in(client, "Support")
    session = UserSession.objects.get(user=busy)
    url = reverse("admin:usersessions_usersession_changelist")

    page = client.get(reverse("admin:usersessions_usersession_change", args=[session.pk]))
    client.post(url, {"action": "end", "_selected_action": [session.pk]})

    assert "session_key" not in page.content.decode()
    assert not UserSession.objects.filter(user=busy).exists()
    assert acts().get(by=by).about == busy
