"""The page of the game's numbers states the numbers of the files, with intervals and guesses."""

import csv
import html
import re
from pathlib import Path

import pytest
from django.urls import reverse

from rummy.numbers.files import FOLDER
from tables.lobby.numbers import figures
from tables.lobby.numbers.figures import GUESSES

PAGE = "rules-numbers"


@pytest.fixture(autouse=True)
def _fresh():
    """Read the files again in each test, and after it."""
    for one in (figures.measured, figures.commands):
        one.cache_clear()
    yield
    for one in (figures.measured, figures.commands):
        one.cache_clear()


def text_of(markup):
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", markup)).split())


def page_of(client, query=""):
    return client.get(reverse(PAGE) + query).content.decode()


def rows_of(page, title):
    """Return the texts of a table's rows by their headings; the table is named by its caption."""
    captioned = re.compile(rf"{re.escape(title)}( [\d,]+ \w+)?")
    named = [
        table
        for table in re.findall(r"<table.*?</table>", page, re.DOTALL)
        if captioned.fullmatch(text_of(re.search(r"<caption.*?</caption>", table, re.DOTALL)[0]))
    ]
    found = {}
    if not named:
        return found
    [table] = named
    body = re.search(r"<tbody>.*?</tbody>", table, re.DOTALL)[0]
    for row in re.findall(r"<tr>.*?</tr>", body, re.DOTALL):
        heading, *cells = re.split(r"</t[hd]>", row)
        found[text_of(heading)] = [text_of(cell) for cell in cells]
    return found


def line_of(table, cell, group, measure, folder=FOLDER):
    """Return value, ends and samples of one line of a CSV file; None if it is not there."""
    for row in csv.DictReader((folder / f"{table}.csv").open(encoding="utf-8")):
        if (row["cell"], row["group"], row["measure"]) == (cell, group, measure):
            return [float(row[name]) for name in ("value", "low", "high", "samples")]
    return None


RULES = "total-rummy-points"
POINTS = RULES + ", {} seats, greedy"


@pytest.mark.parametrize(
    ("title", "row", "line", "factor"),
    [
        ("Points of a dealt hand", "Total Rummy", ("dealt", "total-rummy", "all", "points"), 1),
        (
            "Hands with both sequences, in percent",
            "Vengala, 3 decks",
            ("dealt", "vengala-3-decks", "all", "both"),
            100,
        ),
        ("2 players", "Turn 5", ("played-on", POINTS.format(2), "turn 5", "held"), 1),
        (
            "The last seat wins, in percent of deals",
            "4 players",
            ("played-on", POINTS.format(4), "seat 4", "won"),
            100,
        ),
        (
            "Pools with a rejoin, in percent",
            "Pool 101, 6 players",
            ("pools", "total-rummy-pool-101, 6 seats, greedy", "pool", "rejoined"),
            100,
        ),
        (
            "Losers that dropped, in percent",
            "5 players",
            ("points-tables", POINTS.format(5), "loser", "dropped"),
            100,
        ),
        (
            "Dealt hands with a meld, in percent",
            "3 players",
            ("straight", "3 seats, greedy", "dealt", "meld"),
            100,
        ),
    ],
)
def test_rows_of_plots_are_lines_of_the_files(client, title, row, line, factor):
    line_found = line_of(*line)

    rows = rows_of(page_of(client), title)

    heading = next((name for name in rows if name == row or name.startswith(f"{row} ")), None)
    if line_found is None:  # A cell that is still to be measured.
        assert heading is None
        return
    value, low, high, samples = line_found
    text = f"{value * factor:.1f} {low * factor:.1f} to {high * factor:.1f}"
    guess = GUESSES.get(line)
    assert rows[heading][1] == (text if guess is None else f"{text} guess: {guess:.1f}")
    assert f"{samples:,.0f}" in heading or f"{samples:,.0f}" in text_of(page_of(client))


def test_every_measured_number_of_a_plot_has_its_row(client):
    lines = csv.DictReader((FOLDER / "played-on.csv").open(encoding="utf-8"))
    turns = [
        line["cell"]
        for line in lines
        if (line["group"], line["measure"]) == ("deal", "turns")
        and line["cell"].startswith("total-rummy-points")
    ]

    assert len(rows_of(page_of(client), "Turns of the winner")) == len(turns)


@pytest.mark.parametrize("drop", [20, 10, 25])
def test_verdicts_compare_the_whole_interval_with_the_price_of_a_drop(client, drop):
    rows = rows_of(page_of(client, f"?drop={drop}"), "Points table, nobody drops")

    seen = set()
    named = {"0 jokers": "No joker", "1 jokers": "1 joker", "2 jokers": "2 jokers"}
    for jokers, name in named.items():
        cells = rows[f"{name}, no pure sequence"]
        for players, text in zip(range(2, 7), cells, strict=False):
            group = f"hand {jokers}, no pure"
            line = line_of("played-on", POINTS.format(players), group, "net")
            value, low, high, deals = line
            verdict = "Drop" if high < -drop else "Play on" if low > -drop else "Either"
            numbers = f"{value:.1f} ({low:.1f} to {high:.1f})".replace("-", "−")
            assert text == f"{verdict} {numbers} {deals:,.0f} deals"
            seen.add(verdict)
    assert seen >= {"Drop", "Play on"}


def test_table_of_drops_names_the_seats_that_drop(client):
    dropped = {}
    for line in csv.DictReader((FOLDER / "first-drops.csv").open(encoding="utf-8")):
        name, held = line["cell"], line["group"].partition(", ")[2]
        if line["measure"] == "drops" and name.endswith("drop 20"):
            seat = line["group"].split(",")[0].removeprefix("position ")
            dropped.setdefault((int(name.split()[1]), held), []).append(seat)

    rows = rows_of(page_of(client), "Hands to drop in the first turn; play on with all others")

    for held, title in (
        ("0 jokers, no pure", "No joker, no pure sequence"),
        ("0 jokers, pure only", "No joker, only a pure sequence"),
        ("1 jokers, no pure", "1 joker, no pure sequence"),
    ):
        for players, text in zip(range(2, 7), rows[title], strict=False):
            seats = sorted(dropped.get((players, held), []))
            if len(seats) in {0, players}:
                assert text == ("Drop" if seats else "Play on")
            else:
                assert re.fullmatch(rf"Drop seats? {', '.join(seats)}", text)


@pytest.mark.parametrize("players", range(2, 7))
def test_drops_are_shown_by_seat_for_every_number_of_players(client, players):
    name, group = f"{RULES}, {players} seats, drop 20", f"position {players}, 1 jokers, no pure"
    value, low, high, deals = line_of("first-drops", name, group, "net")

    title = f"{players} players by seat, others drop by the same table"
    cells = rows_of(page_of(client), title)["1 joker, no pure sequence"]

    assert len(cells) == players + 1  # A row ends with an empty text.
    text = f"{value:.1f} ({low:.1f} to {high:.1f}) {deals:,.0f} deals".replace("-", "−")
    assert cells[-2].endswith(text)


@pytest.mark.parametrize(
    ("ends", "answer"),
    [((9000, 9900), "Decline"), ((9900, 10100), "Either"), ((10100, 11000), "Rejoin")],
)
def test_rejoins_are_compared_with_their_price(client, tmp_path, monkeypatch, ends, answer):
    monkeypatch.setattr(figures, "FOLDER", tmp_path)
    header = Path(FOLDER / "pools.csv").read_text(encoding="utf-8").splitlines()[0]
    start = '"total-rummy-pool-101, 4 seats, greedy","rejoined 2, 1 drops left"'
    low, high = ends
    middle = sum(ends) / 2
    lines = [
        f"{start},prize,40,50,2100.0,1700.0,2500.0",
        f"{start},returned,40,50,{middle},{low},{high}",
    ]
    (tmp_path / "pools.csv").write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")

    [[heading, cells]] = rows_of(page_of(client), "Is a rejoin worth its price?").items()

    assert heading == "Pool 101, 4 players; 2 others left, drops left: 1"
    text = f"{middle / 100:.1f} {low / 100:.1f} to {high / 100:.1f}"
    assert cells == [answer, text, "21.0 17.0 to 25.0", "40", ""]


def test_page_follows_other_files_and_needs_none(client, tmp_path, monkeypatch):
    monkeypatch.setattr(figures, "FOLDER", tmp_path)
    assert "<tbody></tbody>" not in page_of(client)
    assert "guess made without the measurement" in page_of(client)

    figures.measured.cache_clear()
    header = Path(FOLDER / "straight.csv").read_text(encoding="utf-8").splitlines()[0]
    line = '"4 seats, strong",deal,turns,1234567,1,5.250000,4.949000,5.551000'
    (tmp_path / "straight.csv").write_text(f"{header}\n{line}\n", encoding="utf-8")
    [[heading, cells]] = rows_of(page_of(client), "Turns of a deal 1,234,567 deals").items()
    assert (heading, cells[1]) == ("4 players (strong bots)", "5.2 4.9 to 5.6 guess: 7.0")


def test_prices_of_drops_are_those_of_the_page(client):
    assert client.get(reverse(PAGE) + "?drop=11").status_code == 404


def test_guesses_are_those_of_the_document():
    text = Path("docs/numbers.md").read_text(encoding="utf-8")

    for guess in GUESSES.values():
        assert re.search(rf"\b{guess:g}(0|\.0)?\b", text), guess


@pytest.mark.parametrize("name", ["rules-index", "how-to-play", "help", "lobby"])
def test_pages_of_rules_help_and_lobby_link_to_the_numbers(client, db, name):
    main = client.get(reverse(name)).content.decode().split("<main")[1].split("</main>")[0]

    assert f'href="{reverse(PAGE)}"' in main
