"""A seed is opened when its deal is over, never before, and never another (RB 12.1)."""

import hashlib

import pytest
from cryptography.fernet import Fernet, InvalidToken
from django.core.cache import cache
from django.db import DatabaseError, connection, transaction
from django.urls import reverse

import rummy
from rummy import chained
from tables.history.fairness import seeds, statistics
from tables.history.fairness.models import Reveal
from tables.models.deals import Deal, DealSecret
from tables.models.seats import Score
from tables.settlement import scoring
from tables.state.fold import fold_of, reveal_seed
from tests.builders.tables.deals import drop_out, settle
from tests.builders.tables.making import make_game, make_rules, make_table
from tests.builders.tables.playing import deal_at, move

pytestmark = pytest.mark.django_db


def test_committed_seed_is_revealed_once_with_the_scores_and_commitments_are_a_chain():
    table = make_game(players=3, rules=make_rules(gap_seconds=60))
    scoring.settle_deal(deal_id=drop_out(table).pk)

    first, second = table.deals.order_by("no")

    (opened,) = Reveal.objects.all()
    assert opened.deal == first
    committed = bytes.fromhex(opened.server_seed + first.table.profile.sha256)
    assert hashlib.sha256(committed).hexdigest() == first.commitment
    assert first.chain == chained(first.commitment)
    assert second.chain == chained(second.commitment, first.chain, opened.head)


def test_database_refuses_an_early_reveal_and_another_seed(owner):
    table = make_game(players=2)
    playing = deal_at(table)
    only = "only the committed seed of a finished deal"
    with pytest.raises(DatabaseError, match=only), transaction.atomic():
        reveal_seed(playing, table.armed_at)
    seed = seeds.unseal(playing.secret).hex()
    row = f"{table.pk}, {playing.pk}, '{{}}', '', now()"
    insert = (
        "INSERT INTO tables_reveal (table_id, deal_id, server_seed, head, revealed_at)"
        f" VALUES ({row})"
    )

    def run(statement):
        with owner(), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)

    with pytest.raises(DatabaseError, match=only):
        run(insert.format(seed))
    run("UPDATE tables_deal SET status = 'settled', settled_at = now()")
    with pytest.raises(DatabaseError, match=only):
        run(insert.format("00" * 32))
    assert Reveal.objects.count() == 0
    run(insert.format(seed))

    assert Reveal.objects.get().server_seed == seed


@pytest.mark.django_db(transaction=True)
def test_deal_is_not_scored_if_its_seed_cannot_be_decrypted(monkeypatch):
    table = make_game(players=2)
    move(table, 1, "drop")
    with monkeypatch.context() as patch:
        patch.setattr(seeds, "unseal", broken_key)
        with pytest.raises(InvalidToken):
            settle(table)

    assert (Score.objects.count(), Reveal.objects.count()) == (0, 0)
    assert deal_at(table).status == Deal.Status.ENDED
    settle(table)
    assert (Score.objects.count(), Reveal.objects.count()) == (2, 1)


def broken_key(secret):
    raise InvalidToken


def test_every_deal_has_a_different_seed_and_shows_only_its_hash():
    one, two = make_table().deals.get(), make_table().deals.get()

    first, second = seeds.unseal(one.secret), seeds.unseal(two.secret)

    assert first != second
    assert len(first) == 32
    assert one.commitment == rummy.commitment(first, one.table.profile.sha256)
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

    simulated = make_simulated_table("Simulation 1")
    foreseen = seeds.new_seed(simulated, 1)
    assert len(commitments) == 2
    assert rummy.commitment(foreseen, simulated.profile.sha256) not in commitments


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


def test_statistics_count_the_cards_that_were_dealt(client):
    table = make_game(players=3, rules=make_rules(gap_seconds=0))
    deals = [drop_out(table), drop_out(table)]
    cache.delete("tables.fair.statistics")

    found = statistics.statistics()

    by_name = {place["name"]: place for place in found["places"]}
    assert found["deals"] == 2
    assert list(by_name) == ["p1", "p2", "p3", "up", "wild"]
    assert (by_name["p1"]["cards"], by_name["wild"]["cards"]) == (26, 2)
    hands = [fold_of(deal).state.seats[0].hand for deal in deals]
    assert by_name["p1"]["jokers"] == sum(str(card) == "PJ" for hand in hands for card in hand)
    assert by_name["p1"]["jokers_expected"] == pytest.approx(26 * 2 / 106)
    assert "tables_deal" in found["query"]
    page = client.get(reverse("dealt"))
    assert b"The latest 2 finished deals" in page.content
    assert deals[0].reveal.server_seed.encode() not in page.content


def test_an_installation_without_deals_has_a_page(client):
    cache.delete("tables.fair.statistics")

    assert client.get(reverse("dealt")).status_code == 200


def test_a_loaded_deck_is_noticed():
    fair = dict.fromkeys(statistics.KINDS, 100)
    loaded = statistics.Counter(fair | {"AS": 200})

    assert statistics.place_of("p1", statistics.Counter(fair), 0, 0)["chance"] > 0.99
    assert statistics.place_of("p1", loaded, 0, 0)["chance"] < 0.01
