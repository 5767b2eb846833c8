import pytest
from moneyed import Money

from tests.wallet.builders import make_escrow, make_player, make_stake
from wallet.services import stakes
from wallet.services.audit import audit

pytestmark = pytest.mark.django_db


def test_clean():
    escrow = make_escrow()
    a, b = make_player(), make_player()
    two = [make_stake(escrow=escrow, player=a), make_stake(escrow=escrow, player=b)]
    assert audit().findings == ()
    stakes.settle_game(escrow=escrow, stakes=two, prizes=[(a, Money(180, "INR"))], key="finish:1")
    assert audit().findings == ()
