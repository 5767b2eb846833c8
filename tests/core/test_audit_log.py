"""Every action of staff leaves an audit entry, which cannot be changed."""

import pytest
from django.db import DatabaseError, transaction

from core import audit_log
from core.models import AuditEntry
from finance.tokens import actions as finance_tokens
from players.exceptions import ReasonMissing, SharedInterest, StaffAccount
from players.sign_in import actions as sign_ins
from tables.play import drains
from tests.builders.staff.acts import boss
from tests.builders.staff.people import clerk
from tests.builders.staff.staff_actions import CASES
from tests.builders.tables.making import make_table
from tests.builders.wallet.payout_desk import make_withdrawal, step
from tests.builders.wallet.players import acts, make_player
from wallet.deposits import deposits
from wallet.deposits.models import StaffTask
from wallet.withdrawals import withdrawals

pytestmark = pytest.mark.django_db


def entries_of(by):
    """Return what a person did, in order: act, kind, and whom it was about."""
    return [
        (act.act, act.kind.partition(".")[2], act.about)
        for act in acts().filter(by=by).order_by("pk")
    ]


def changes(act):
    """Return the values before and after of the only audit entry of this action."""
    entry = acts().get(act=act)
    sides = (entry.before, entry.after)
    return [dict(line.split("=", 1) for line in side.splitlines()) for side in sides]


# The act, the kind of row, and whether the entry names a player, by the service of the action.
# `tests/staff/access/test_own_interest.py` tries every service and that a refusal leaves no entry.
ENTRIES = {
    "wallet.withdrawals.withdrawals.reject": ("reject", "withdrawal", True),
    "wallet.withdrawals.withdrawals.mark_paid": ("note_paid", "withdrawal", True),
    "wallet.withdrawals.withdrawals.mark_failed": ("note_failed", "withdrawal", True),
    "wallet.corrections.adjustments.request_adjustment": ("ask", "adjustment", True),
    "wallet.corrections.adjustments.approve_adjustment": ("approve", "adjustment", True),
    "wallet.bonuses.requests.request_bonus": ("ask", "bonusrequest", True),
    "wallet.bonuses.requests.reject_bonus": ("reject", "bonusrequest", True),
    "wallet.audit.freezes.freeze_account": ("freeze", "account", True),
    "wallet.audit.freezes.thaw_account": ("thaw", "account", True),
    "wallet.audit.freezes.clear_freeze": ("clear", "withdrawalfreeze", False),
    "wallet.audit.freezes.lift_freeze": ("lift", "withdrawalfreeze", False),
    "tables.integrity.moderation.rulings.void_deal": ("void_deal", "table", False),
    "tables.integrity.moderation.rulings.cancel_game": ("cancel", "table", False),
    "tables.integrity.moderation.disputes.take_dispute": ("take", "dispute", True),
    "tables.integrity.moderation.disputes.answer_dispute": ("answer", "dispute", True),
    "tables.manners.actions.decide_report": ("decide", "playerreport", True),
    "tables.integrity.moderation.disputes.close_dispute": ("close", "dispute", True),
    "tables.play.drains.begin": ("drain", "drain", False),
    "tables.play.drains.lift": ("lift", "drain", False),
    "tables.lobby.table_templates.actions.set_offered": ("withdraw", "tabletemplate", False),
    "tournaments.rounds.staff_actions.remove": ("remove", "entry", True),
    "tournaments.rounds.staff_actions.delay": ("delay", "tournament", False),
    "tournaments.rounds.stopping.ask_to_abort": ("ask_to_abort", "staffaction", False),
    "tournaments.rounds.stopping.agree_to_abort": ("abort", "tournament", False),
    "tournaments.rounds.stopping.cancel": ("cancel", "tournament", False),
    "tournaments.planning.opening.open_by_hand": ("open", "tournament", False),
}


@pytest.mark.usefixtures("lawful")
@pytest.mark.parametrize("service", ENTRIES)
def test_staff_action_is_recorded_with_its_row_and_player(service):
    action, by = CASES[service](), boss()

    action.do(by=by)

    [(act, kind, about)] = entries_of(by)
    assert (act, kind, about is not None) == ENTRIES[service]


def test_decision_is_recorded_once_with_the_row_before_and_after():
    withdrawal, by = make_withdrawal(), clerk()

    step("approve", withdrawal, by)
    step("approve", withdrawal, by)

    assert entries_of(by) == [("approve", "withdrawal", withdrawal.player)]
    before, after = changes("approve")
    assert (before["status"], after["status"]) == ("requested", "approved")
    assert after["decided_by"] == str(by.pk)
    assert "decided_by" not in before


def test_file_for_the_bank_is_recorded_with_its_withdrawals_and_download():
    withdrawal, by = make_withdrawal(), clerk()
    step("approve", withdrawal)

    batch = withdrawals.send_to_bank(by=by)
    withdrawals.note_file_given(batch=batch, by=by)

    assert entries_of(by) == [
        ("send_to_bank", "payoutbatch", None),
        ("take_file", "payoutbatch", None),
    ]
    assert changes("send_to_bank") == [{}, {"withdrawals": str(withdrawal.public_id)}]
    assert changes("take_file") == [{}, {}]


def test_tokens_are_recorded_without_their_secret():
    by = clerk()
    token, text = finance_tokens.create_token(name="Desk", scopes=["rake"], created_by=by)
    finance_tokens.revoke_token(token=token, by=by)
    finance_tokens.revoke_token(token=token, by=by)

    assert entries_of(by) == [("create", "financetoken", None), ("revoke", "financetoken", None)]
    assert token.digest not in str(acts().values_list("after"))
    assert text not in str(acts().values_list("after"))


def test_a_task_is_done_once():
    task = StaffTask.objects.create(
        kind="late_payment", transfer=make_withdrawal().hold, details="Late"
    )
    first, second = clerk(), clerk()

    deposits.finish_task(task_id=task.pk, by=first)
    done = deposits.finish_task(task_id=task.pk, by=second)

    assert done.done_by == first
    assert (entries_of(first), entries_of(second)) == ([("done", "stafftask", None)], [])


def test_player_is_blocked_with_a_reason_and_unblocked(client):
    by, player = clerk(), make_player()
    client.force_login(player)
    with pytest.raises(ReasonMissing):
        sign_ins.block(player_id=player.pk, by=by, reason=" ")

    sign_ins.block(player_id=player.pk, by=by, reason="Collusion")
    sign_ins.block(player_id=player.pk, by=by, reason="Collusion")
    assert client.get("/account/").status_code == 302
    sign_ins.unblock(player_id=player.pk, by=by, reason="It was his brother")

    player.refresh_from_db()
    assert player.is_active
    assert entries_of(by) == [("block", "user", player), ("unblock", "user", player)]
    assert changes("block") == [{"is_active": "True"}, {"is_active": "False"}]


def test_only_superusers_block_staff_and_not_themselves():
    by, other = clerk(), clerk()
    boss = clerk(is_superuser=True)

    refused = ((by, other, StaffAccount), (by, boss, StaffAccount), (boss, boss, SharedInterest))
    for who, whom, refusal in refused:
        with pytest.raises(refusal):
            sign_ins.block(player_id=whom.pk, by=who, reason="Because")
    sign_ins.block(player_id=other.pk, by=boss, reason="Left us")

    assert acts().get().about == other


@pytest.mark.parametrize(
    "change", [lambda entries: entries.update(act="nothing"), lambda entries: entries.delete()]
)
def test_the_application_cannot_rewrite_audit_entries(change):
    drains.begin(by=clerk(), reason="New version")

    with pytest.raises(DatabaseError, match="permission denied"), transaction.atomic():
        change(AuditEntry.objects.all())


def test_the_owner_of_the_schema_cannot_rewrite_entries_either(owner):
    drains.begin(by=clerk(), reason="New version")

    for change in (lambda: acts().update(act="x"), lambda: AuditEntry.objects.all().delete()):
        with pytest.raises(DatabaseError, match="stay on record"), transaction.atomic(), owner():
            change()


@pytest.mark.django_db(transaction=True)
def test_entry_is_written_only_within_a_transaction():
    table = make_table()

    with pytest.raises(RuntimeError, match="committed with"):
        audit_log.record(by=clerk(), act="look", row=table)

    assert not acts().exists()
