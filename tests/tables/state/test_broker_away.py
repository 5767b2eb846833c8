"""Without Redis moves are made and money moves; only change messages and task messages are lost."""

import subprocess
import sys
from uuid import uuid4

import pytest

from core.db.binaries import CHECKOUT
from tables.models.deals import Move
from tables.models.tables import Table
from tests.builders.tables.making import make_game
from tests.builders.tables.playing import reread, seat_at

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.process]

DROP = """
import django, sys
django.setup()
from tables.play.actions import make_move
seat, move_id, version = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
accepted = make_move(seat=seat, move_id=move_id, text="drop", expected_version=version)
print(accepted.move.text)
"""


@pytest.mark.extended
def test_a_move_that_ends_a_deal_is_accepted_while_the_broker_is_away(test_database, tmp_path):
    table = make_game(players=2)
    seat = seat_at(table, 1)
    arguments = [str(seat.pk), str(uuid4()), str(table.version)]
    environment = test_database | {"REDIS_URL": f"unix://{tmp_path}/nobody.sock"}

    done = subprocess.run(
        [sys.executable, "-c", DROP, *arguments],
        cwd=CHECKOUT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert (done.returncode, done.stdout) == (0, "p1 drop\n"), done.stderr
    assert Move.objects.get().text == "p1 drop"
    assert reread(table).phase == Table.Phase.SETTLING
