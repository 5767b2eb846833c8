"""Pages in Hindi have Latin letters only in names, codes and units."""

import pytest

from tests.builders.people.every_page import addresses
from tests.builders.people.hindi import in_hindi, leaks, names
from tests.builders.tables import every_phase

pytestmark = [pytest.mark.django_db, pytest.mark.extended]


def gather(client, pages):
    typed, found = names(), {}
    for address in pages:
        answer = client.get(address)
        if answer.status_code >= 300 or not answer["Content-Type"].startswith("text/html"):
            continue
        for word, beside in leaks(answer.content.decode(), typed).items():
            found.setdefault(word, (beside, address))
    return found


def test_hindi_pages_of_a_player_have_no_english(client, player, known):
    in_hindi(client, player)
    pages = [page for page in addresses(known) if not page.startswith("/api/")]

    found = gather(client, pages)

    assert found == {}


@pytest.mark.parametrize(
    "tables",
    [
        pytest.param(every_phase.EACH_KIND, id="each kind"),
        pytest.param(every_phase.TABLES, id="all", marks=pytest.mark.soak),
    ],
)
def test_hindi_page_of_a_table_has_no_english_in_any_phase(client, tables):
    found = {}
    for name in tables:
        build, _phase = every_phase.TABLES[name]
        table = build()
        in_hindi(client, table.seats.select_related("player").first().player)
        for word, address in gather(client, [f"/tables/{table.public_id}/", "/lobby/"]).items():
            found.setdefault(word, (name, address))

    assert found == {}
