"""Identity documents: encrypted, access logged, decided once, and deleted on schedule."""

from datetime import date, timedelta
from io import StringIO

import pytest
from cryptography.fernet import Fernet
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db import DatabaseError, transaction
from django.urls import reverse
from django.utils import timezone

from config.timetable import TIMETABLE
from core.exceptions import AlreadyDecided
from players.exceptions import (
    AgeUnknown,
    BadDocument,
    BadName,
    DocumentGone,
    IdentityPending,
    TooManyChecks,
)
from players.identity import checks
from players.identity.documents import LARGEST_BYTES, media_type_of, unseal
from players.identity.models import IdentityCheck, IdentityDocument
from players.identity.states import is_same_name, state_of
from players.tasks import end_identity_checks
from tables.accounts.closure import close_account
from tables.accounts.own_data import own_data
from tests.builders.people.identities import PNG, refuse_identity, submit_identity, verify_identity
from tests.builders.processes.logins import as_owner
from tests.builders.processes.threads import at_once
from tests.builders.staff.people import a_person, clerk
from tests.builders.wallet.players import acts, make_player

pytestmark = pytest.mark.django_db
State = IdentityCheck.State


def test_a_file_is_stored_encrypted_and_bound_to_its_row():
    check = submit_identity(make_player())
    other = submit_identity(make_player()).documents.get()
    mine = check.documents.get()

    assert b"pixels" not in bytes(mine.encrypted_content)
    assert unseal(mine) == PNG
    other.encrypted_content = mine.encrypted_content
    with pytest.raises(DocumentGone, match="belongs to another document"):
        unseal(other)


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe0 light \xff\xd9", "image/jpeg"),
        (b"%PDF-1.7 text %%EOF\n", "application/pdf"),
        (b"<svg onload=alert(1)>", ""),
        (b"%PDF-1.7 cut off", ""),
        (b"", ""),
        (PNG[:8] + bytes(LARGEST_BYTES) + PNG[-8:], ""),
    ],
)
def test_media_type_is_detected_by_content(content, found):
    if found:
        assert media_type_of(content) == found
    else:
        with pytest.raises(BadDocument):
            media_type_of(content)


def test_refused_submission_stores_nothing():
    player, unborn = make_player(), make_player(birth_date=None)
    kind = IdentityCheck.DocumentKind.PASSPORT

    for refusal, fields in [
        (BadName, {"name": "  "}),
        (BadDocument, {"files": []}),
        (BadDocument, {"files": [PNG] * 3}),
        (BadDocument, {"files": [PNG, b"MZ"]}),
        (AgeUnknown, {"player_id": unborn.pk}),
    ]:
        asked = {"player_id": player.pk, "name": "Asha Rao", "kind": kind, "files": [PNG]}
        with pytest.raises(refusal):
            checks.submit(**asked | fields)

    assert not IdentityCheck.objects.exists()
    assert not IdentityDocument.objects.exists()


def test_one_check_at_a_time_and_five_a_month():
    player = make_player()
    for _ in range(checks.CHECKS_PER_MONTH - 1):
        refuse_identity(player)
    submit_identity(player)

    with pytest.raises(IdentityPending):
        submit_identity(player)
    waiting = IdentityCheck.objects.waiting().get()
    checks.refuse(check_id=waiting.pk, ground=IdentityCheck.Ground.NAME_DIFFERS, by=clerk())
    with pytest.raises(TooManyChecks):
        submit_identity(player)

    assert state_of(player) == State.REFUSED


def test_identity_check_is_decided_once():
    check, by = submit_identity(make_player()), clerk()

    checks.verify(check_id=check.pk, by=by)
    checks.verify(check_id=check.pk, by=clerk())
    with pytest.raises(AlreadyDecided):
        checks.refuse(check_id=check.pk, ground=IdentityCheck.Ground.UNREADABLE, by=clerk())

    check.refresh_from_db()
    assert (check.state, check.decided_by) == (State.VERIFIED, by)
    assert [(act.act, act.by_id) for act in acts()] == [("verified", by.pk)]
    with pytest.raises(DatabaseError, match="decided once"), transaction.atomic():
        IdentityCheck.objects.filter(pk=check.pk).update(state=State.REFUSED)


def test_a_verified_birth_date_is_not_changed_any_more():
    player, waiting = make_player(), make_player()
    verify_identity(player)
    submit_identity(waiting)
    waiting.birth_date = player.birth_date = date(1980, 1, 1)

    waiting.save()
    with pytest.raises(DatabaseError, match="is verified"), transaction.atomic():
        player.save()


def test_an_identity_expires_at_its_time_and_another_can_be_shown(clocks):
    player = make_player()
    check = verify_identity(player)
    clocks.move_clock(check.expires_at)

    assert state_of(player) == State.EXPIRED
    verify_identity(player)
    assert state_of(player) == State.VERIFIED


def test_documents_are_deleted_by_their_date_and_stay_deleted(settings, clocks):
    settings.IDENTITY_DOCUMENT_DAYS = 30
    decided, waiting = verify_identity(make_player()), submit_identity(make_player())
    later = decided.decided_at + timedelta(days=30)
    checks.delete_due(now=later - timedelta(seconds=1))
    assert unseal(decided.documents.get()) == PNG

    clocks.move_clock(later)
    end_identity_checks()

    document = decided.documents.get()
    assert document.encrypted_content is None
    assert later <= document.deleted_at < later + timedelta(minutes=1)
    assert unseal(waiting.documents.get()) == PNG
    with pytest.raises(DocumentGone):
        checks.open_document(document_id=document.pk, by=clerk())
    with pytest.raises(DatabaseError, match="never restored"), transaction.atomic():
        IdentityDocument.objects.filter(pk=document.pk).update(
            encrypted_content=b"back", deleted_at=None
        )


def test_undecided_documents_are_deleted_after_the_account_is_closed(settings):
    player = make_player()
    check = submit_identity(player)

    close_account(player_id=player.pk)

    assert unseal(check.documents.get()) == PNG
    later = timezone.now() + timedelta(days=settings.IDENTITY_DOCUMENT_DAYS, seconds=1)
    assert checks.delete_due(now=later) == 1
    assert check.documents.get().encrypted_content is None


def test_the_nightly_task_is_in_the_timetable():
    assert "players.end_identity_checks" in {each["task"] for each in TIMETABLE.values()}


def test_documents_are_readable_after_key_rotation(settings):
    old, new = (Fernet.generate_key().decode() for _ in range(2))
    settings.IDENTITY_KEYS = [old]
    check = submit_identity(make_player())
    settings.IDENTITY_KEYS = [new, old]

    with as_owner():
        call_command("rotate_identity_keys", stdout=StringIO())

    settings.IDENTITY_KEYS = [new]
    assert unseal(check.documents.get()) == PNG
    settings.IDENTITY_KEYS = [old]
    with pytest.raises(SystemExit), as_owner():
        call_command("rotate_identity_keys", stdout=StringIO(), stderr=StringIO())


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Asha Rao", "asha  RAO", True),
        ("Asha Rao", "Rao, Asha", True),
        ("A. K. Rao", "A K Rao", True),
        ("आशा राव", "राव आशा", True),
        ("Asha Rao", "Asha", False),
        ("Asha Rao", "Ravi Rao", False),
        ("", "", False),
    ],
)
def test_names_are_compared_by_words(one, other, same):
    assert is_same_name(one, other) == same


def look_at(client, person, document):
    client.force_login(person)
    return client.get(reverse("admin:players_identitydocument_look", args=[document.pk]))


def test_a_document_is_seen_by_its_role_alone_and_each_look_is_on_record(client):
    player = make_player()
    document = submit_identity(player).documents.get()
    person = a_person("Identity")

    answers = {role: look_at(client, a_person(role), document) for role in ("Support", "Finance")}
    seen = [look_at(client, person, document) for _ in range(2)]

    assert {role: answer.status_code for role, answer in answers.items()} == {
        "Support": 403,
        "Finance": 403,
    }
    assert [answer.content for answer in seen] == [PNG, PNG]
    assert seen[0]["Content-Disposition"].startswith("attachment")
    assert "no-store" in seen[0]["Cache-Control"]
    looks = acts().filter(act="look")
    assert [(each.by_id, each.about_id) for each in looks] == [(person.pk, player.pk)] * 2


def test_staff_verify_in_the_admin(client):
    player = make_player()
    check = submit_identity(player)
    client.force_login(a_person("Identity"))
    listed = reverse("admin:players_identitycheck_changelist")
    shown = client.get(reverse("admin:players_identitycheck_change", args=[check.pk])).text

    client.post(listed, {"action": "verify", "_selected_action": [check.pk]})

    assert reverse("admin:players_identitydocument_look", args=[check.documents.get().pk]) in shown
    assert state_of(player) == State.VERIFIED


def test_a_player_submits_documents_and_reads_the_state(client):
    player = make_player()
    client.force_login(player)
    page = reverse("identity")
    said = {"name": "Asha Rao", "document": "passport"}

    bad = client.post(page, said | {"front": SimpleUploadedFile("a.png", b"<script>")}).text
    good = client.post(page, said | {"front": SimpleUploadedFile("a.exe", PNG)}, follow=True).text

    assert "Choose JPEG, PNG or PDF files" in bad
    assert "Being checked" in good
    assert 'type="file"' not in good
    checks.refuse(
        check_id=IdentityCheck.objects.get().pk,
        ground=IdentityCheck.Ground.NAME_DIFFERS,
        by=clerk(),
    )
    client.cookies["django_language"] = "hi"
    assert "दस्तावेज़ पर नाम अलग है।" in client.get(page).text


@pytest.mark.django_db(transaction=True)
def test_two_submissions_at_once_make_one_check():
    player = make_player()

    found = at_once([lambda: submit_identity(player)] * 2)

    assert sorted(isinstance(one, IdentityPending) for one in found) == [False, True]
    assert IdentityCheck.objects.count() == 1


def test_players_see_when_staff_viewed_their_documents(client):
    player, other = make_player(), make_player()
    for whose in (player, other):
        checks.open_document(document_id=submit_identity(whose).documents.get().pk, by=clerk())
    client.force_login(player)

    page = client.get(reverse("identity")).text

    assert page.count("Viewed by our staff on") == 1
    assert own_data(player)["looks_at_documents"] == [acts().filter(act="look").last().at]
    client.force_login(make_player())
    assert "Views of your documents" not in client.get(reverse("identity")).text
