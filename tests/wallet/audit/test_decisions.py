"""The audit names requests and actions about money and games that no staff made."""

from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone
from moneyed import Money

from core.clock import database_now
from players.cases.models import Case
from tests.builders.people.regions import region_open
from tests.builders.tournaments.tournaments import make_tournament
from tests.builders.wallet.adjustments import make_request, make_staff
from tests.builders.wallet.payout_desk import make_sent, make_withdrawal, step
from tests.builders.wallet.players import admit_to_cash, fund, make_player
from tests.builders.wallet.tax_office import undone
from tournaments.rounds import staff_actions
from wallet.audit import account_freezes
from wallet.audit.audit import audit, row_findings
from wallet.bonuses.models import BonusMode
from wallet.bonuses.requests import request_bonus
from wallet.deposits.models import StaffTask
from wallet.deposits.terms import request_term

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(300)]

# Single statements of a web process that was taken over, all guards in force. `{clerk}` and
# `{checker}` are members of staff who did not do it.
FORGED = {
    "a correction asked for": """
        INSERT INTO wallet_adjustment (source_id, target_id, amount_minor, reason, made_by_id,
            made_at, status)
        SELECT source_id, target_id, 100000, 'Goodwill', {clerk}, now(), 'requested'
        FROM wallet_adjustment""",
    "a correction turned down": """
        UPDATE wallet_adjustment SET status = 'rejected', checked_by_id = {checker},
            checked_at = now()""",
    "a bonus asked for": """
        INSERT INTO wallet_bonusrequest (player_id, currency, mode, term_days, amount_minor,
            reason, made_by_id, made_at, status)
        SELECT player_id, currency, mode, term_days, 100000, 'Goodwill', {clerk}, now(),
            'requested' FROM wallet_bonusrequest""",
    "a bonus turned down": """
        UPDATE wallet_bonusrequest SET status = 'rejected', checked_by_id = {checker},
            checked_at = now()""",
    "a restitution asked for": """
        INSERT INTO wallet_restitution (ref, currency, amount_minor, reason, made_by_id, made_at,
            status)
        VALUES ('finding:999', 'INR', 100, 'Taken', {clerk}, now(), 'requested')""",
    "a term of deposits approved": """
        UPDATE wallet_depositterm SET status = 'approved', checked_by_id = {checker},
            checked_at = now()""",
    "a term of deposits asked for": """
        INSERT INTO wallet_depositterm (hours, reason, begins_at, made_by_id, made_at, status)
        VALUES (0, 'Less', now(), {clerk}, now(), 'requested')""",
    "a gateway's settlement asked for": """
        INSERT INTO wallet_gatewaysettlement (provider, reference, bank_reference, settled_on,
            currency, paid_minor, returned_minor, other_minor, fee_minor, tax_minor, made_by_id,
            made_at, status)
        VALUES ('sandbox', 'setl9', 'UTR9', current_date, 'INR', 100, 0, 0, 10, 0, {clerk}, now(),
            'requested')""",
    "a withdrawal approved": """
        UPDATE wallet_withdrawal SET status = 'approved', decided_by_id = {checker},
            decided_at = now() WHERE status = 'requested'""",
    "a file for the bank made": """
        INSERT INTO wallet_payoutbatch (public_id, made_by_id, made_at)
        VALUES (gen_random_uuid(), {clerk}, now())""",
    "a task done": "UPDATE wallet_stafftask SET done_at = now(), done_by_id = {checker}",
    "a tournament delayed": """
        INSERT INTO tournaments_staffaction (tournament_id, kind, reason, subject, asked_by_id,
            asked_at)
        SELECT tournament_id, 'delay', 'Rain', '', {checker}, now() FROM tournaments_staffaction""",
    "a note written on a case": """
        INSERT INTO players_remark (case_id, kind, by_id, at, text)
        SELECT id, 'note', {clerk}, now(), 'Fine' FROM players_case""",
    "a reply of staff in a player's place": """
        INSERT INTO players_remark (case_id, kind, by_id, at, text)
        SELECT id, 'reply', {clerk}, now(), 'Fine' FROM players_case""",
    "a gateway's file uploaded": """
        INSERT INTO finance_gatewayfile (sha256, provider, shape, name, line_count, passed_over,
            staff_id, uploaded_at)
        VALUES (repeat('0', 64), 'sandbox', 'sandbox', 'x.csv', 0, 0, {clerk}, now())""",
}


@pytest.fixture
def people():
    """Return two members of staff; requests and acts of others wait for their decision."""
    others = make_staff(), make_staff()
    make_request(by=others[0])
    with region_open("IN-KA"):
        request_bonus(
            player=admit_to_cash(make_player()),
            amount=Money(10, "INR"),
            mode=BonusMode.SPEND,
            term_days=30,
            reason="A present",
            by=others[0],
        )
    request_term(hours=24, begins_at=timezone.now(), reason="A law", by=others[0])
    make_withdrawal()
    step("approve", make_withdrawal(), by=others[1])
    make_sent()
    held = make_withdrawal()
    StaffTask.objects.create(
        kind=StaffTask.Kind.LATE_DECISION, transfer=held.hold, details="A withdrawal waits"
    )
    account_freezes.freeze_account(
        account=fund(make_player(), deposit=10_00)["deposit"], reason="Asked", by=others[0]
    )
    delayed = make_tournament()
    staff_actions.delay(
        tournament_id=delayed.pk,
        starts_at=database_now() + timedelta(days=3),
        by=others[1],
        reason="Rain",
    )
    Case.objects.create(kind="players.hold", row=1, name="A hold", player=make_player())
    return {"clerk": make_staff().pk, "checker": make_staff().pk}


def test_decision_forged_in_a_colleagues_name_is_named(people, subtests):
    assert audit().findings == ()
    assert len(FORGED) >= 15

    for name, sql in FORGED.items():
        with undone(), subtests.test(name):
            with connection.cursor() as cursor:
                cursor.execute(sql.format(**people))
                assert cursor.rowcount >= 1
            table = sql.replace("INSERT INTO", "UPDATE").split("UPDATE ")[1].split()[0]
            named = {
                finding.subject.split()[0]
                for finding in row_findings()
                if finding.check == "decided_without_an_act"
            }
            assert named == {table}
