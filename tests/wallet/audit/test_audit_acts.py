"""Changes that only staff may make have an entry in the audit log, or the audit reports them."""

import pytest
from django.contrib.auth.models import Group, Permission
from django.core.management import call_command
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from finance.tokens import actions as finance_tokens
from players.accounts.models import User
from tests.builders.people.sessions import prove
from tests.builders.tables.offers import make_template
from tests.builders.wallet.players import make_player
from wallet.audit.audit import audit
from wallet.deposits import terms
from wallet.ledger.safeguard_models import WithdrawalFreeze

# Each statement and each act in a database transaction of its own.
pytestmark = pytest.mark.django_db(transaction=True)


# What the web role can write past the services, by table.
FORGED = {
    "wallet_depositterm": """
        UPDATE wallet_depositterm SET status = 'approved', checked_at = now(),
            checked_by_id = (SELECT max(id) FROM players_user WHERE is_superuser)
        WHERE status = 'requested'""",
    "tables_tabletemplate": "UPDATE tables_tabletemplate SET rake_bps = 0",
    "wallet_withdrawalfreeze": "UPDATE wallet_withdrawalfreeze SET cleared_by = 'player:1'",
    "finance_financetoken": """
        INSERT INTO finance_financetoken
            (name, prefix, digest, scopes, created_by_id, created_at, expires_at)
        SELECT name, 'other', repeat('0', 64), scopes, created_by_id, now(), expires_at
        FROM finance_financetoken""",
    "wallet_taxrate": """
        INSERT INTO wallet_taxrate
            (tax, currency, payee, starts_on, bps, cess_bps, surcharges, treatment, law, added_by,
            added_at)
        VALUES ('tds', 'INR', 'resident', '2099-04-01', 1, 0, '[]', 'withheld', 'None', 'release',
            now())""",
    "wallet_taxform": """
        INSERT INTO wallet_taxform
            (tax, payee, starts_on, return_form, certificate_form, section, payment_code, added_by,
            added_at)
        VALUES ('tds', 'non_resident', '2099-04-01', '1', '2', '3', '', 'release', now())""",
    "wallet_registration": """
        INSERT INTO wallet_registration (starts_on, legal_name, address, state, gstin, tan,
            goods_code, invoice_prefix, added_by, added_at)
        VALUES ('2099-04-01', 'Other', '1 Road', 'KA', '29AABCP1234D1ZU', 'BLRK12345A',
            '999692', 'X', 'release', now())""",
}


def boss():
    return make_player(is_staff=True, is_superuser=True)


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


@pytest.mark.extended
def test_terms_and_tokens_written_past_staff_are_named():
    maker = boss()
    term = terms.request_term(hours=1, begins_at=timezone.now(), reason="Test", by=maker)
    decided = terms.request_term(hours=2, begins_at=timezone.now(), reason="Test", by=maker)
    terms.approve_term(term_id=decided.pk, by=boss())
    boss()  # Who seems to have approved the first one.
    template = make_template()
    token, _ = finance_tokens.create_token(name="Tally", scopes=["journal"], created_by=maker)
    WithdrawalFreeze.objects.create(reason="The audit found 1 differences")
    assert found() == []

    with connection.cursor() as cursor:
        for statement in FORGED.values():
            cursor.execute(statement)

    named = found()
    assert [each for each in named if each[0] == "changed_without_an_act"] == [
        ("changed_without_an_act", table) for table in sorted(FORGED)
    ]
    # The checker named in the row did not check it.
    assert ("decided_without_an_act", "wallet_depositterm") in named
    assert (term.status, template.rake_bps, token.name) == ("requested", 1_000, "Tally")
