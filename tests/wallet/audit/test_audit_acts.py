"""Changes that only staff may make have an entry in the audit log, or the audit reports them."""

import pytest
from django.contrib.auth.models import Group, Permission
from django.core.management import call_command
from django.urls import reverse

from players.accounts.models import User
from tests.builders.people.sessions import prove
from tests.builders.staff.acts import boss
from tests.builders.wallet.players import make_player
from wallet.audit.audit import audit

# Each statement and each act in a database transaction of its own.
pytestmark = pytest.mark.django_db(transaction=True)


def found():
    return sorted((finding.check, finding.subject.split()[0]) for finding in audit().findings)


@pytest.mark.extended
def test_rights_given_past_the_admin_are_named():
    """The web role can write all of these."""
    player = make_player()
    group, right = Group.objects.create(name="Cashiers"), Permission.objects.first()
    assert found() == []

    User.objects.filter(pk=player.pk).update(is_superuser=True)
    player.groups.add(group)
    player.user_permissions.add(right)
    group.permissions.add(right)
    User.objects.create_user(handle="intruder", email="i@example.com", is_staff=True)

    tables = ["auth_group_permissions", "players_user", "players_user"]
    tables += ["players_user_groups", "players_user_user_permissions"]
    assert found() == [("rights_changed", table) for table in tables]


@pytest.mark.extended
def test_rights_given_in_the_admin_have_their_act(client):
    player = make_player(country="IN", region="KA")
    group = Group.objects.create(name="Cashiers")
    client.force_login(boss())
    prove(client)
    page = reverse("admin:players_user_change", args=[player.pk])
    shown = client.get(page).context["adminform"].form.initial
    fields = {name: value for name, value in shown.items() if value not in (None, False)}
    right = Permission.objects.first()
    fields |= {"is_staff": "on", "groups": [group.pk], "user_permissions": [right.pk]}

    assert client.post(page, fields).status_code == 302
    role = {"name": "Cashiers", "permissions": [right.pk]}
    page = reverse("admin:auth_group_change", args=[group.pk])
    assert client.post(page, role).status_code == 302

    player.refresh_from_db()
    assert (player.is_staff, list(player.groups.all())) == (True, [group])
    assert list(group.permissions.all()) == [right]
    assert found() == []


@pytest.mark.extended
def test_a_first_superuser_has_an_act():
    call_command("createsuperuser", interactive=False, email="first@example.com", handle="first")

    assert User.objects.get().is_superuser
    assert found() == []
