"""Sumsub: signed requests, one applicant for each check, results only from its API."""

import hashlib
import hmac
import json
from datetime import date, timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from config.providers import WebhookSecret
from players.identity.asking import ask_due
from players.identity.providers import sumsub
from players.identity.providers.models import ProviderCheck
from tests.builders.people.identities import PNG, submit_identity
from tests.builders.people.sumsub_service import APP_TOKEN, SECRET, sumsub_service
from tests.builders.wallet.players import acts, make_player

pytestmark = pytest.mark.django_db


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
