"""The reports of staff actions and of the last seal of each day."""

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection

from core.models import AuditEntry
from players.accounts.zones import site_today
from players.sign_in import actions as sign_ins
from tests.builders.books.full_books import Desk
from tests.builders.processes.logins import as_owner
from tests.builders.staff.people import clerk
from tests.builders.wallet.players import make_player
from wallet.audit.audit import audit
from wallet.audit.seals import daily_head, seal_ledger

pytestmark = pytest.mark.django_db


def noted(by, about):
    sign_ins.note(player_id=about.pk, by=by, reason="Called them")
    return AuditEntry.objects.latest("pk")


def numbers(page):
    return [row["number"] for row in page["results"]]


def test_staff_actions_are_filtered_by_actor_subject_and_day(client):
    one, other, player = clerk(), clerk(), make_player()
    mine, theirs = noted(one, player), noted(other, player)
    elsewhere = noted(one, make_player())
    desk, today = Desk(client), site_today()

    about = desk.page("staff-actions", about=player.public_id)
    by = desk.page("staff-actions", by=one.public_id, **{"from": today})
    both = desk.page("staff-actions", by=one.public_id, about=player.public_id)
    tomorrow = desk.page("staff-actions", **{"from": today + timedelta(days=1)})

    assert numbers(about) == [mine.pk, theirs.pk]
    assert numbers(by)[-2:] == [mine.pk, elsewhere.pk]
    assert numbers(both) == [mine.pk]
    assert numbers(tomorrow) == []
    [row] = both["results"]
    assert (row["by"], row["about"], row["action"]) == (
        str(one.public_id),
        str(player.public_id),
        "note",
    )
    assert both["header"]["filters"] == f"by {one.public_id}, about {player.public_id}"
    assert both["totals"] == {"actions": {"number": 1}}


def test_staff_actions_cursor_keeps_its_filters(client):
    one, player = clerk(), make_player()
    wanted = [noted(one, player).pk for _ in range(3)]
    desk = Desk(client)

    page = desk.ask("staff-actions", about=player.public_id, limit=2).json()
    rest = client.get(page["next"], headers=desk.headers).json()

    assert numbers(page) + numbers(rest) == wanted
    cursor = page["next"].partition("cursor=")[2]
    assert desk.ask("staff-actions", cursor=cursor, about=one.public_id).status_code == 400
    assert desk.ask("rake", about=player.public_id).status_code == 400


@pytest.mark.django_db(transaction=True)
def test_daily_seal_covers_actions_without_a_transfer(client):
    entry = noted(clerk(), make_player())
    while seal_ledger():
        pass
    head, printed = daily_head(site_today()), StringIO()

    [row] = Desk(client).page("seal-heads")["results"]
    call_command("seal_ledger", "--head", stdout=printed)

    assert (row["number"], row["hash"]) == (head.number, head.hash)
    assert head.hash in printed.getvalue()
    assert audit(published_head=head.hash).is_clean
    with as_owner(), connection.cursor() as cursor:
        cursor.execute("ALTER TABLE core_auditentry DISABLE TRIGGER USER")
        cursor.execute("UPDATE core_auditentry SET reason = 'Never' WHERE id = %s", [entry.pk])
        cursor.execute("ALTER TABLE core_auditentry ENABLE TRIGGER USER")
    found = {finding.subject for finding in audit(published_head=head.hash).findings}
    assert any(f"core_auditentry {entry.pk}" in subject for subject in found)
