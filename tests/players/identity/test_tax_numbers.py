"""A PAN is set once, is unique among open accounts, and is shown masked."""

from functools import partial
from io import StringIO

import pytest
from cryptography.fernet import Fernet
from django.core.management import call_command
from django.urls import reverse

from players.eligibility.break_models import Break
from players.eligibility.breaks import take_break
from players.eligibility.verdicts import Act, may
from players.exceptions import BadTaxNumber, TaxNumberGiven, TaxNumberTaken
from players.identity.models import TaxNumber
from players.identity.tax_numbers import (
    give_tax_number,
    masked_tax_number,
    remove_tax_number,
    tax_numbers,
)
from tables.accounts.closure import close_account
from tables.accounts.own_data import own_data
from tests.builders.people.identities import submit_identity, verify_identity
from tests.builders.processes.logins import as_owner
from tests.builders.processes.threads import at_once
from tests.builders.staff.people import a_person, clerk
from tests.builders.wallet.players import acts, make_player
from wallet.tax.invoices.identity import tax_identities

pytestmark = pytest.mark.django_db
PAN = "ABCPE1234F"


def give(player, number=PAN):
    return give_tax_number(player_id=player.pk, number=number)


@pytest.mark.parametrize("typed", ["ABCPE1234F", "abcpe1234f", " ABCPE 1234 F "])
def test_a_pan_is_kept_encrypted_and_may_be_given_again(typed):
    player = make_player()

    row = give(player, typed)

    assert tax_numbers([player.pk]) == {player.pk: PAN}
    assert masked_tax_number(player) == "XXXXXX234F"
    assert PAN.encode() not in bytes(row.encrypted_content)
    assert give(player) == row


@pytest.mark.parametrize(
    "typed",
    [
        *("", "ABCDE1234F", "ABCPE1234", "ABCPE12345", "ABCPE1234FF", "१"),
        *("ABCPE0000F", "abcpe 0000 f", "ABCPE-0000-F"),
    ],
)
def test_invalid_pan_is_refused(typed):
    with pytest.raises(BadTaxNumber):
        give(make_player(), typed)


def test_another_pan_is_refused_until_staff_remove_the_first():
    player = make_player()
    give(player)
    with pytest.raises(TaxNumberGiven):
        give(player, "ABCPE9999Z")

    remove_tax_number(player_id=player.pk, by=clerk())
    give(player, "ABCPE9999Z")

    assert masked_tax_number(player) == "XXXXXX999Z"
    assert [each.about_id for each in acts().filter(act="remove_tax_number")] == [player.pk]
    assert "1234F" not in str(list(acts().values()))


@pytest.mark.django_db(transaction=True)
def test_concurrent_submissions_of_a_pan_give_it_to_one():
    found = at_once([partial(give, make_player()) for _ in range(2)])

    assert sorted(isinstance(one, TaxNumberTaken) for one in found) == [False, True]


@pytest.mark.parametrize(
    ("is_excluded", "has_new_key"), [(True, False), (True, True), (False, False)]
)
def test_exclusion_is_found_by_the_pan_of_a_verified_player(settings, is_excluded, has_new_key):
    first, second = make_player(), make_player()
    give(first)
    if is_excluded:
        take_break(player=first, kind=Break.Kind.EXCLUSION, length=None)
    close_account(player_id=first.pk)
    assert may(second, Act.POINTS).is_allowed
    if has_new_key:
        settings.IDENTITY_KEYS = [Fernet.generate_key().decode(), *settings.IDENTITY_KEYS]

    give(second)
    unverified = {may(second, act).code for act in Act if act != Act.WITHDRAW}
    assert may(second, Act.WITHDRAW).is_allowed
    verify_identity(second)

    assert unverified == {"identity_unverified"}
    assert may(second, Act.POINTS).code == ("play_held" if is_excluded else "")


def test_pan_is_readable_and_found_after_key_rotation(settings):
    old, new = settings.IDENTITY_KEYS[0], Fernet.generate_key().decode()
    player = make_player()
    give(player)
    settings.IDENTITY_KEYS = [new, old]

    with as_owner():
        call_command("rotate_identity_keys", stdout=StringIO())
    settings.IDENTITY_KEYS = [new]

    assert tax_numbers([player.pk]) == {player.pk: PAN}
    with pytest.raises(TaxNumberTaken):
        give(make_player())
    settings.IDENTITY_KEYS = [old]
    assert tax_numbers([player.pk]) == {}


def test_the_registers_have_the_verified_name_and_the_number():
    player = make_player()
    give(player)
    verify_identity(player, "Asha Devi Rao")

    person = tax_identities([player.pk])[player.pk]

    shown = (person.legal_name, person.tax_number, person.masked)
    assert shown == ("Asha Devi Rao", PAN, "XXXXXX234F")


def test_pan_is_masked_on_all_pages(client):
    player = make_player()
    check = submit_identity(player)
    client.force_login(player)
    bad = client.post(reverse("tax-number"), {"number": "ABCDE1234F"}).text
    good = client.post(reverse("tax-number"), {"number": PAN}, follow=True).text
    client.force_login(a_person("Identity"))
    desk = client.get(reverse("admin:players_identitycheck_change", args=[check.pk])).text

    assert "ABCPD1234E" in bad
    assert "XXXXXX234F" in good
    assert "XXXXXX234F" in desk
    assert PAN not in good + desk + str(own_data(player))
    assert own_data(player)["tax_number"] == "XXXXXX234F"


def test_closed_account_keeps_its_pan_for_tax_returns():
    player = make_player()
    give(player)

    close_account(player_id=player.pk)

    assert TaxNumber.objects.get().released_at is not None
    assert tax_identities([player.pk])[player.pk].tax_number == PAN
