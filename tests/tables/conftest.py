"""Games that tests of every package of the tables start from."""

from tests.builders.tables.making import make_game
from tests.builders.tables.points_tables import make_points_game
from tests.builders.tables.pools import make_pool
from tests.builders.tables.shared import shared


@shared
def game_of_two():
    return make_game(players=2)


@shared
def game_of_three():
    return make_game(players=3)


@shared
def pool_of_three():
    return make_pool(players=3)


@shared
def pool_of_four():
    return make_pool(players=4)


@shared
def points_game_of_three():
    return make_points_game(players=3)
