from tables.selectors.history import game_row, games_of, score_sheet, variants_of
from tables.selectors.lobby import lobby_rows, private_row
from tables.selectors.shapes import as_json
from tables.selectors.table_view import table_view, table_views

__all__ = [
    "as_json",
    "game_row",
    "games_of",
    "lobby_rows",
    "private_row",
    "score_sheet",
    "table_view",
    "table_views",
    "variants_of",
]
