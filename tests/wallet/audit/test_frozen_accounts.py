"""Freezing and unfreezing an account are staff actions in the audit log."""

import pytest
from django.db import Error, connection, transaction

from core import audit_log
from tests.builders.wallet.players import freeze, fund, make_player
from tests.builders.wallet.tax_office import unguarded
from wallet.audit.audit import audit
from wallet.ledger import accounts, posting
from wallet.ledger.models import Account
from wallet.ledger.safeguard_models import AccountFreeze

pytestmark = pytest.mark.django_db


def promotions():
    return accounts.operator_account(kind="promotions", currency="INR")


def test_only_staff_freeze_and_unfreeze_accounts(subtests):
    player, other = make_player(), make_player()
    mine, theirs = (fund(each, deposit=9_00)["deposit"] for each in (player, other))
    checker = make_player(is_staff=True)
    freeze(theirs)

    @transaction.atomic
    def act(move, account, by, *, is_logged):
        move(account)
        if by:
            act = "freeze" if move == posting.freeze else "thaw"
            AccountFreeze.objects.create(account=account, act=act, reason="x", by=by)
            if is_logged:
                audit_log.record(by=by, act=act, row=account)
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")

    for name, move, account, by, is_logged in (
        ("frozen by nobody", posting.freeze, promotions(), None, False),
        ("frozen by a player", posting.freeze, mine, other, True),
        ("frozen without an entry in the log", posting.freeze, mine, checker, False),
        ("unfrozen by its player", posting.thaw, theirs, other, True),
    ):
        refused = r"without a staff action|a person without the right"
        with subtests.test(name), pytest.raises(Error, match=refused):
            act(move, account, by, is_logged=is_logged)
    assert list(Account.objects.filter(status="frozen")) == [theirs]


def test_audit_reports_freezes_without_a_staff_action():
    theirs = fund(make_player(), deposit=9_00)["deposit"]
    freeze(theirs)
    assert audit().is_clean

    with unguarded(adopts=["wallet_account"]):
        posting.freeze(promotions())
        posting.thaw(theirs)

    found = {(finding.check, finding.subject) for finding in audit().findings}
    assert found == {
        ("frozen_without_an_act", f"account {promotions().pk}"),
        ("thawed_without_an_act", f"account {theirs.pk}"),
    }
