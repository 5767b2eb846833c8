"""A player's own deals, and no others, as a ZIP of history files."""

import io
from zipfile import ZipFile

import pytest
from django.urls import reverse

import rummy
from tables.history import archive
from tables.history.deal_file import history_text
from tests.builders.tables.deals import drop_out
from tests.builders.tables.making import make_game, make_player
from tests.builders.tables.playing import reread, seat_at
from tests.builders.tables.points_tables import make_points_game

pytestmark = pytest.mark.django_db
ARCHIVE = reverse("deals-archive")


def two_deals():
    """Return a table with two finished deals and a third one on."""
    table = make_game(players=3)
    for _ in range(2):
        drop_out(table)
        table = reread(table)
    return table


def files_of(client, **asked):
    answer = client.get(ARCHIVE, asked)
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/zip")
    with ZipFile(io.BytesIO(b"".join(answer.streaming_content))) as sent:
        assert sent.testzip() is None
        return {name: sent.read(name).decode() for name in sent.namelist()}


def test_archive_has_a_history_file_for_each_finished_deal(client, monkeypatch):
    monkeypatch.setattr(archive, "READ_AT_ONCE", 1)
    table = two_deals()
    client.force_login(seat_at(table, 1).player)

    files = files_of(client)

    deals = table.deals.filter(no__in=(1, 2)).order_by("no")
    names = [f"rummy-{table.public_id}-{deal.no}.txt" for deal in deals]
    assert files == dict(zip(names, map(history_text, deals), strict=True))
    assert [rummy.history.loads(text).commitment for text in files.values()] == [
        deal.commitment for deal in deals
    ]
    page = client.get(reverse("history"), {"started_from": "2020-01-01"}).text
    assert f'href="{ARCHIVE}?started_from=2020-01-01"' in page


def test_archive_has_only_own_deals_matching_the_filters(client):
    table, points = two_deals(), make_points_game(players=3)
    drop_out(points)
    client.force_login(make_player())
    assert files_of(client) == {}
    client.force_login(seat_at(points, 1).player)
    assert len(files_of(client)) == 1

    client.force_login(seat_at(table, 1).player)
    assert files_of(client, started_to="2020-01-01") == {}
    assert len(files_of(client, variant="Pool 101")) == 2
    refused = client.get(ARCHIVE, {"started_from": "2026-02-02", "started_to": "2026-01-01"})
    assert (refused.status_code, refused.json()["code"]) == (400, "bad_parameter")


def test_archive_in_parts_has_links_to_each_part(client, monkeypatch):
    monkeypatch.setattr(archive, "DEALS_PER_PART", 1)
    table = two_deals()
    client.force_login(seat_at(table, 1).player)
    whole = [f"rummy-{table.public_id}-{no}.txt" for no in (1, 2)]

    first = client.get(ARCHIVE, {"variant": "Pool 101"})
    following = first["Link"].partition(">")[0].removeprefix("<http://testserver")
    second = client.get(following)
    page = client.get(reverse("history"), {"started_from": "2020-01-01"}).text

    assert following == f"{ARCHIVE}?variant=Pool+101&part=2"
    names = [ZipFile(io.BytesIO(answer.getvalue())).namelist() for answer in (first, second)]
    assert names == [whole[:1], whole[1:]]
    assert "Link" not in second
    assert second["Content-Disposition"] == 'attachment; filename="rummy-deals-2.zip"'
    assert client.get(ARCHIVE, {"part": 0}).status_code == 400
    for part in (1, 2):
        assert f'href="{ARCHIVE}?started_from=2020-01-01&amp;part={part}"' in page
    assert "part=3" not in page
