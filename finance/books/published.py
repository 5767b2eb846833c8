"""Books for strangers: journal, games, deals and tax rates of a period, under pseudonyms.

`docs/examples/rebuild.py` computes the games' results and payments again from these files.
"""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from itertools import chain
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.db.models import prefetch_related_objects

from core.db.long_statements import long_statements
from core.keyed_hashes import keyed_hash
from finance.reports.frame.periods import Period
from finance.reports.frame.report import CHUNK, START, Question
from finance.reports.journal.beancount import balances
from finance.reports.journal.escrows import ended
from finance.reports.journal.journal import Line, lines_after
from tables.history.deal_file import history_text
from tables.integrity.scope import batched
from tables.models.deals import Deal
from tables.models.seats import Seat
from tables.models.tables import Table
from tables.settlement.game_record import GamePapers, GameRecord, papers_of, records_of
from tables.settlement.models import Window
from tournaments.leagues.closing import prize_ranks
from tournaments.leagues.models import Season
from tournaments.planning.models import Tournament
from wallet.ledger.models import Account, Transfer
from wallet.tax.models import TaxRate

JOURNAL: Final = (
    *("transfer", "kind", "day", "deal", "reverses", "account", "entry"),
    *("currency", "amount_minor", "balance_minor"),
)
MANIFEST: Final = "manifest.json"
GAMES_AT_ONCE: Final = 200


def pseudonym(player: UUID, day: date) -> str:
    """Return a player's name in the books of a period that ends on this day: another each month."""
    return keyed_hash(settings.SECRET_KEY, f"published books {day:%Y-%m} {player}")[:16]


def publish_books(*, period: Period, folder: Path) -> Iterator[Path]:
    """Write the books of a closed period into an empty folder; yield each file, the manifest last.

    The games are those whose money was paid out in the period, with all of their deals. Neither
    names, memos, payments' references nor times are written, except the times of deals.
    """
    (folder / "deals").mkdir(mode=0o700, parents=True)
    hashes = {}
    with long_statements():
        for name, parts in _files(Question.asked(period)):
            path, digest = folder / name, hashlib.sha256()
            with path.open("xb") as file:
                for part in parts:
                    digest.update(part)
                    file.write(part)
            hashes[name] = digest.hexdigest()
            yield path
    head = {"first": str(period.first or ""), "last": str(period.last), "files": hashes}
    path = folder / MANIFEST
    path.write_text(json.dumps(head, indent=1, sort_keys=True) + "\n")
    yield path


def _files(question: Question) -> Iterator[tuple[str, Iterable[bytes]]]:
    yield "rates.csv", _csv(_rates())
    yield "opening.csv", _csv(_opening(question))
    yield "journal.csv", _csv(_journal(question))
    escrows = ended(question).order_by().values("account")
    tournaments = Tournament.objects.filter(escrow_account__in=escrows).order_by("pk")
    of_tournaments = [tournament.owner_ref for tournament in tournaments]
    tables = Table.objects.filter(escrow_account__in=escrows)
    tables |= Table.objects.filter(owner_ref__in=of_tournaments)
    games = tables.select_related("profile").order_by("pk")
    day = question.period.last
    for deal in Deal.objects.revealed().filter(table__in=games).select_related("table__profile"):
        yield f"deals/{deal.table.public_id}-{deal.no}.txt", [_deal_file(deal, day)]
    seasons = Season.objects.filter(escrow_account__in=escrows, state=Season.State.CLOSED)
    rows = chain(
        _games(games, day),
        (_contest(one, day) for one in tournaments),
        (_season(one, day) for one in seasons.order_by("pk")),
    )
    yield "games.jsonl", ((json.dumps(row) + "\n").encode() for row in rows)


def _csv(rows: Iterable[Iterable[object]]) -> Iterator[bytes]:
    class Lines:
        def write(self, line: str) -> str:
            return line

    writer = csv.writer(Lines(), lineterminator="\n")
    return (str(writer.writerow(row)).encode() for row in rows)


def _rates() -> Iterator[Iterable[object]]:
    columns = ("tax", "currency", "payee", "starts_on", "treatment", "bps", "cess_bps")
    yield (*columns, "surcharges")
    for rate in TaxRate.objects.order_by("starts_on", "pk"):
        yield (*(getattr(rate, name) for name in columns), json.dumps(rate.surcharges))


def _opening(question: Question) -> Iterator[Iterable[object]]:
    yield "account", "currency", "balance_minor"
    for one in balances(question):
        account, player = one.account, one.account.player
        if one.opening_minor:
            own = account.kind, account.public_id, account.ref, account.shard
            name = _account(question.period.last, player.public_id if player else None, own)
            yield name, account.currency, one.opening_minor


def _journal(question: Question) -> Iterator[Iterable[object]]:
    yield JOURNAL
    after, numbers = START, dict[UUID, int]()
    while lines := lines_after(question.entries(), after, CHUNK):
        after = lines[-1].position
        for line in lines:
            number = numbers.setdefault(line.transfer, len(numbers) + 1)
            yield _entry(question, line, number, numbers)


def _entry(
    question: Question, line: Line, number: int, numbers: Mapping[UUID, int]
) -> Iterable[object]:
    own = line.account_kind, line.account, line.account_ref, line.account_shard
    # The key of a points deal's rake ends with the deal's number.
    deal = line.key.rpartition(":")[2] if line.kind == Transfer.Kind.RAKE else ""
    # A transfer of an earlier period has no number here.
    reverses = numbers.get(line.reverses, "earlier") if line.reverses else ""
    return (
        *(number, line.kind, line.booked_on, deal, reverses),
        *(_account(question.period.last, line.player, own), line.account_version),
        *(line.currency, line.amount_minor, line.balance_after_minor),
    )


def _account(day: date, player: UUID | None, own: tuple[str, UUID, str, int]) -> str:
    """Return an account's name; `own` are its kind, id, ref and shard."""
    kind, account, ref, shard = own
    if player is not None:
        name = f"{pseudonym(player, day)}/{kind}"
        return f"{name}-{str(account)[-12:]}" if kind == Account.Kind.TICKET else name
    return ref if kind == Account.Kind.ESCROW else f"{kind}/{shard}"


def _deal_file(deal: Deal, day: date) -> bytes:
    """Return the history file with pseudonyms in place of handles, and without its other notes."""
    first, *lines = history_text(deal).splitlines()
    places = deal.deal_seats.select_related("seat__player").order_by("position")
    seats = ", ".join(f"p{one.position} {_name(one.seat, day)}" for one in places)
    notes = [f"# table {deal.table.public_id}, deal {deal.no}", f"# {seats}"]
    kept = [first, *notes, *(line for line in lines if not line.startswith("#")), ""]
    return "\n".join(kept).encode()


def _name(seat: Seat, day: date) -> str:
    return pseudonym(seat.player.public_id, day)


def _games(games: Iterable[Table], day: date) -> Iterator[dict[str, Any]]:
    for tables in batched(games, GAMES_AT_ONCE):
        records, papers = records_of(tables), papers_of(tables)
        prefetch_related_objects([s for one in records.values() for s in one.seats], "player")
        for table in tables:
            yield _game(records[table.pk], papers[table.pk], day)


def _game(record: GameRecord, papers: GamePapers, day: date) -> dict[str, Any]:
    table = record.table
    numbers = {deal.pk: deal.no for deal in record.deals}
    seats = {seat.pk: seat for seat in record.seats}
    split = [one for one in papers.windows if one.kind == Window.Kind.SPLIT]
    rejoined = [out for out in record.eliminations if out.rejoined_at is not None]
    terms = ("currency", "stake_mode", "entry_minor", "rake_bps", "point_value_minor", "starters")
    return {
        "game": table.escrow_ref,
        "host": table.owner_ref,
        **{name: getattr(table, name) for name in terms},
        "stops_at": table.stop_at_survivors,
        "phase": table.phase,
        "ending": table.ending,
        "deals": max((deal.no for deal in record.deals if deal.started_at), default=0),
        "void": [deal.no for deal in record.deals if deal.status == Deal.Status.VOID],
        "seats": [[_name(seat, day), seat.number, *_left(seat, record)] for seat in record.seats],
        "extra_chips": {
            _name(seat, day): seat.extra_chips for seat in record.seats if seat.extra_chips
        },
        "rejoined": [[numbers[one.deal_id], _name(seats[one.seat_id], day)] for one in rejoined],
        "split": [numbers[one.deal_id] for one in split if one.outcome == Window.Outcome.ACCEPTED],
    }


def _left(seat: Seat, record: GameRecord) -> tuple[int, bool]:
    """Return the deal in or after which a seat was left, and whether in it; 0 if it was not."""
    if seat.left_at is None:
        return 0, False
    begun = [deal for deal in record.deals if deal.started_at and deal.started_at <= seat.left_at]
    if not begun:
        return 0, False
    return begun[-1].no, begun[-1].settled_at is None or seat.left_at <= begun[-1].settled_at


def _contest(tournament: Tournament, day: date) -> dict[str, Any]:
    entries = tournament.entries.exclude(place=None).select_related("player")
    terms = ("currency", "entry_minor", "addon_minor", "rake_bps", "guarantee_minor", "state")
    return {
        "game": tournament.owner_ref,
        **{name: getattr(tournament, name) for name in terms},
        "prizes": [
            [prize.place, prize.bps, prize.amount_minor, prize.is_ticket]
            for prize in tournament.prizes.order_by("place")
        ],
        "places": [
            [pseudonym(one.player.public_id, day), one.place]
            for one in entries.order_by("place", "draw_no")
        ],
        "final": [
            table.escrow_ref
            for table in Table.objects.filter(
                round_table__round__tournament=tournament, round_table__round__is_final=True
            )
        ],
    }


def _season(season: Season, day: date) -> dict[str, Any]:
    """Return a season's prizes by division, and the points of those who shared them."""
    return {
        "game": season.owner_ref,
        "currency": season.currency,
        "divisions": [
            {
                "pool": pool,
                "bps": rows,
                "points": [[pseudonym(one.player.public_id, day), one.points] for one in ranks],
            }
            for pool, rows, ranks in prize_ranks(season)
        ],
    }
