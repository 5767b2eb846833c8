"""How to play: pictures and numbers match the rules."""

import dataclasses

import pytest
from django.conf import settings
from django.urls import reverse
from django.utils import translation

import rummy
from rummy import (
    IllegalMove,
    Kind,
    Rules,
    StraightRules,
    check_declaration,
    judge_group,
    parse_cards,
)
from rummy.straight import HOUSE_RULES
from rummy.straight.melds import fitting, laid_out
from tables.games import PROFILES
from tables.games.straight import lesson as straight
from tables.games.thirteen import lesson
from tables.games.thirteen.lesson import points_of
from tests.builders.tables.making import make_table

THIRTEEN = [rules for rules in PROFILES.values() if isinstance(rules, Rules)]


def groups_in(cards):
    return [parse_cards(text) for text in cards.partition("/")[0].split("|") if text.strip()]


@pytest.mark.parametrize("rules", THIRTEEN, ids=lambda rules: rules.name)
def test_every_picture_matches_its_caption(rules):
    kinds = {lesson.PURE: Kind.PURE_SEQUENCE, lesson.SEQUENCE: Kind.SEQUENCE, lesson.SET: Kind.SET}
    for cards, kind in kinds.items():
        verdict = judge_group(parse_cards(cards), wild=lesson.WILD, rules=rules)
        assert (verdict.is_valid, verdict.kind) == (True, kind), cards
    for part in lesson.lesson(rules).parts:
        for picture in part.pictures if part.name in ("groups", "jokers") else ():
            (group,) = groups_in(picture.cards)
            is_group = judge_group(group, wild=lesson.WILD, rules=rules).is_valid
            assert len(group) == 1 or is_group is picture.is_good, picture
    shown, wrong = groups_in(lesson.SHOWN), groups_in(lesson.NOT_PURE)
    assert check_declaration(shown, wild=lesson.WILD, rules=rules).valid
    assert not check_declaration(wrong, wild=lesson.WILD, rules=rules).valid


@pytest.mark.parametrize("rules", THIRTEEN, ids=lambda rules: rules.name)
def test_the_examples_cost_what_the_rules_say(rules):
    assert points_of(lesson.LOSING, rules) == (45, 45)
    assert points_of(lesson.NOT_PURE, rules) == (rules.cap, 92)


def texts(rules):
    return " ".join(sentence for part in lesson.lesson(rules).parts for sentence in part.sentences)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("total-rummy-pool-101", ["costs 20 points, later 40", "With 101 or more", "have 56"]),
        (  # RB 1.4, 5.4: a missed turn before any card is drawn leaves the first drop.
            "total-rummy-pool-101",
            ["After the deal one card is turned up.", "Before you have drawn any card in the deal"],
        ),
        ("total-rummy-pool-61", ["costs 15 points, later 30", "With 61 or more", "have 16"]),
        ("vengala-points", ["costs 10 points, later 30", "at most one joker"]),
        ("total-rummy-best-of-3", ["3 deals, and 240 chips", "leaves you 195 of 240"]),
    ],
)
def test_numbers_are_those_of_the_profile(name, said):
    with translation.override("en"):
        found = texts(PROFILES[name])

    assert [words for words in said if words not in found] == []
    assert ("Dropping" in str(lesson.lesson(PROFILES[name]).parts)) is PROFILES[name].drops_allowed


def test_one_point_of_a_drop_or_a_wrong_show_is_in_the_singular():
    changes = {"first_drop": 1, "middle_drop": 1, "cap": 1}
    found = texts(PROFILES["total-rummy-points"].with_(**changes))

    assert "costs 1 point, later 1." in found
    assert "it is a wrong show and costs 1 point." in found


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("language", "rules", "text", "cards"),
    [
        ("en", {}, "<h1>How to play</h1>", 60),
        ("hi", {}, "<h1>कैसे खेलें</h1>", 60),
        ("en", {"rules": "vip-straight"}, "Laying off", 30),
        ("hi", {"rules": "vip-straight"}, "पत्ते जोड़ना", 30),
    ],
)
def test_lesson_is_shown_in_the_readers_language(client, language, rules, text, cards):
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = language

    page = client.get(reverse("how-to-play"), rules)

    assert text in page.text
    assert page.text.count('class="card') > cards
    for linked_from in ("landing", "lobby"):
        assert reverse("how-to-play") in client.get(reverse(linked_from)).text


STRAIGHT = [rules for rules in PROFILES.values() if isinstance(rules, StraightRules)]
OPEN = [*STRAIGHT, *(STRAIGHT[-1].with_(**change) for change in HOUSE_RULES.values())]


def is_meld(cards, rules):
    try:
        laid_out(cards, rules)
    except IllegalMove:
        return False
    return True


@pytest.mark.parametrize("rules", OPEN)
def test_every_meld_of_the_straight_lesson_matches_its_caption(rules):
    (melds,) = [part for part in straight.lesson(rules).parts if part.name == "melds"]
    for picture in melds.pictures:
        assert is_meld(parse_cards(picture.cards), rules) is picture.is_good, picture
    for part in straight.lesson(rules).parts:
        for picture in part.pictures if part.name in ("goal", "going-out", "laying-off") else ():
            assert all(is_meld(group, rules) for group in groups_in(picture.cards)), picture
    (four,) = parse_cards("4H")
    assert four in fitting(laid_out(parse_cards(straight.RUN), rules), rules)
    assert straight.points_of(straight.LOSING, rules) == 22 + rules.ace_points


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"may_discard_taken": False}, "may not be discarded in the same turn"),
        ({"must_discard_last": True}, "the last one must be discarded"),
        ({"lay_off_before_meld": False}, "must have laid a meld before you may lay off"),
        ({"max_melds_per_turn": 1}, "at most: 1"),
        ({"rummy_bonus": 10}, "adds 10 points"),
        ({"rummy_bonus": 10, "scoring": "penalty"}, "takes 10 points off your own total"),
        ({"scoring": "penalty"}, "count against you"),
        ({"ace_points": 15}, "the ace 15"),
        ({"target": 250}, "250"),
    ],
)
def test_lesson_of_straight_rummy_follows_the_rules(change, said):
    def words(rules):
        return " ".join(text for part in straight.lesson(rules).parts for text in part.sentences)

    assert said in words(STRAIGHT[-1].with_(**change))
    assert said not in words(STRAIGHT[-1])


@pytest.mark.django_db
@pytest.mark.parametrize("name", sorted(rummy.ALL_PROFILES))
def test_every_profile_is_read_without_signing_in(client, name):
    answer = client.get(f"/api/v1/rules/{name}/")

    assert answer.json() == dataclasses.asdict(rummy.ALL_PROFILES[name])


@pytest.mark.django_db
def test_a_table_s_rules_are_those_of_its_version(client):
    pool = rummy.PROFILES["total-rummy-pool-101"]
    for version, points in ((1, 15), (2, 25)):
        make_table(rules=pool.with_(name="club-pool", version=version, first_drop=points))

    def first_drop(**query):
        return client.get("/api/v1/rules/club-pool/", query).json()["first_drop"]

    assert (first_drop(version=1), first_drop(version=2), first_drop()) == (15, 25, 25)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("rules/nobodys/", 404, "not_found"),
        ("rules/straight%00/", 404, "not_found"),
        ("rules/straight/?version=7", 404, "not_found"),
        ("rules/straight/?version=0", 400, "bad_parameter"),
        ("rules/straight/?version=last", 400, "bad_parameter"),
    ],
)
def test_unknown_rules_answer_not_found(client, path, status, code):
    answer = client.get(f"/api/v1/{path}")

    assert (answer.status_code, answer.json()["code"]) == (status, code)
