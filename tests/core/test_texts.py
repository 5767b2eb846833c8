"""Names and reasons are one readable line: they are used in memos, e-mails, reports and logs."""

import pytest
from django.urls import reverse
from django.utils import translation

from core.exceptions import BadText
from core.text_validation import named
from finance.tokens.actions import create_token
from finance.tokens.models import FinanceToken
from players.accounts.models import User
from tables.exceptions import BadDispute
from tables.integrity.moderation import disputes, rulings
from tables.integrity.moderation.dispute_models import Dispute
from tables.models.tables import Table
from tests.builders.people.accounts import sign_up
from tests.builders.tables.disputes import complain, played_deal
from tests.builders.tables.making import make_game, make_player, make_table
from tests.builders.tables.offers import FIELDS
from tests.builders.wallet.adjustments import make_request
from tests.builders.wallet.payout_desk import make_sent
from tests.builders.wallet.players import acts
from tournaments.planning.template_models import TournamentTemplate
from wallet.corrections.models import Adjustment
from wallet.ledger.models import Transfer
from wallet.withdrawals import withdrawals

pytestmark = pytest.mark.django_db
UNREADABLE = ["Ruby\n101", "Ruby\x01", "Ruby\x85", "Ruby \u202e101", "Ruby\u2028101"]


@pytest.mark.parametrize("name", UNREADABLE)
def test_names_of_tables_and_tokens_are_one_readable_line(name):
    for attempt in (
        lambda: make_table(name=name),
        lambda: create_token(name=name, scopes=["journal"], created_by=None),
    ):
        with pytest.raises(BadText):
            attempt()

    assert not Table.objects.exists()
    assert not FinanceToken.objects.exists()
    assert make_table(name="रूबी १०१ क्‍ष").name == "रूबी १०१ क्‍ष"  # With a joiner, as Hindi has them.


@pytest.mark.extended
def test_unreadable_name_is_an_error_of_its_field(client):
    client.force_login(make_player(is_staff=True, is_superuser=True))

    page = client.post(
        reverse("admin:tables_tabletemplate_add"), FIELDS | {"name": "Evening\x07 pool"}
    )
    other = client.post(
        reverse("admin:tournaments_tournamenttemplate_add"), {"name": "Sunday\u202e", "slug": "s"}
    )

    for answer in (page, other):
        assert answer.context["adminform"].form.errors.as_data()["name"][0].code == "bad_text"
    assert not TournamentTemplate.objects.exists()


def test_action_with_an_unreadable_reason_is_rolled_back():
    table, staff = make_game(players=2), make_player(is_staff=True)

    with pytest.raises(BadText):
        rulings.cancel_game(table_id=table.pk, by=staff, reason="Fire\nalarm")

    assert Table.objects.get().phase == table.phase
    assert not acts().exists()


def test_a_withdrawal_and_a_correction_are_not_decided_for_an_unreadable_reason():
    withdrawal, staff = make_sent(rupees=20), make_player(is_staff=True)
    held = withdrawal.hold

    with pytest.raises(BadText):
        withdrawals.mark_failed(withdrawal_id=withdrawal.pk, by=staff, remark="No such\naccount")
    with pytest.raises(BadText):
        make_request(reason="Rounding\x7f")

    assert not Transfer.objects.filter(reverses=held).exists()
    assert not Adjustment.objects.exists()


@pytest.mark.extended
@pytest.mark.parametrize("text", ["It\x00 ran", "It\x1b[2J ran", "It \u202eran"])
def test_a_dispute_has_lines_and_no_other_control_characters(text):
    deal = played_deal()
    with pytest.raises(BadDispute):
        complain(deal, text=text)

    opened = complain(deal, text="It ran.\r\n\tTwice.")
    with pytest.raises(BadDispute):
        disputes.answer_dispute(
            dispute_id=opened.pk, by=make_player(is_staff=True), answer=f"No: {text}"
        )

    assert Dispute.objects.get().text == "It ran.\r\n\tTwice."


def test_a_handle_does_not_end_in_a_new_line(client):
    page = sign_up(client, handle="newcomer\n")

    assert "letters, digits or underscores" in page.text
    assert not User.objects.filter(handle__startswith="newcomer").exists()


def test_names_by_the_product_are_translated_and_typed_names_are_not():
    with translation.override("hi"):
        said = named("Pool 101 · Practice duel 101"), named("Pool 61"), named("Ruby 101"), named("")

    assert said == ("पूल 101 · प्रैक्टिस मुक़ाबला 101", "पूल 61", "Ruby 101", "")
    assert named("Pool 101 · Practice duel 101") == "Pool 101 · Practice duel 101"
