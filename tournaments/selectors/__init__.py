from tournaments.selectors.detail import tournament_page
from tournaments.selectors.lists import tournament_list
from tournaments.selectors.seats import ready_seat
from tournaments.selectors.shapes import as_json
from tournaments.selectors.standings import standings

__all__ = [
    "as_json",
    "ready_seat",
    "standings",
    "tournament_list",
    "tournament_page",
]
