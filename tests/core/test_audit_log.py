"""Every act of staff leaves an audit entry (who, what, why, before, after) that nobody rewrites."""

from datetime import timedelta

import pytest
from django.db import DatabaseError, transaction
from django.utils import timezone
from moneyed import Money

from core import audit_log
from core.models import AuditEntry
from finance.tokens import actions as finance_tokens
from players.exceptions import ReasonMissing, SharedInterest, StaffAccount
from players.sign_in import actions as sign_ins
from tables.integrity.moderation import disputes, rulings
from tables.integrity.moderation.dispute_models import Dispute
from tables.lobby.table_templates import actions as templates
from tables.lobby.table_templates import profiles
from tables.models.profiles import TableTemplate
from tables.play import drains
from tests.builders.people.regions import open_region
from tests.builders.staff.people import clerk
from tests.builders.tables.disputes import complain, played_deal
from tests.builders.tables.making import make_game, make_rules, make_table
from tests.builders.tables.playing import deal_at
from tests.builders.tournaments.tournaments import enter, make_template, make_tournament, start
from tests.builders.wallet.payout_desk import make_sent, make_withdrawal, step
from tests.builders.wallet.players import acts, fund, make_player
from tournaments.planning import opening
from tournaments.rounds import staff_actions, stopping
from wallet.audit import account_freezes, withdrawal_freezes
from wallet.bonuses import requests as bonus_requests
from wallet.corrections import adjustments
from wallet.deposits import deposits
from wallet.deposits.models import StaffTask
from wallet.ledger.models import Account
from wallet.ledger.safeguard_models import WithdrawalFreeze
from wallet.withdrawals import withdrawals

pytestmark = pytest.mark.django_db


def entries_of(by):
    """Return what a person did, in order: act, kind, and whom it was about."""
    return [
        (act.act, act.kind.partition(".")[2], act.about)
        for act in acts().filter(by=by).order_by("pk")
    ]


def changes(act):
    """Return what the one audit entry of this act says was before, and after."""
    entry = acts().get(act=act)
    sides = (entry.before, entry.after)
    return [dict(line.split("=", 1) for line in side.splitlines()) for side in sides]


@pytest.mark.extended
def test_a_decision_about_a_withdrawal_tells_before_and_after():
    withdrawal, by = make_withdrawal(), clerk()

    step("approve", withdrawal, by)

    before, after = changes("approve")
    assert entries_of(by) == [("approve", "withdrawal", withdrawal.player)]
    assert (before["status"], after["status"]) == ("requested", "approved")
    assert after["decided_by"] == str(by.pk)
    assert "decided_by" not in before


@pytest.mark.extended
@pytest.mark.parametrize(
    ("name", "made", "act"),
    [
        ("reject", make_withdrawal, "reject"),
        ("mark_paid", make_sent, "note_paid"),
        ("mark_failed", make_sent, "note_failed"),
    ],
)
def test_every_step_of_a_withdrawal_is_a_deed_taken_once(name, made, act):
    withdrawal, by = made(), clerk()

    step(name, withdrawal, by)
    step(name, withdrawal, by)

    assert entries_of(by) == [(act, "withdrawal", withdrawal.player)]


def test_a_file_for_the_bank_names_its_withdrawals_and_who_took_it():
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


def test_what_is_refused_leaves_no_deed():
    withdrawal = make_withdrawal()

    with pytest.raises(SharedInterest):
        step("approve", withdrawal, withdrawal.player)

    assert not acts().exists()


def test_corrections_and_bonuses_are_deeds_of_both_people():
    open_region("IN-KA")
    player, asks, decides = make_player(country="IN", region="KA"), clerk(), clerk()
    mine = fund(player, deposit=50_00)
    clearing = Account.objects.get(kind="gateway_clearing", currency="INR")
    rupee = Money(1, "INR")
    adjustment = adjustments.request_adjustment(
        source=clearing, target=mine["deposit"], amount=rupee, reason="Paid twice", by=asks
    )
    adjustments.approve_adjustment(adjustment=adjustment, by=decides)
    terms = {"amount": rupee, "mode": "spend", "term_days": 7, "reason": "Sorry"}
    bonus = bonus_requests.request_bonus(player=player, by=asks, **terms)
    bonus_requests.reject_bonus(request=bonus, by=decides)

    assert entries_of(asks) == [("ask", "adjustment", player), ("ask", "bonusrequest", player)]
    assert entries_of(decides) == [
        ("approve", "adjustment", player),
        ("reject", "bonusrequest", player),
    ]
    before, after = changes("approve")
    assert (before["status"], after["status"]) == ("requested", "approved")
    assert "transfer" in after
    assert acts().filter(act="ask").first().reason == "Sorry"


def test_freezes_and_their_ends_are_audited():
    by, player = clerk(), make_player()
    account = fund(player, deposit=50_00)["deposit"]
    freeze = WithdrawalFreeze.objects.create(reason="The audit found 1 differences")

    account_freezes.freeze_account(account=account, reason="Stolen card", by=by)
    account_freezes.thaw_account(account=account, reason="It was his", by=by)
    withdrawal_freezes.clear_freeze(freeze=freeze, by=by)
    withdrawal_freezes.lift_freeze(freeze=freeze, by=clerk())

    assert entries_of(by) == [
        ("freeze", "account", player),
        ("thaw", "account", player),
        ("clear", "withdrawalfreeze", None),
    ]
    assert changes("freeze") == [{"status": "open"}, {"status": "frozen"}]
    assert set(changes("lift")[1]) == {"lifted_at", "lifted_by"}


def test_tokens_are_deeds_without_their_secret():
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


@pytest.mark.extended
def test_rulings_drains_and_offers_are_audited():
    by, table = clerk(), make_game(players=2)
    rulings.void_deal(deal_id=deal_at(table).pk, by=by, reason="Wrong cards")
    rulings.cancel_game(table_id=table.pk, by=by, reason="Power cut")
    drain = drains.begin(by=by, reason="New version")
    drains.lift(drain=drain, by=by)
    template = TableTemplate.objects.create(
        slug="t", name="T", entry_minor=100, profile=profiles.register_profile(make_rules())
    )
    templates.set_offered(template_id=template.pk, is_offered=False, by=by)
    templates.set_offered(template_id=template.pk, is_offered=False, by=by)

    assert [act for act, _, _ in entries_of(by)] == [
        "void_deal",
        "cancel",
        "drain",
        "lift",
        "withdraw",
    ]
    # What was ruled; a settlement worker carries it out afterwards.
    for ruled in map(changes, ("void_deal", "cancel")):
        assert [side["phase"] for side in ruled] == ["playing", "settling"]
        assert [side["settlement_due"] for side in ruled] == ["False", "True"]
    assert changes("cancel")[1]["ending"] == "cancelled"
    table.refresh_from_db()
    assert table.phase == "cancelled"
    assert changes("withdraw") == [{"is_offered": "True"}, {"is_offered": "False"}]


@pytest.mark.extended
def test_a_dispute_is_taken_answered_and_closed_on_record():
    dispute, by = complain(played_deal()), clerk()

    disputes.take_dispute(dispute_id=dispute.pk, by=by)
    disputes.answer_dispute(dispute_id=dispute.pk, by=by, answer="It ran\nas it should.")
    disputes.close_dispute(dispute_id=dispute.pk, by=by)

    player = dispute.seat.player
    assert entries_of(by) == [(act, "dispute", player) for act in ("take", "answer", "close")]
    assert changes("answer")[1]["answer"] == "It ran\\nas it should."
    assert changes("close")[0] == {"status": Dispute.Status.ANSWERED}


@pytest.mark.extended
def test_what_is_done_to_a_tournament_is_a_deed():
    by, other = clerk(), clerk()
    tournament = make_tournament()
    entry, *_ = enter(tournament, 4)
    later = tournament.starts_at + timedelta(days=365)
    staff_actions.remove(entry_id=entry.pk, by=by, reason="Two accounts")
    staff_actions.delay(tournament_id=tournament.pk, starts_at=later, by=by, reason="Storm")
    running = start(tournament)
    act = stopping.ask_to_abort(tournament_id=running.pk, by=by, reason="Power cut")
    stopping.ask_to_abort(tournament_id=running.pk, by=by, reason="Power cut")
    stopping.agree_to_abort(action_id=act.pk, by=other)
    called_off = make_tournament()
    stopping.cancel(tournament_id=called_off.pk, by=by, reason="Nobody came")

    assert [act for act, _, _ in entries_of(by)] == ["remove", "delay", "ask_to_abort", "cancel"]
    assert entries_of(other) == [("abort", "tournament", None)]
    assert acts().get(act="remove").about == entry.player
    # What was decided; the sweep carries it out afterwards.
    assert changes("abort") == [{}, {"agreed_by": str(other.pk)}]
    tournament.refresh_from_db()
    called_off.refresh_from_db()
    assert (tournament.state, called_off.state) == ("aborted", "cancelled")


def test_a_tournament_opened_by_hand_is_a_deed():
    by, template = clerk(), make_template(start_rule="when_full")

    opened = opening.open_by_hand(template=template, starts_at=None, by=by, now=timezone.now())

    assert acts().get(by=by).row == str(opened.pk)


def test_a_player_is_blocked_for_a_reason_and_let_in_again(client):
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


def test_nobody_but_a_superuser_blocks_staff_and_nobody_himself():
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

    for change in (
        lambda: acts().update(act="x"),
        lambda: AuditEntry.objects.all().delete(),
    ):
        with pytest.raises(DatabaseError, match="stay on record"), transaction.atomic(), owner():
            change()


@pytest.mark.django_db(transaction=True)
def test_a_deed_is_written_in_the_commit_of_what_it_tells():
    table = make_table()

    with pytest.raises(RuntimeError, match="committed with"):
        audit_log.record(by=clerk(), act="look", row=table)

    assert not acts().exists()
