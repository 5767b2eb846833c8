"""A deal's seed is random and encrypted; only a simulation repeats seeds (RB 12.1)."""

import pytest
from cryptography.fernet import Fernet, InvalidToken

import rummy
from tables.history.fairness import seeds
from tables.models.deals import DealSecret
from tests.builders.tables.making import make_table

pytestmark = pytest.mark.django_db


def test_every_deal_has_a_different_seed_and_shows_only_its_hash():
    one, two = make_table().deals.get(), make_table().deals.get()

    first, second = seeds.unseal(one.secret), seeds.unseal(two.secret)

    assert first != second
    assert len(first) == 32
    assert one.commitment == rummy.commitment(first)
    assert one.chain == rummy.chained(one.commitment)
    assert first not in bytes(one.secret.encrypted_seed)


def make_simulated_table(name):
    return make_table(name=name, owner_ref=seeds.SIMULATION)


def test_the_same_simulation_deals_the_same_cards(settings):
    settings.SIMULATION_SEED = "7"
    one, again = make_simulated_table("Simulation 1"), make_simulated_table("Simulation 1")
    other = make_simulated_table("Simulation 2")
    settings.SIMULATION_SEED = "8"
    reseeded = make_simulated_table("Simulation 1")

    commitments = [table.deals.get().commitment for table in (one, again, other, reseeded)]

    assert commitments[0] == commitments[1]
    assert len(set(commitments)) == 3


def test_real_games_are_never_dealt_from_a_simulation_seed(settings):
    settings.SIMULATION_SEED = "7"
    tables = [make_table(name="Simulation 1"), make_table(name="Simulation 1")]

    commitments = {table.deals.get().commitment for table in tables}

    foreseen = seeds.new_seed(make_simulated_table("Simulation 1"), 1)
    assert len(commitments) == 2
    assert rummy.commitment(foreseen) not in commitments


def test_a_new_key_seals_and_the_old_one_still_opens(settings):
    old, new = Fernet.generate_key().decode(), Fernet.generate_key().decode()
    settings.DEAL_KEYS = [old]
    before = make_table().deals.get().secret
    settings.DEAL_KEYS = [new, old]
    after = make_table().deals.get().secret

    assert len(seeds.unseal(before)) == len(seeds.unseal(after)) == 32
    settings.DEAL_KEYS = [new]
    assert len(seeds.unseal(after)) == 32
    with pytest.raises(InvalidToken):
        seeds.unseal(DealSecret.objects.get(pk=before.pk))
