"""Pages of tables in Hindi have Latin letters only in names, codes and units."""

import pytest

from tests.builders.people.hindi import in_hindi, leaks_of
from tests.builders.tables import every_phase

pytestmark = [pytest.mark.django_db, pytest.mark.extended]


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
        pages = (f"/tables/{table.public_id}/", "/lobby/")
        for word, beside in leaks_of({page: client.get(page) for page in pages}).items():
            found.setdefault(word, (name, beside))

    assert found == {}
