"""Tokens: lifetime of a year, and approval by a second person for personal data."""

import re
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone

from core.exceptions import AlreadyDecided, CheckerIsMaker
from finance.closing.actions import CLOSE
from finance.exceptions import TokenEnded, TokenNeedsMaker, TokenTooLong
from finance.reports.catalogue import REPORTS, SCOPES
from finance.reports.frame.report import FULL
from finance.tokens import models
from finance.tokens.actions import approve_token, create_token, revoke_token, usable_token
from finance.tokens.models import PERSONAL_SCOPES, FinanceToken
from players.accounts.models import User
from tests.builders.books.full_books import Desk, keep_busy
from tests.builders.people.sessions import prove
from tests.builders.processes.logins import as_owner
from tests.builders.staff.people import a_person
from tests.builders.wallet.players import acts, make_player

pytestmark = pytest.mark.django_db
NAMED = sorted(PERSONAL_SCOPES)


@pytest.fixture
def maker():
    return a_person("Finance")


@pytest.fixture
def checker():
    return a_person("Finance")


def token_of(maker, *scopes, **more):
    return create_token(name="Tally", scopes=scopes or NAMED, created_by=maker, **more)


def recorded_actions():
    found = acts().filter(kind="finance.financetoken").order_by("pk")
    return list(found.values_list("act", "by", "service"))


@pytest.mark.parametrize("scope", NAMED)
def test_token_for_personal_data_is_invalid_until_another_person_approves(maker, checker, scope):
    token, text = token_of(maker, "journal", scope)
    assert usable_token(text=text) is None

    with pytest.raises(CheckerIsMaker):
        approve_token(token_id=token.pk, by=maker)
    assert usable_token(text=text) is None
    for _twice in range(2):
        approve_token(token_id=token.pk, by=checker)

    assert usable_token(text=text) == token
    assert recorded_actions() == [("create", maker.pk, ""), ("approve", checker.pk, "")]


def test_token_without_personal_data_needs_no_approval(maker, checker):
    scopes = sorted({*SCOPES} - PERSONAL_SCOPES)
    assert len(scopes) >= 15
    token, text = token_of(maker, *scopes)
    ended, _ = token_of(maker)
    revoke_token(token=ended, by=checker)

    assert usable_token(text=text) == token
    for row, refusal in ((token, AlreadyDecided), (ended, TokenEnded)):
        with pytest.raises(refusal):
            approve_token(token_id=row.pk, by=checker)
    with pytest.raises(TokenNeedsMaker):
        token_of(None)


def test_every_report_with_personal_data_needs_approval(client):
    keep_busy()
    desk, people = Desk(client), User.objects.exclude(email=None)
    personal = {*people.values_list("handle", flat=True), *people.values_list("email", flat=True)}
    personal.add("Asha Rao")  # The holder of the bank account of the withdrawals.
    assert len(personal) > 10
    plain = [report for report in REPORTS if report.name not in PERSONAL_SCOPES]
    assert len(plain) >= 15

    for report in plain:
        answer = desk.page(report.name)
        shown = str(answer["results"])
        assert [each for each in personal if each in shown] == [], report.name


@pytest.mark.parametrize("how", ["blocked", "demoted", "without the permission", "no superuser"])
def test_token_ends_with_its_makers_permission(maker, checker, how):
    maker = make_player(is_staff=True, is_superuser=True) if how == "no superuser" else maker
    token, text = token_of(maker)
    approve_token(token_id=token.pk, by=checker)
    assert usable_token(text=text) == token

    if how == "without the permission":
        maker.groups.clear()
    else:
        field = {"blocked": "is_active", "demoted": "is_staff", "no superuser": "is_superuser"}
        setattr(maker, field[how], False)
        maker.save()

    assert usable_token(text=text) is None


def test_token_longer_than_a_year_is_refused(maker):
    for days in (366, 400, 36_500):
        with pytest.raises(TokenTooLong):
            token_of(maker, "journal", expires_at=timezone.now() + timedelta(days=days))
    assert not FinanceToken.objects.exists()
    token, _ = token_of(maker, "journal", expires_at=timezone.now() + timedelta(days=365))

    assert (token.expires_at - token.created_at).days in {364, 365}
    assert (token_of(maker, "journal")[0].expires_at - timezone.now()).days == 364


def test_database_enforces_token_lifetime_and_approval(maker):
    token, _ = token_of(maker)
    mine = FinanceToken.objects.filter(pk=token.pk)

    with as_owner(), pytest.raises(IntegrityError, match="year_at_most"), transaction.atomic():
        mine.update(created_at=token.created_at - timedelta(days=2))
    with pytest.raises(IntegrityError, match="approved_by_another"), transaction.atomic():
        mine.update(approved_by=maker, approved_at=timezone.now())
    with pytest.raises(IntegrityError, match="approved_by_another"), transaction.atomic():
        mine.update(approved_by=make_player(is_staff=True))


def test_stored_token_older_than_a_year_is_invalid(maker, monkeypatch, clocks):
    token, text = token_of(maker, "journal")
    monkeypatch.setattr(models, "LIFETIME", timedelta(days=30))
    assert usable_token(text=text) == token

    clocks.let_pass(days=30, minutes=1)

    assert usable_token(text=text) is None


def test_api_refuses_an_unapproved_token_as_unknown(client, maker, checker):
    token, text = token_of(maker, "tds-certificates")
    url, headers = reverse("finance-tds-certificates"), {"Authorization": f"Bearer {text}"}

    waits = client.get(url, headers=headers)
    unknown = client.get(url, headers={"Authorization": "Bearer 0123.abc"})
    approve_token(token_id=token.pk, by=checker)

    assert (waits.status_code, waits.json()) == (401, unknown.json())
    assert client.get(url, headers=headers).status_code == 200


def test_token_is_approved_in_the_admin_by_another_person(client, maker, checker):
    add, listed = (reverse(f"admin:finance_financetoken_{page}") for page in ("add", "changelist"))
    ends = timezone.localtime() + timedelta(days=90)
    form = {"name": "Tax", "scopes": ["tds-deductions"]}
    form |= {"expires_at_0": f"{ends:%Y-%m-%d}", "expires_at_1": "00:00:00"}
    client.force_login(maker)
    prove(client)

    offered = client.get(add).context["adminform"].form.fields["scopes"].choices
    assert {name for name, _ in offered} == {report.name for report in REPORTS} | {FULL, CLOSE}
    page = client.post(add, form, follow=True).text
    token = FinanceToken.objects.get()
    chosen = {"action": "approve", "_selected_action": [token.pk]}
    own = client.post(listed, chosen, follow=True).text
    client.force_login(checker)
    prove(client)
    others = client.post(listed, chosen, follow=True).text

    [text] = re.findall(r"[0-9a-f]{12}\.[\w-]{43}", page)
    assert "becomes valid when a second person approves it" in page
    assert "checker_is_maker" in own
    assert text not in others
    assert usable_token(text=text) == token


def test_token_actions_need_a_recent_sign_in_proof(client, maker, checker):
    add, listed = (reverse(f"admin:finance_financetoken_{page}") for page in ("add", "changelist"))
    ends = timezone.localtime() + timedelta(days=90)
    form = {"name": "Theirs", "scopes": ["journal"]}
    form |= {"expires_at_0": f"{ends:%Y-%m-%d}", "expires_at_1": "00:00:00"}
    token, text = token_of(maker, "tds-deductions")
    chosen = {"_selected_action": [token.pk]}
    client.force_login(checker)
    sent = [(add, form), (listed, chosen | {"action": "approve"})]
    sent.append((listed, chosen | {"action": "revoke"}))

    for url, body in sent:
        answer = client.post(url, body)
        assert (answer.status_code, answer["Location"].split("?")[0]) == (
            302,
            "/accounts/reauthenticate/code/",
        )

    token.refresh_from_db()
    assert (token.approved_by, token.revoked_at) == (None, None)
    assert FinanceToken.objects.count() == 1
    prove(client)
    client.post(*sent[1])
    assert usable_token(text=text) == token
    client.post(*sent[2])
    assert usable_token(text=text) is None


def made_by_command(*arguments):
    printed, noted = StringIO(), StringIO()
    out = {"stdout": printed, "stderr": noted}
    call_command("create_finance_token", "--name", "Month", *arguments, **out)
    return printed.getvalue().strip(), noted.getvalue()


def test_token_command_needs_a_maker_for_personal_data(maker, checker):
    with pytest.raises(CommandError, match="--by"):
        made_by_command("--scope", "tds-deductions")
    with pytest.raises(CommandError, match="may create tokens"):
        made_by_command("--scope", "tds-deductions", "--by", make_player().email)

    text, noted = made_by_command("--scope", "tds-deductions", "--by", maker.email)
    assert "second person" in noted
    assert usable_token(text=text) is None
    approve_token(token_id=FinanceToken.objects.get().pk, by=checker)

    assert usable_token(text=text) is not None
    assert recorded_actions() == [("create", maker.pk, ""), ("approve", checker.pk, "")]


def test_token_command_without_maker_is_recorded_as_service():
    for days in ("0", "-1", "366"):
        with pytest.raises(CommandError, match="365"):
            made_by_command("--scope", "journal", f"--days={days}")
    assert not FinanceToken.objects.exists()

    text, noted = made_by_command("--scope", "journal", "--days", "30")

    token = usable_token(text=text)
    assert (token.expires_at - token.created_at).days in {29, 30}
    assert noted == ""
    assert recorded_actions() == [("create", None, "create_finance_token")]
