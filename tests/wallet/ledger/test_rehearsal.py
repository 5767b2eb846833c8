"""A rehearsal returns the balances of a posting, or its refusal, without writing."""

import pytest
from moneyed import Money

from tests.builders.wallet.players import balances, books
from wallet import exceptions
from wallet.ledger import posting
from wallet.ledger.models import Transfer

pytestmark = pytest.mark.django_db(transaction=True)
KIND = Transfer.Kind.ADJUSTMENT


def test_rehearsal_returns_balances_and_writes_nothing(asha, suspense):
    before = books()

    left = posting.rehearse(
        kind=KIND, entries=[(asha["deposit"], -30_00), (suspense, Money(30, "INR"))]
    )

    assert left == {asha["deposit"].pk: 70_00, suspense.pk: 30_00}
    assert books() == before
    assert balances(asha["deposit"], suspense) == [100_00, 0]


def test_a_rehearsal_meets_the_refusals_of_the_posting(asha, suspense):
    before = books()

    with pytest.raises(exceptions.InsufficientFunds):
        posting.rehearse(kind=KIND, entries=[(asha["deposit"], -100_01), (suspense, 100_01)])
    with pytest.raises(exceptions.NotEmpty):
        posting.rehearse(
            kind=KIND,
            entries=[(asha["deposit"], -1), (suspense, 1)],
            must_be_empty=[asha["deposit"]],
        )

    assert books() == before
