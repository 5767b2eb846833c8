"""The web app's manifest, service worker and offline page, identical for all visitors."""

import json
import re
from struct import unpack

import pytest
from django.contrib.staticfiles import finders
from django.urls import reverse

from players.sign_in.devices import app_pages
from tests.builders.people.accounts import make_player


def size_of_png(path):
    with open(finders.find(path), "rb") as file:  # noqa: PTH123
        head = file.read(24)
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    return "{}x{}".format(*unpack(">II", head[16:24]))


def kept_by_worker(client):
    text = client.get(reverse("service-worker")).content.decode()
    return json.loads(re.search(r"self\.KEPT = (.*);\n", text)[1])


@pytest.mark.parametrize(("language", "name"), [("en", "Pool Rummy"), ("hi", "पूल रमी")])
def test_the_manifest_names_the_app_in_each_language_and_real_icons(client, language, name):
    answer = client.get(reverse("manifest", args=[language]))
    manifest = json.loads(answer.content)

    assert answer["Content-Type"] == "application/manifest+json"
    assert (manifest["name"], manifest["lang"], manifest["id"]) == (name, language, "/")
    sizes = {icon["sizes"] for icon in manifest["icons"]}
    assert {"192x192", "512x512"} <= sizes
    for icon in manifest["icons"]:
        path = icon["src"].removeprefix("/static/")
        assert icon["sizes"] == "any" or size_of_png(path) == icon["sizes"]


def test_manifest_in_an_unknown_language_is_not_found(client):
    assert client.get(reverse("manifest", args=["xx"])).status_code == 404


@pytest.mark.django_db
def test_pages_name_the_manifest_of_their_language(client, settings):
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = "hi"

    page = client.get(reverse("landing")).content.decode()

    assert f'<link rel="manifest" href="{reverse("manifest", args=["hi"])}">' in page


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["offline", "service-worker"])
def test_cached_pages_have_no_personal_content(client, address):
    of_strangers = client.get(reverse(address))
    client.force_login(make_player())
    of_asha = client.get(reverse(address))

    assert of_asha.content == of_strangers.content
    assert b"asha" not in of_asha.content
    assert of_asha["Cache-Control"] == "public, no-cache"
    assert not of_asha.cookies


def test_worker_caches_only_the_offline_page_and_its_files(client):
    kept = kept_by_worker(client)

    assert kept["page"] == reverse("offline")
    page = client.get(reverse("offline")).content.decode()
    linked = set(re.findall(r'(?:href|src)="(/static/[^"]+)"', page))
    assert linked == set(kept["files"])


def test_name_of_the_offline_cache_changes_with_a_file(client, monkeypatch):
    before = kept_by_worker(client)["name"]

    # Collected files carry hashes of their contents in their names.
    monkeypatch.setattr(app_pages, "static", lambda path: f"/static/{path}?0b2e")

    assert kept_by_worker(client)["name"] != before


def test_offline_page_has_all_languages(client):
    page = client.get(reverse("offline")).content.decode()

    assert "You are offline" in page
    assert 'lang="hi"' in page
    assert "आप ऑफ़लाइन हैं" in page
