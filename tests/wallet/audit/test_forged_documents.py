"""Forged documents and freezes: the application's login may write rows, but gains nothing by it."""

import pytest
from django.db import Error, connection, transaction

from core import audit_log
from tests.builders.books.forgeries import FORGED, ask_what_commit_asks, make_scene
from tests.builders.people.regions import open_region
from tests.builders.wallet.players import balances, books, freeze, fund, make_player, promotions
from tests.builders.wallet.tax_office import undone, unguarded
from wallet.audit.audit import audit, row_findings
from wallet.audit.freezes import check_books
from wallet.audit.models import AccountFreeze
from wallet.audit.starts import BEGINNING, last_clean_start
from wallet.ledger import posting
from wallet.ledger.models import Account

pytestmark = pytest.mark.django_db
# As if the rows had left versions, too.
ADOPT_ALL = "SELECT wallet_adopt(tgrelid::regclass) FROM pg_trigger WHERE tgname = 'versions_kept'"


@pytest.fixture
def scene(db):
    open_region("IN-KA")
    check_books()
    return make_scene()


def checks_found(start=BEGINNING):
    return {finding.check for finding in row_findings(start=start)}


def test_forged_documents_are_refused_at_commit(scene, strict):
    strict()
    theirs = [*scene.mine.values(), *scene.theirs.values(), scene.ticket, scene.pool.escrow]
    before, held = books(), balances(*theirs)

    def try_to(forge):
        with transaction.atomic():
            forge(scene)
            ask_what_commit_asks()

    for forge in FORGED:
        with pytest.raises(Error, match="behind transfer") as refusal:
            try_to(forge)
        assert refusal.value.__cause__.sqlstate == "RL017", forge

    assert (books(), balances(*theirs)) == (before, held)


# One for each of the audit's checks.
SOME = {check: forge for forge, check in reversed(FORGED.items())}


@pytest.mark.parametrize(
    "forged",
    [
        {forge: check for check, forge in SOME.items()},
        pytest.param(FORGED, marks=pytest.mark.extended),
    ],
    ids=["one for each check", "all"],
)
def test_the_audit_names_forged_documents(scene, strict, forged):
    """Write them as if the checks at COMMIT had been disabled."""
    strict()
    assert checks_found().isdisjoint(FORGED.values())

    for forge, check in forged.items():
        with undone(), unguarded():
            forge(scene)
            assert check in checks_found(), forge


@pytest.mark.extended
def test_a_short_audit_that_began_before_names_them_too(scene, strict):
    strict()
    before = last_clean_start()
    assert checks_found(before).isdisjoint(FORGED.values())

    for check, forge in SOME.items():
        with undone(), unguarded() as cursor:
            forge(scene)
            assert checks_found(before) & {check, "row_unrecorded"}, forge
            cursor.execute(ADOPT_ALL)
            assert check in checks_found(before), forge


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
