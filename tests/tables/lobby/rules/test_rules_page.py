"""The rules page shows the numbers of the game; its calculator pays what a pool pays."""

import html
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Literal, get_args, get_origin

import pytest
from django.urls import reverse

import rummy
from rummy import AnyRules, Rules, RulesError
from rummy.notation.house_rules import kinds_of
from tables.games import PROFILES, game_of
from tables.lobby.rules.rules_page import rules_page
from tables.lobby.table_templates import profiles
from tests.amounts import first
from tests.builders.tables.making import make_game, make_table

POOL = PROFILES["total-rummy-pool-101"].with_(players_max=5)
STRAIGHT = PROFILES["straight"]
# With these all fields can be changed alone.
BASES = [
    *PROFILES.values(),
    POOL,
    POOL.with_(split=False, auto_split=False),
    STRAIGHT.with_(ace_points=15),
    STRAIGHT.with_(aces="both", ace_points=15),
    STRAIGHT.with_(game="rounds", target=None, rounds=3),
]
# What a page must state, for those a reader has checked; one that is added may do without.
BY_HAND = {
    "total-rummy-pool-101": ["20 points", "40 points", "reach 101", "than 79 points"],
    "total-rummy-pool-201": ["25 points", "50 points", "reach 201", "than 174 points"],
    "total-rummy-best-of-6": ["6 deals are played", "480 chips", "20 points"],
    "vengala-points": [
        "From 5 players on",
        "at most one joker",
        "10 points",
        "hand costs 80 points",
    ],
    "vengala-pool-101": ["reach 101", "There are no rejoins", "never split", "10 points"],
    "straight": [
        "reaches 100 points",
        "3 times in a deal",
        "or without a discard",
        "2 players get 10 cards each",
        "3 or 4 players get 7 cards each",
        "5 or 6 players get 6 cards each",
    ],
    "vip-straight": ["reaches 150 points", "once in a deal", "must be discarded", "2 to 4 players"],
}


OF_EVERY_GAME = [
    "spades come before hearts, hearts before diamonds, diamonds before clubs",
    "The highest card leads; the lowest deals and plays last.",
    "In the next deal the seat that led deals",
    "If hands are equal, the player earlier in turn order wins",
    "Closing the browser does not leave the table",
]
OF_A_FAMILY = {
    "thirteen": [
        "If a printed joker is turned up, aces are the wild cards",
        "the last player wins the deal without declaring",
        "A declaration is judged as sent",
        "With two sequences, one of them pure",
        "only the cards outside groups count",
    ],
    "straight": [
        "cards on the table stay in their meld",
        "The winner of a deal scores the cards left in all other hands",
        "doubles the others' points",
        "A deal ends after 300 turns; the lowest hand wins",
        "Tied leaders play on",
    ],
}
OF_A_GAME = {
    "pool": ["who leave a pool are out at any total", "If all players go out in the same deal"],
    "deals": ["who leave forfeit their entry", "If a game is cancelled before a deal"],
    "target": ["the cards in that hand count at its end", "who leave forfeit their entry"],
    "points": [
        "there is a new toss",
        "10 times the smallest",
        "paid out when that deal is settled",
    ],
}


def text_of(rules: Rules) -> str:
    page = rules_page(rules)
    return " ".join(sentence for section in page.sections for sentence in section.sentences)


@pytest.mark.django_db
@pytest.mark.parametrize("name", first(6, PROFILES))
def test_every_profile_is_written_out_with_its_numbers(client, name):
    page = client.get(reverse("rules", args=[name]))

    assert page.status_code == 200
    rules = PROFILES[name]
    players = f"{rules.players_min} to {rules.players_max} players"
    of_these = [players, *BY_HAND.get(name, []), *OF_A_FAMILY[rules.family]]
    of_these += OF_A_GAME.get(rules.game, [])
    written = html.unescape(page.content.decode())
    for text in [*OF_EVERY_GAME, *of_these]:
        assert text in written


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("total-rummy-pool-101", "20 points if you have not drawn a card in it, else 40."),
        ("vengala-points", "10 points if you have not drawn a card in it, else 30."),
        ("total-rummy-best-of-3", "Leaving in a deal costs 80 points at once."),
    ],
)
def test_leaving_costs_what_the_rules_say(name, text):
    assert text in text_of(PROFILES[name])


def test_the_list_of_rules_names_each_site_and_game_once(client):
    page = client.get(reverse("rules-index")).content.decode()

    titles = re.findall("<h2>(.*?)</h2>", page)
    assert len(titles) == len(set(titles)) == len(PROFILES) + 2
    assert {"Total Rummy · Points", "RummyCentral · Points", "Vengala · Points"} <= set(titles)


def values_beside(rules: AnyRules, field: str) -> list[Any]:
    """Return other values of a field: all of a choice, the next ones of a number."""
    kind, now = kinds_of(type(rules))[field], getattr(rules, field)
    if kind is bool:
        return [not now]
    if get_origin(kind) is Literal:
        return [each for each in get_args(kind) if each != now]
    return [(now or 0) + 1, (now or 2) - 1, (now or 0) + 60]


def changes_of(family: str, field: str) -> Iterator[tuple[AnyRules, AnyRules]]:
    """Yield rules of a family beside the same with another value of the field."""
    for base in BASES:
        for value in values_beside(base, field) if base.family == family else ():
            with suppress(RulesError):
                yield base, base.with_(**{field: value})


FIELDS = [
    (rules.family, field)
    for rules in (POOL, STRAIGHT)
    for field in rules.to_dict()
    if field not in {"name", "version", "family", "game"}
]


@pytest.mark.parametrize(("family", "field"), FIELDS)
def test_every_rule_changes_the_text(family, field):
    compared = [text_of(rules) != text_of(changed) for rules, changed in changes_of(family, field)]

    assert any(compared), f"{len(compared)} changes of {field} are not in the text"


@pytest.mark.parametrize("limit", [61, 101, 201])
def test_bands_hold_every_total_of_a_pool_with_its_drops(limit):
    rules = PROFILES[f"total-rummy-pool-{limit}"]

    bands = game_of(rules).figures(rules).bands

    totals = [total for band in bands for total in range(band.low, band.high + 1)]
    assert totals == list(range(limit))
    for band in bands:
        for total in (band.low, band.high):
            assert rummy.pool.drops_left(total, rules) == band.drops


@pytest.mark.django_db
def test_a_stored_version_is_read_as_it_was_and_the_latest_by_default(client):
    profiles.register_profile(POOL.with_(name="our-rules"))
    profiles.register_version(POOL.with_(name="our-rules", first_drop=22))
    address = reverse("rules", args=["our-rules"])

    assert "costs 22 points" in client.get(address).content.decode()
    assert "costs 20 points" in client.get(f"{address}?version=1").content.decode()
    assert "version 2" in client.get(address).content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize(
    "address",
    [
        "/rules/nobodys/",
        "/rules/total-rummy-points/?version=9",
        "/rules/total-rummy-points/?version=x",
        "/how-to-play/?rules=nothing",
    ],
)
def test_page_of_unknown_rules_or_version_is_not_found(client, address):
    assert client.get(address).status_code == 404


@pytest.mark.django_db(transaction=True)
def test_lobby_rows_and_tables_lead_to_their_rules(client):
    make_table()
    game = make_game()
    client.force_login(game.seats.first().player)

    lobby = client.get(reverse("lobby")).content.decode()
    table = client.get(reverse("table", args=[game.public_id])).content.decode()

    address = reverse("rules", args=[game.profile.name])
    for page in (lobby, table):
        assert f'href="{address}?version=1"' in page
    assert client.get(f"{address}?version=1").status_code == 200


def split(client, **changed):
    asked = {"profile": "total-rummy-pool-101", "scores": "20, 55, 92", "started": "5"}
    asked |= {"entries": "7", "entry": "100", "rake": "10"}
    return client.get(reverse("rules-split"), asked | changed).content.decode()


@pytest.mark.parametrize(
    ("asked", "shares"),  # `tests/rummy/money/test_pool.py` has every figure of RB 7.8.
    [
        ({}, ["390.00", "210.00", "30.00"]),
        ({"scores": "40 81"}, ["450.00", "180.00"]),
        ({"scores": "85,90,99", "entry": "250", "rake": "12"}, ["513.34", "513.33", "513.33"]),
    ],
)
def test_the_calculator_pays_what_the_rulebook_pays(client, asked, shares):
    page = split(client, **asked)

    assert [part.partition("<")[0] for part in page.split("<li><strong>")[1:]] == shares


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ({}, "20 points, 4 drops left: 4 × 90.00 = 360.00, and 30.00 of the rest"),
        ({"scores": "1, 80", "started": "4", "entries": "5"}, "1 point, 4 drops left"),
        ({"scores": "1, 80", "started": "4", "entries": "5"}, "80 points, 1 drop left"),
    ],
)
def test_the_arithmetic_is_written_out(client, asked, text):
    assert text in split(client, **asked)


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ({"scores": "10, 20, 30, 40"}, "A split needs 2 or 3 players left"),
        ({"scores": "0, 99", "started": "4", "entries": "4"}, "less than one net entry"),
        ({"profile": "vengala-pool-101"}, "These rules do not allow a split"),
        ({"scores": "10, 101"}, "Enter totals below 101"),
        ({"started": "2"}, "Enter at least the number of players left."),
        ({"scores": "ten"}, "Enter whole numbers"),
        ({"entries": "3"}, "the number of players who started"),
        ({"entry": "0"}, "greater than or equal to 0.01"),
        ({"rake": "100.5"}, "less than or equal to 100"),
        ({"profile": "chess"}, "not one of the available choices"),
        ({"scores": ""}, "This field is required"),
    ],
)
def test_impossible_split_is_explained(client, asked, text):
    page = split(client, **asked)

    assert text in page
    assert "<li><strong>" not in page
