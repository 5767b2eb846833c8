"""Documents are sent to a provider only with consent; unclear results are left to staff."""

import hashlib
import hmac
import json
from datetime import date, timedelta
from functools import partial

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import DatabaseError, transaction
from django.urls import reverse
from django.utils import timezone

from config.providers import WebhookSecret
from config.timetable import TIMETABLE
from players.accounts import consent
from players.identity import checks
from players.identity.asking import GIVEN_UP_AFTER, ask, ask_due
from players.identity.models import IdentityCheck
from players.identity.providers import sandbox, sumsub
from players.identity.providers.models import ProviderCheck
from players.identity.states import current_verification
from tables.accounts.own_data import own_data
from tests.builders.people.identities import PNG, submit_identity
from tests.builders.people.sumsub_service import APP_TOKEN, SECRET, sumsub_service
from tests.builders.processes import threads
from tests.builders.staff.people import clerk
from tests.builders.wallet.players import acts, make_player

pytestmark = pytest.mark.django_db

State = ProviderCheck.State


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    monkeypatch.setattr(sandbox, "ANSWERS_AFTER_SECONDS", 0)


def asked(name="Asha Rao"):
    """Return a check that was sent to the sandbox and polled."""
    check = submit_identity(make_player(), name, provider="sandbox")
    now = timezone.now()
    ask_due(now=now)
    ask_due(now=now + timedelta(minutes=2))
    check.refresh_from_db()
    return check


def test_clear_and_matching_answer_verifies_with_an_audit_entry():
    check = asked()

    decided = (check.state, check.decided_by, check.decided_by_provider)
    assert decided == ("verified", None, "sandbox")
    assert current_verification(check.player) == check
    assert check.documents.get().delete_at is not None
    entries = list(acts().order_by("pk").values_list("act", "by", "service", "about"))
    of_sandbox = (None, "sandbox", check.player_id)
    assert entries == [(act, *of_sandbox) for act in ("send", "answer", "verified")]
    assert own_data(check.player)["identity"][0]["sent_to"] == "sandbox"


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("Asha Other", "the document has another name"),
        ("Asha Birthday", "the document has another birth date"),
        ("Asha Forged", "FORGERY"),
    ],
)
def test_unclear_or_different_answers_are_left_to_staff(name, found):
    check = asked(name)

    assert check.state == "submitted"
    assert (check.provider_check.state, check.provider_check.findings) == ("unclear", found)
    assert acts().filter(act="verified").count() == 0
    checks.verify(check_id=check.pk, by=clerk())
    assert current_verification(check.player) == check


def test_provider_outage_is_retried_and_then_left_to_staff():
    check = submit_identity(make_player(), "Asha Outage", provider="sandbox")
    begun = timezone.now()
    row = check.provider_check

    pauses = []
    for _ in range(8):
        ask(provider_check_id=row.pk, now=row.next_try_at)
        before, row = row.next_try_at, ProviderCheck.objects.get()
        pauses.append((row.next_try_at - before) // timedelta(minutes=1))

    assert pauses == [1, 2, 4, 8, 16, 32, 60, 60]
    assert (row.state, row.sent_at) == ("waiting", None)
    assert "simulates an outage" in row.findings
    ask_due(now=begun + GIVEN_UP_AFTER + timedelta(minutes=1))
    assert ProviderCheck.objects.get().state == "given_up"
    assert not acts().exists()
    assert checks.verify(check_id=check.pk, by=clerk()).state == "verified"


def test_a_provider_that_never_answers_is_given_up():
    check = asked("Asha Silence")
    assert check.provider_check.state == "sent"

    ask_due(now=timezone.now() + GIVEN_UP_AFTER + timedelta(minutes=1))

    check.provider_check.refresh_from_db()
    assert (check.provider_check.state, check.state) == ("given_up", "submitted")


def test_provider_answer_after_a_staff_decision_is_ignored():
    check = submit_identity(make_player(), provider="sandbox")
    now = timezone.now()
    ask_due(now=now)
    ground = IdentityCheck.Ground.UNREADABLE
    checks.refuse(check_id=check.pk, ground=ground, by=clerk())

    ask_due(now=now + timedelta(minutes=2))

    check.refresh_from_db()
    assert (check.state, check.decided_by_provider) == ("refused", "")
    assert ProviderCheck.objects.get().state == "given_up"


def test_the_page_asks_before_a_document_is_sent(client, settings):
    page = reverse("identity")
    said = {"name": "Asha Rao", "document": "passport"}
    agrees, does_not = make_player(), make_player()

    client.force_login(agrees)
    assert "Sandbox may check my document" in client.get(page).text
    files = {"front": SimpleUploadedFile("a.png", PNG)}
    client.post(page, said | files | {"may_be_sent": "on"})
    ask_due(now=timezone.now())
    assert "we sent your document to Sandbox on" in client.get(page).text
    client.force_login(does_not)
    client.post(page, said | {"front": SimpleUploadedFile("a.png", PNG)})

    [row] = ProviderCheck.objects.all()
    assert row.identity_check.player == agrees
    assert row.consent_version == consent.DOCUMENTS_VERSION
    settings.IDENTITY_PROVIDER = ""
    client.force_login(make_player())
    assert "may check my document" not in client.get(page).text


def test_notice_triggers_polling_and_its_content_is_ignored(client):
    check = submit_identity(make_player(), "Asha Other", provider="sandbox")
    ask_due(now=timezone.now())
    row = ProviderCheck.objects.get()
    body, headers = sandbox.notice(row.reference)
    address = reverse("api-identity-notice", args=["sandbox"])

    def send(content):
        return client.post(address, content, content_type="application/json", headers=headers)

    assert ask_due(now=timezone.now()) == 0
    assert send(body + b" ").json()["code"] == "bad_notice_signature"
    assert send(body).json() == {"outcome": "received"}
    assert ask_due(now=timezone.now()) == 1
    check.refresh_from_db()
    assert check.state == "submitted"
    assert send(body).json() == {"outcome": "ignored"}


def test_notice_of_a_provider_not_in_use_is_refused(client, settings):
    settings.IDENTITY_PROVIDER = ""
    body, headers = sandbox.notice("case_1")

    for name in ("sandbox", "sumsub", "nobody"):
        address = reverse("api-identity-notice", args=[name])
        answer = client.post(address, body, content_type="application/json", headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (404, "provider_unknown")


def test_provider_checks_are_never_deleted():
    row = asked().provider_check

    for change in ({"consent_version": "none"}, {"state": "waiting"}, {"provider": "other"}):
        with pytest.raises(DatabaseError), transaction.atomic():
            ProviderCheck.objects.filter(pk=row.pk).update(**change)
    with pytest.raises(DatabaseError), transaction.atomic():
        row.delete()


@pytest.mark.django_db(transaction=True)
def test_two_workers_at_once_send_a_document_once(monkeypatch):
    sent = []
    submit = sandbox.SandboxProvider.submit
    monkeypatch.setattr(
        sandbox.SandboxProvider,
        "submit",
        lambda self, question: sent.append(question.check) or submit(self, question),
    )
    row = submit_identity(make_player(), provider="sandbox").provider_check

    threads.at_once([partial(ask, provider_check_id=row.pk, now=timezone.now())] * 2)

    assert sent == [row.public_id]
    assert acts().filter(act="send").count() == 1


def test_the_sweep_is_in_the_timetable():
    assert TIMETABLE["ask-identity-providers"]["task"] == "players.ask_identity_providers"


@pytest.fixture
def service(monkeypatch, settings):
    settings.IDENTITY_PROVIDER = "sumsub"
    settings.SUMSUB_APP_TOKEN, settings.SUMSUB_SECRET_KEY = APP_TOKEN, SECRET
    settings.SUMSUB_LEVEL = "id only"
    old = WebhookSecret("old", timezone.now() - timedelta(days=1))
    settings.SUMSUB_WEBHOOK_SECRETS = [WebhookSecret("hook"), old]
    with sumsub_service() as running:
        monkeypatch.setattr(sumsub, "ADDRESS", running.address)
        yield running


def submitted(name="Asha Rao", **fields):
    player = make_player(country="IN", birth_date=date(1990, 1, 2))
    return submit_identity(player, name, provider="sumsub", **fields)


def answered(check):
    ask_due(now=timezone.now() + timedelta(minutes=2))
    check.refresh_from_db()
    return check


def test_a_document_is_sent_signed_and_the_clear_answer_verifies(service):
    check = submitted(pages=2)

    ask_due(now=timezone.now())

    [applicant] = service.applicants.values()
    assert applicant["externalUserId"] == str(check.provider_check.public_id)
    assert applicant["fixedInfo"] == READ
    sides = [(facts["idDocSubType"], content) for facts, content in service.files]
    assert sides == [("FRONT_SIDE", PNG), ("BACK_SIDE", PNG)]
    assert {(facts["idDocType"], facts["country"]) for facts, _ in service.files} == {
        ("PASSPORT", "IND")
    }
    assert service.pending == [applicant["id"]]
    assert answered(check).state == "submitted"
    service.reviewed("GREEN", firstName="ASHA", lastName="RAO", dob="1990-01-02")
    ProviderCheck.objects.update(next_try_at=timezone.now())
    ask_due(now=timezone.now())
    check.refresh_from_db()
    assert (check.state, check.decided_by_provider) == ("verified", "sumsub")


READ = {"firstName": "Asha", "lastName": "Rao", "dob": "1990-01-02"}


@pytest.mark.parametrize(
    ("answer", "info", "found"),
    [
        ("RED", READ, "FORGERY"),
        ("GREEN", READ | {"firstName": "Usha"}, "the document has another name"),
        ("GREEN", READ | {"dob": "1991-01-02"}, "the document has another birth date"),
        ("GREEN", {}, "the document has another name; the document has another birth date"),
    ],
)
def test_uncertain_results_of_the_provider_are_left_to_staff(service, answer, info, found):
    check = submitted()
    ask_due(now=timezone.now())
    service.reviewed(answer, labels=["FORGERY"] if answer == "RED" else [], **info)

    assert answered(check).state == "submitted"
    assert ProviderCheck.objects.get().findings == found


@pytest.mark.parametrize("status", [401, 429, 500, 302])
def test_an_outage_sends_nothing_and_is_tried_again(service, status):
    check = submitted()
    service.status = status

    ask_due(now=timezone.now())

    row = ProviderCheck.objects.get()
    assert (row.state, row.findings) == ("waiting", f"Sumsub answered {status}")
    assert not acts().exists()
    service.status = 0
    assert answered(check).provider_check.sent_at is not None
    assert ProviderCheck.objects.get().state == "sent"


def test_a_lost_answer_to_the_first_request_makes_no_second_applicant(service):
    check = submitted()
    external = str(check.provider_check.public_id)
    service.applicants[external] = {"id": "5b594ade0a975a36c9300777"}

    ask_due(now=timezone.now())

    assert list(service.applicants) == [external]
    assert ProviderCheck.objects.get().reference == "5b594ade0a975a36c9300777"


def test_missing_service_counts_as_an_outage(service, monkeypatch):
    submitted()
    monkeypatch.setattr(sumsub, "ADDRESS", "http://127.0.0.1:9")

    ask_due(now=timezone.now())

    assert ProviderCheck.objects.get().findings == "Sumsub: ConnectionError"


def signed(body, key="hook", algorithm="HMAC_SHA256_HEX"):
    digest = hmac.new(key.encode(), body, hashlib.sha256).hexdigest()
    return {sumsub.DIGEST_HEADER: digest, sumsub.ALGORITHM_HEADER: algorithm}


def test_a_notice_counts_with_a_signature_of_a_secret_in_force(service, client):
    submitted()
    ask_due(now=timezone.now())
    body = json.dumps({"applicantId": ProviderCheck.objects.get().reference}).encode()
    address = reverse("api-identity-notice", args=["sumsub"])

    def send(content, headers):
        answer = client.post(address, content, content_type="application/json", headers=headers)
        return answer.json().get("code") or answer.json()["outcome"]

    assert send(body, {}) == "bad_notice_signature"
    assert send(body, signed(body, "old")) == "bad_notice_signature"
    assert send(body, signed(body, algorithm="HMAC_SHA1_HEX")) == "bad_notice_signature"
    assert send(body + b" ", signed(body)) == "bad_notice_signature"
    assert send(b"[]", signed(b"[]")) == "unreadable_notice"
    doubled = b'{"applicantId": "unknown", ' + body[1:]
    assert send(doubled, signed(doubled)) == "unreadable_notice"
    assert send(body, signed(body)) == "received"
    other = json.dumps({"applicantId": "unknown"}).encode()
    assert send(other, signed(other)) == "ignored"
