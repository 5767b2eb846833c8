"""Players' own contributions to the randomness of a deal, before it is dealt (RB 12.1)."""

from __future__ import annotations

import hashlib
import re
from datetime import datetime
from typing import Final

from django.utils.translation import gettext as _

from tables.exceptions import (
    BadClientSeed,
    ClientSeedEarly,
    ClientSeedGiven,
    ClientSeedLate,
    NotInPlay,
)
from tables.games import game_of
from tables.history.fairness.models import ClientSeed
from tables.models.addresses import table_of_seat
from tables.models.seats import Seat
from tables.models.tables import Table
from tables.play import client_seeds as complete
from tables.play import drains
from tables.state import phases
from tables.state.clock import caught_up
from tables.state.locks import LockedTable, snapshot_of
from tables.state.publishing import publish
from tables.state.snapshot import Given

# Before the SHA-256 of a text that is revealed later.
COMMITS: Final = "sha256:"
_COMMITMENT: Final = re.compile(f"{COMMITS}[0-9a-f]{{64}}")


def give_client_seed(*, seat_id: int, text: str) -> ClientSeed:
    """Add the seat's own text to the shuffle of the deal that is committed to but not dealt.

    `sha256:` and a hash commit to a text, which is given by a second call once no seat can commit
    any more. One per seat and deal; repeating the same text returns the first one. Codes:
    `bad_client_seed`, `client_seed_late`, `client_seed_early`, `client_seed_given`, `not_in_play`.
    """
    refuse_unreadable(text)
    with caught_up(table_of_seat(seat_id)) as table:
        snapshot = snapshot_of(table)
        seat = snapshot.present_seat(seat_id)
        if seat is None or table.is_over:
            raise NotInPlay(_("Only players in this game can add a seed."))
        given = add(table, seat, text, snapshot.now)
        now, coming = snapshot.now, snapshot.coming
        if coming is not None and coming.closed_at is None:
            # Where nobody else can sit down, revealing costs no time.
            is_full = len(snapshot.present()) == table.seats_max
            if (is_full or table.phase == Table.Phase.BETWEEN) and complete.all_given(table):
                complete.close(table, now)
        elif not complete.unrevealed(table) and complete.deal_waits(table):
            _deal(table, now)
        publish(table)
        return given


def _deal(table: LockedTable, now: datetime) -> None:
    """Deal at once: the pause before the deal is over, and the last seed is revealed."""
    if drains.is_on():
        phases.arm(table, 0, now)
    elif table.phase == Table.Phase.WAITING:
        game_of(table).start(table, now)
    else:
        game_of(table).deal_next(table, now)


def refuse_unreadable(text: str) -> None:
    """Raise `BadClientSeed` unless the text can go into a random stream and a history file."""
    if _COMMITMENT.fullmatch(text):
        return
    if not 0 < len(text) <= ClientSeed.LONGEST or not text.isprintable():
        raise BadClientSeed(f"Enter a seed of 1 to {ClientSeed.LONGEST} printable characters.")


def add(table: LockedTable, seat: Seat, text: str, now: datetime) -> ClientSeed:
    """Add the seed, or the commitment to one, to the next deal, or reveal it; the caller publishes.

    Raise `ClientSeedLate` if no deal takes seeds, as while cards are played: the commitment must
    precede every client seed, and every commitment of a seat the first revealed seed.
    """
    snapshot = snapshot_of(table)
    deal, before = snapshot.coming, snapshot.client_seeds.get(seat.pk)
    if deal is None:
        raise ClientSeedLate(_("The cards are already dealt. Add a seed before the next deal."))
    if before is not None:
        given = ClientSeed.objects.get(deal=deal, seat=seat, draw=deal.draw)
        if text in (before.text, f"{COMMITS}{before.commitment}"):
            return given
        if hashlib.sha256(text.encode()).hexdigest() != before.commitment:
            raise ClientSeedGiven(_("You have already given a seed for this deal."))
        if deal.closed_at is None:
            sentence = _("Other players can still add seeds. Reveal yours when all have.")
            raise ClientSeedEarly(sentence)
        seed, given.text = before._replace(text=text), text
        given.save(update_fields=["text"])
    else:
        if deal.closed_at is not None or seat.seeds_withheld >= complete.WITHHELD_MAX:
            sentence = _("This deal takes no more seeds. Add a seed before the next deal.")
            raise ClientSeedLate(sentence)
        hidden = _COMMITMENT.fullmatch(text)
        seed = Given("", text.removeprefix(COMMITS)) if hidden else Given(text, "")
        given = ClientSeed.objects.create(
            table=table, deal=deal, seat=seat, draw=deal.draw, given_at=now, **seed._asdict()
        )
    snapshot.client_seeds = dict(sorted({**snapshot.client_seeds, seat.pk: seed}.items()))
    table.version += 1
    return given
