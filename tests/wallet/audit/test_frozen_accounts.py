"""Freezing and unfreezing an account are staff actions in the audit log."""

from types import SimpleNamespace

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


def frozen_by_nobody(s):
    posting.freeze(promotions())


def frozen_by_no_staff(s):
    posting.freeze(s.mine["deposit"])
    note_act(s.mine["deposit"], "freeze", s.other)


def frozen_by_an_act_the_log_lacks(s):
    posting.freeze(s.mine["deposit"])
    AccountFreeze.objects.create(account=s.mine["deposit"], act="freeze", reason="x", by=s.checker)


def thawed_by_its_player(s):
    posting.thaw(s.theirs["deposit"])
    note_act(s.theirs["deposit"], "thaw", s.other)


def note_act(account, act, by):
    AccountFreeze.objects.create(account=account, act=act, reason="x", by=by)
    audit_log.record(by=by, act=act, row=account)


@pytest.mark.parametrize(
    "act",
    [frozen_by_nobody, frozen_by_no_staff, frozen_by_an_act_the_log_lacks, thawed_by_its_player],
)
def test_only_staff_freeze_and_unfreeze_accounts(act):
    players = make_player(), make_player()
    mine, theirs = (fund(player, deposit=9_00) for player in players)
    freeze(theirs["deposit"])
    s = SimpleNamespace(
        other=players[1], mine=mine, theirs=theirs, checker=make_player(is_staff=True)
    )

    def try_to_act():
        with transaction.atomic():
            act(s)
            with connection.cursor() as cursor:
                cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")

    with pytest.raises(Error, match=r"without a staff action|a person without the right"):
        try_to_act()

    standing = Account.objects.filter(status="frozen")
    assert list(standing) == [theirs["deposit"]]


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
