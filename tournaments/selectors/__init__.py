from tournaments.selectors.detail import tournament_page
from tournaments.selectors.lists import currencies_played, tournament_rows
from tournaments.selectors.seats import ready_seat
from tournaments.selectors.shapes import as_json
from tournaments.selectors.standings import standings

__all__ = [
    "as_json",
    "currencies_played",
    "ready_seat",
    "standings",
    "tournament_page",
    "tournament_rows",
]
