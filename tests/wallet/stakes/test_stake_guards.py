"""The database refuses changes of a stake's payer, game and rake, also to the schema's owner."""

import pytest
from django.db import Error, connection, transaction
from moneyed import Money

from tests.builders.wallet.players import books, make_escrow, make_player, make_stake
from wallet.audit.audit import row_findings
from wallet.stakes import stakes
from wallet.stakes.models import Stake, StakePart

pytestmark = pytest.mark.django_db


@pytest.fixture
def game():
    """Return a settled stake and, of another game, a lost one and one in play."""
    escrow, winner = make_escrow(), make_player()
    paid = [make_stake(escrow=escrow, player=player) for player in (winner, make_player())]
    stakes.settle_game(
        escrow=escrow, stakes=paid, prizes=[(winner, Money(180, "INR"))], key="finish:1"
    )
    in_play = make_escrow()
    lost, live = make_stake(escrow=in_play), make_stake(escrow=in_play)
    stakes.lose_stake(stake=lost)
    return {"settled": paid[0].pk, "lost": lost.pk, "live": live.pk}


def everything():
    return list(Stake.objects.order_by("pk").values()), list(
        StakePart.objects.order_by("pk").values()
    )


REWRITINGS = [
    ("UPDATE wallet_stake SET rake_minor = 0 WHERE id = {live}", "keeps its terms"),
    ("UPDATE wallet_stake SET rake_minor = 0 WHERE id = {settled}", "stays closed"),
    (
        "UPDATE wallet_stake SET entry_minor = entry_minor + 1 WHERE id = {live}",
        "keeps its terms",
    ),
    ("UPDATE wallet_stake SET player_id = player_id + 1 WHERE id = {lost}", "keeps its terms"),
    ("UPDATE wallet_stake SET status = 'live', closed_at = NULL WHERE id = {settled}", "stays"),
    ("UPDATE wallet_stake SET closed_at = now() WHERE id = {settled}", "stays closed"),
    ("UPDATE wallet_stake SET status = 'live' WHERE id = {lost}", "lost one lost"),
    ("DELETE FROM wallet_stake", "keeps its terms|wallet_stakepart"),
    ("TRUNCATE wallet_stake CASCADE", "keeps its terms|on record|append-only"),
    ("UPDATE wallet_stakepart SET amount_minor = amount_minor + 1", "keeps its terms"),
    ("UPDATE wallet_stakepart SET account_id = account_id + 1", "keeps its terms"),
    ("UPDATE wallet_stakepart SET position = position + 1", "keeps its terms"),
    (
        "UPDATE wallet_stakepart SET returned_minor = 1 WHERE stake_id = {settled}",
        "is closed",
    ),
    ("DELETE FROM wallet_stakepart", "on record"),
    ("TRUNCATE wallet_stakepart CASCADE", "on record|append-only"),
    ("UPDATE wallet_stakepartchange SET booked_on = booked_on + 1", "append-only"),
    ("DELETE FROM wallet_stakepartchange", "append-only"),
    ("TRUNCATE wallet_stakepartchange", "append-only"),
]


def test_the_owner_cannot_rewrite_a_stake(owner, game, subtests):
    before, counted = everything(), books()

    for sql, reason in REWRITINGS:
        with subtests.test(sql):
            with owner(), pytest.raises(Error, match=reason), transaction.atomic():
                connection.cursor().execute(sql.format(**game))

            assert (everything(), books()) == (before, counted)

    assert row_findings() == ()


def test_a_closed_stake_gets_no_more_parts(owner, game):
    with owner(), pytest.raises(Error, match="is closed"), transaction.atomic():
        connection.cursor().execute(
            """INSERT INTO wallet_stakepart (stake_id, account_id, position, amount_minor,
                consumed_minor, returned_minor, is_won)
            SELECT stake_id, account_id, 9, 1, 0, 0, false
            FROM wallet_stakepart WHERE stake_id = %s""",
            [game["settled"]],
        )
