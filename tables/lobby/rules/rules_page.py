"""The rules as text; every number comes from the rules profile."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext as _

from core.text_validation import named
from rummy import AnyRules
from tables.games import game_of
from tables.games.cards import Band
from tables.games.game import Game
from tables.state.rules import title_of, variant_name


@dataclass(frozen=True, slots=True)
class Section:
    title: str
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RulesPage:
    name: str
    version: int
    title: str
    is_split_offered: bool
    sections: tuple[Section, ...]
    bands: tuple[Band, ...]


def rules_page(rules: AnyRules) -> RulesPage:
    """Return the rules as sections of sentences, and for a pool its bands of drops left."""
    game = game_of(rules)
    figures = game.figures(rules)
    titles_and_text = [
        (_("Players and cards"), game.cards_text(rules)),
        (_("The toss"), _toss(game)),
        *game.sections_of_play(rules),
        (_("Leaving"), _leaving(rules, game)),
        (named(variant_name(rules)), game.rules_text(rules)),
        (_("Time"), game.time_text(rules)),
    ]
    return RulesPage(
        name=rules.name,
        version=rules.version,
        title=title_of(rules),
        is_split_offered=figures.split or figures.auto_split,
        sections=tuple(Section(title, tuple(words)) for title, words in titles_and_text),
        bands=figures.bands,
    )


def _toss(game: Game) -> Iterator[str]:
    yield _(
        "Every player draws one card of one pack of 52, ace high. Of equal ranks spades come "
        "before hearts, hearts before diamonds, diamonds before clubs."
    )
    yield _("The highest card leads; the lowest deals and plays last.")
    yield _("In the next deal the seat that led deals, and the next one still in the game leads.")
    yield from game.toss_text()


def _leaving(rules: AnyRules, game: Game) -> Iterator[str]:
    yield from game.text_before_leaving()
    yield from game.leaving_a_deal_text(rules)
    yield from game.leaving_text()
    yield _("Closing the browser does not leave the table: your turns time out until you are back.")
