"""Games that tests of every room of the tables start from."""

from tests.builders.tables.making import make_game
from tests.builders.tables.shared import shared


@shared
def game_of_two():
    return make_game(players=2)


@shared
def game_of_three():
    return make_game(players=3)
