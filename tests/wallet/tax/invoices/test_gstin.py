"""GSTINs are checked by check digit and state; operators outside India have another format."""

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from players.exceptions import SharedInterest
from tests.builders.wallet.players import fund, make_player
from tests.builders.wallet.tax_office import GSTIN, OFFSHORE_GSTIN, operator_registration
from wallet.tax.invoices.gstin import STATE_CODES, refuse_wrong_gstin, state_code, state_name
from wallet.tax.invoices.invoices import is_inter_state, place_of_supply
from wallet.tax.invoices.models import Registration
from wallet.tax.rates import append

# Printed on invoices: GoDaddy, Google, Upwork, Fiverr.
REAL_OFFSHORE = ["9917USA29016OS6", "9917SGP29001OST", "9923USA29044OSE", "9924ISR29001OSH"]


@pytest.mark.parametrize(
    ("gstin", "state"),
    [
        *((GSTIN, "KA"), ("27AABCP1234D1ZY", "MH"), ("07AABCP1234D1Z0", "DL")),
        # python-stdnum 2.2 refuses state 38.
        ("38AABCP1234D1ZV", "LA"),
        *((each, "") for each in REAL_OFFSHORE),
    ],
)
def test_gstins_that_exist_are_accepted(gstin, state):
    refuse_wrong_gstin(gstin, state=state)


@pytest.mark.parametrize(
    ("gstin", "state", "field", "message"),
    [
        ("29AABCP1234D1Z5", "KA", "gstin", "typing error"),
        ("9917SGP29001OSU", "", "gstin", "typing error"),
        (GSTIN, "MH", "gstin", "begins with 29 (Karnataka), but Maharashtra has 27"),
        ("28AABCP1234D1ZW", "AP", "gstin", "begins with 28 (no state), but Andhra Pradesh has 37"),
        ("29AABCP0000D1Z8", "KA", "gstin", "must be a PAN"),
        (GSTIN, "", "state", "Choose the state"),
        (OFFSHORE_GSTIN, "KA", "state", "Leave the state empty"),
        ("9917XXX29001OSH", "", "gstin", "XXX"),
        ("29X", "KA", "gstin", "15 letters and digits"),
        ("29AABCP1234D1YU", "KA", "gstin", "Enter a GSTIN"),
    ],
)
def test_gstins_that_cannot_be_are_refused_with_what_is_wrong(gstin, state, field, message):
    with pytest.raises(ValidationError) as refusal:
        refuse_wrong_gstin(gstin, state=state)
    assert message in str(refusal.value.message_dict[field])


@pytest.mark.parametrize("code", ["TG", "TS", "OR", "OD", "CT", "CG", "UT", "UK"])
def test_old_and_present_codes_of_a_state_are_the_same_state(code):
    other = {"TG": "TS", "OR": "OD", "CT": "CG", "UT": "UK"}
    same = (other | {new: old for old, new in other.items()})[code]
    registration = operator_registration(state=code)

    assert state_code(code) == state_code(same) != ""
    assert place_of_supply(f"IN-{code}") == place_of_supply(f"IN-{same}")
    assert str(state_name(code)) not in ("", code)
    assert not is_inter_state(f"IN-{same}", registration)
    assert len(set(STATE_CODES.values())) == len(STATE_CODES) == 36


@pytest.mark.django_db
def test_the_service_refuses_a_wrong_registration_and_the_database_another_form():
    clerk, rich = (make_player(is_staff=True, is_superuser=True) for _ in range(2))
    fund(rich, deposit=1_00)
    with pytest.raises(SharedInterest):
        append_without_transaction(operator_registration(), rich)
    with pytest.raises(ValidationError, match="typing error"):
        append_without_transaction(operator_registration(gstin="29AABCP1234D1Z5"), clerk)
    for wrong in (
        {"gstin": OFFSHORE_GSTIN, "state": "KA"},
        {"gstin": GSTIN, "state": ""},
        {"gstin": "29AABCP1234D1X5"},
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            operator_registration(added_by="tests", **wrong).save()
    assert not Registration.objects.exists()


def append_without_transaction(row, by):
    return append.__wrapped__(row=row, by=by)


def test_every_supply_of_an_operator_outside_india_carries_integrated_tax():
    offshore = operator_registration(gstin=OFFSHORE_GSTIN, state="")
    places = ["IN-KA", "IN-MH", "IN", "", "SG"]
    assert [is_inter_state(place, offshore) for place in places] == [True] * len(places)
