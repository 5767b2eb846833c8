"""The database refuses grants of play points above the limits, and the audit reports them."""

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import override_settings

from tests.builders.wallet.players import make_player
from tests.builders.wallet.tax_office import undone
from wallet.apps import keep_settings
from wallet.audit.audit import row_findings
from wallet.bonuses import play_points
from wallet.ledger import accounts, posting
from wallet.ledger.models import Account, Transfer

pytestmark = pytest.mark.django_db
Document = Transfer.Document


def give(player, amount, document):
    """Post a grant as any caller of the posting function can."""
    mine = accounts.open_player_accounts(player=player, currency="PTS")
    promotions = accounts.operator_account(kind=Account.Kind.PROMOTIONS, currency="PTS")
    return posting.post(
        key=f"try:{document}:{player.pk}",
        kind=Transfer.Kind.GRANT,
        entries=[(promotions, -amount), (mine["deposit"], amount)],
        document=document,
        document_id=player.pk,
    )


@pytest.mark.parametrize("document", [Document.SIGN_UP, Document.REFILL])
@pytest.mark.parametrize(("amount", "is_found"), [(10_000_00, False), (1_000_000_00, True)])
def test_the_audit_finds_a_grant_above_the_limit(document, amount, is_found):
    # Checks at COMMIT are tested in tests/wallet/ledger/test_policies.py.
    with undone():
        transfer = give(make_player(), amount, document)
        found = [(finding.check, finding.subject) for finding in row_findings()]

    named = ("transfer_without_document", f"transfer {transfer.pk}")
    assert found == ([named] if is_found else [])


def test_the_audit_finds_a_refill_of_an_account_that_was_full():
    player = make_player()
    play_points.grant_sign_up(player=player)

    with undone():
        transfer = give(player, 1, Document.REFILL)
        found = [finding.subject for finding in row_findings()]

    assert found == [f"transfer {transfer.pk}"]


def test_migration_stores_enforced_settings_and_lower_ones_spare_earlier_grants(owner, settings):
    play_points.grant_sign_up(player=make_player())
    play_points.refill_points(player=make_player())
    lower = {"PLAY_POINTS_SIGN_UP": 5_000_00, "PLAY_POINTS_REFILL_TO": 8_000_00}

    with override_settings(THREE_PEOPLE_ABOVE=50_000, **lower), owner():
        call_command("migrate", verbosity=0)

    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT three_people_above, sign_up_points_minor, refill_points_to_minor"
            " FROM wallet_installation"
        )
        assert cursor.fetchone() == (50_000, 5_000_00, 8_000_00)
    assert row_findings() == ()
    with owner():
        keep_settings(using="default")
