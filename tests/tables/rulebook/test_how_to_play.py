"""How to play: what the pictures call right is right by the rules, and every number is theirs."""

import pytest
from django.urls import reverse
from django.utils import translation

from rummy import Kind, Rules, check_declaration, judge_group, parse_cards
from tables.games import PROFILES
from tables.rulebook import how_to_play as lesson
from tables.rulebook.how_to_play import how_to_play, points_of

THIRTEEN = [rules for rules in PROFILES.values() if isinstance(rules, Rules)]


def groups_in(cards):
    return [parse_cards(text) for text in cards.partition("/")[0].split("|") if text.strip()]


@pytest.mark.parametrize("rules", THIRTEEN, ids=lambda rules: rules.name)
def test_every_picture_is_what_it_is_said_to_be(rules):
    kinds = {lesson.PURE: Kind.PURE_SEQUENCE, lesson.SEQUENCE: Kind.SEQUENCE, lesson.SET: Kind.SET}
    for cards, kind in kinds.items():
        verdict = judge_group(parse_cards(cards), wild=lesson.WILD, rules=rules)
        assert (verdict.is_valid, verdict.kind) == (True, kind), cards
    for part in how_to_play(rules).parts:
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
    return " ".join(sentence for part in how_to_play(rules).parts for sentence in part.sentences)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("total-rummy-pool-101", ["costs 20 points, later 40", "With 101 or more", "have 56"]),
        ("total-rummy-pool-61", ["costs 15 points, later 30", "With 61 or more", "have 16"]),
        ("vengala-points", ["costs 10 points, later 30", "at most 1 of them"]),
        ("total-rummy-best-of-3", ["3 deals, and 240 chips", "leaves you 195 of 240"]),
    ],
)
def test_numbers_are_those_of_the_profile(name, said):
    with translation.override("en"):
        found = texts(PROFILES[name])

    assert [words for words in said if words not in found] == []
    assert ("Dropping" in str(how_to_play(PROFILES[name]).parts)) is PROFILES[name].drops_allowed


@pytest.mark.django_db
@pytest.mark.parametrize("language", ["en", "hi"])
def test_everybody_reads_it_in_their_language(client, settings, language):
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = language

    page = client.get(reverse("how-to-play"))

    title = {"en": "How to play", "hi": "कैसे खेलें"}[language]
    assert f"<h1>{title}</h1>" in page.text
    assert page.text.count('class="card') > 60
    assert reverse("how-to-play") in client.get(reverse("landing")).text
    assert reverse("how-to-play") in client.get(reverse("lobby")).text


@pytest.mark.django_db
def test_rules_that_are_none_and_those_of_another_family_are_led_elsewhere(client):
    assert client.get(reverse("how-to-play"), {"rules": "nothing"}).status_code == 404
    led = client.get(reverse("how-to-play"), {"rules": "straight"})
    assert led.url == reverse("rules", args=["straight"])
