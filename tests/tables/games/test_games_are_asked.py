"""Differences between games are methods of their objects; no other code compares game names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rummy import ALL_PROFILES
from tables.games import GAMES, PROFILES, game_of

ROOT = Path(__file__).parents[3]
LOOKED_AT = ("core", "players", "wallet", "tables", "tournaments", "finance", "staff", "devtools")
# The games themselves, and the columns with the constraints and filters in SQL that need them.
MAY_LOOK = ("tables/games/", "tables/models/", "tables/migrations/")
QUESTIONS = {
    "the name in the rules": r"rules(_of\(.*\))?\.game\b",
    "a game's name": r"[!=]= *\"(pool|points|deals|target|rounds)\""
    r"|\bin \(.*\"(pool|points|deals)\"",
    "the rules of one game": r"\b(if|or|and|not) +\w*\.?rules\.(limit|deals|chips)\b"
    r"|rules\.(limit|deals|chips) +(is|[!=<>]=?)",
    "the price of a point": r"\bpoint_value_minor *([<>!=]=|[<>]|or\b|and\b|if\b)"
    r"|\b(if|not|or|and) +[\w.]*point_value_minor|point_value_minor(__|=0\b)|is_open_ended",
    "the family": r"family *[!=]= *\"|isinstance\(.*\b(Straight)?Rules\b",
    "the folder of a game": r"tables\.games\.(pool|points|deals|straight|thirteen)"
    r"|from tables\.games import .*\b(pool|points|deals|Pool|Points|Deals)\b",
    "the class of a game": r"isinstance\(.*\b(Pool|Points|Deals)\b",
    "the game in a template": r"{% *(if|elif) [^%]*(\bgame [!=]=|is_open_ended)",
}
EXAMPLES = {
    "the name in the rules": 'if rules_of(table.profile).game == "points":',
    "a game's name": 'return self.game != "points"',
    "the rules of one game": "return 0 if rules.limit else 1",
    "the price of a point": "minor = table.point_value_minor or table.entry_minor",
    "the family": 'if rules.family == "straight":',
    "the folder of a game": "from tables.games.points import idle",
    "the class of a game": "isinstance(game, Points)",
    "the game in a template": '{% if view.game == "pool" %}',
}


def places(pattern: str) -> list[str]:
    files = [path for app in LOOKED_AT for path in (ROOT / app).rglob("*.py")]
    files += (ROOT / "templates").rglob("*.html")
    return [
        f"{name}:{number}: {line.strip()}"
        for path in files
        if not (name := path.relative_to(ROOT).as_posix()).startswith(MAY_LOOK)
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if re.search(pattern, line)
    ]


@pytest.mark.extended
@pytest.mark.parametrize("question", QUESTIONS)
def test_no_code_compares_the_name_of_a_game(question):
    assert re.search(QUESTIONS[question], EXAMPLES[question]), "the pattern finds what it forbids"
    assert places(QUESTIONS[question]) == []


@pytest.mark.extended
def test_every_rules_profile_has_its_game():
    assert PROFILES == ALL_PROFILES
    played = {game_of(rules).name for rules in PROFILES.values()}
    assert played == set(GAMES) - {"rounds"}  # No profile of the library sets rounds.


# Where straight rummy is named outside `rummy/`, its folder and its page parts, and why.
KNOWS_STRAIGHT = {
    "tables/games/__init__.py": "its two games in the list of all",
    "templates/tables/table.html": "its script and its style, with its tables alone",
    "templates/rules/how_to_play.html": "a link to its lesson",
    "static/js/deal_file.js": "its rules, read from a file of a deal",
    "static/js/fair_deal.js": "its deck and its hands, worked out again in the browser",
    "devtools/management/commands/simulate.py": "its name as a variant to simulate",
}
OFFERED_BY_THE_DEMO = {
    "devtools/demo_site/players_and_tables.py",
    "devtools/demo_site/tournaments.py",
    "devtools/sample_data/unfinished.py",
}
# Its name alone, for the catalogues of the languages.
MARKED_FOR_TRANSLATION = {"tables/state/rules.py", "static/js/elements.js"}
# The page of measured numbers names every game that was measured.
MEASURED = {"tables/lobby/numbers/games.py", "tables/lobby/numbers/figures.py"}
ITS_OWN = ("tables/games/straight/", "static/js/straight/", "static/css/straight.css")
COMMENT = re.compile(r"^\s*(#|//|/\*|\*|{#)")


def test_a_game_is_one_folder_and_six_files_that_name_it():
    roots = [ROOT / name for name in (*LOOKED_AT, "static/js", "static/css", "templates")]
    files = [
        p for root in roots for kind in ("py", "html", "js", "css") for p in root.rglob(f"*.{kind}")
    ]

    naming = {
        name
        for path in files
        if not (name := path.relative_to(ROOT).as_posix()).startswith(ITS_OWN)
        for line in path.read_text().splitlines()
        if "straight" in line.lower() and not COMMENT.match(line)
    }

    assert naming == KNOWS_STRAIGHT.keys() | OFFERED_BY_THE_DEMO | MARKED_FOR_TRANSLATION | MEASURED
    assert len(KNOWS_STRAIGHT) <= 6
