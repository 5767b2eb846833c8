"""Games that tests of every room of the tables start from."""

from tests.builders.tables.shared import shared
from tests.builders.tables.tables import make_game


@shared
def game_of_two():
    return make_game(players=2)


@shared
def game_of_three():
    return make_game(players=3)
