"""Forged documents: the application's login may write the rows, but gains nothing by them."""

import pytest
from django.db import Error, transaction

from tests.builders.books.forgeries import FORGED, ask_what_commit_asks, make_scene
from tests.builders.people.regions import open_region
from tests.builders.wallet.players import balances, books
from tests.builders.wallet.tax_office import undone, unguarded
from wallet.audit.audit import row_findings
from wallet.audit.starts import BEGINNING, last_clean_start
from wallet.audit.withdrawal_freezes import check_books

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
