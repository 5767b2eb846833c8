from tables.selectors.history import games_of, score_sheet
from tables.selectors.lobby import lobby_rows
from tables.selectors.shapes import as_json
from tables.selectors.table_view import table_view

__all__ = ["as_json", "games_of", "lobby_rows", "score_sheet", "table_view"]
