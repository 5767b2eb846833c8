"""The site as an installable app in a real Chromium, and its offline page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.chromium import WHOLE_CHROMIUM
from tests.browser.person import sign_up
from tests.builders.people.push_service import ABrowser

pytestmark = [
    pytest.mark.browser,
    pytest.mark.extended,
    pytest.mark.skipif(WHOLE_CHROMIUM is None, reason="Chromium's shell shows no notifications"),
]


# Chromium gets endpoints from its vendor's servers; this replaces them on all pages.
SUBSCRIBES = """
  const kept = () => localStorage.getItem("subscribed") && {
    endpoint: CONTENT.endpoint,
    toJSON: () => CONTENT,
    unsubscribe: async () => { localStorage.removeItem("subscribed"); return true; },
  };
  PushManager.prototype.getSubscription = async () => kept() || null;
  PushManager.prototype.subscribe = async (asked) => {
    localStorage.setItem("subscribed", asked.applicationServerKey.length);
    return kept();
  };
"""

SHOWN_WITHIN_A_SECOND = """async () => {
  const worker = await navigator.serviceWorker.ready;
  for (const end = Date.now() + 1000; Date.now() < end; ) {
    const [one] = await worker.getNotifications();
    if (one) return { title: one.title, body: one.body, tag: one.tag, path: one.data.path };
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return null;
}"""


@pytest.fixture
def app_page(whole_chromium: Any, site: Any) -> Iterator[Page]:
    """A page whose service workers are not blocked, unlike in other tests."""
    context = whole_chromium.new_context(base_url=site.url, viewport={"width": 390, "height": 844})
    page = context.new_page()
    page.goto("/")
    page.evaluate("navigator.serviceWorker.ready.then((found) => found.active.scriptURL)")
    yield page
    context.close()


def test_chromium_offers_to_install_the_site(app_page: Page) -> None:
    devtools = app_page.context.new_cdp_session(app_page)

    read = devtools.send("Page.getAppManifest")
    refused = devtools.send("Page.getInstallabilityErrors")["installabilityErrors"]

    assert read["url"].endswith("/app/en.webmanifest")
    assert read["errors"] == []
    # Windows without a profile on disk, like those of tests, cannot install; no other error.
    assert {error["errorId"] for error in refused} <= {"in-incognito"}


def test_offline_page_is_shown_until_the_network_is_back(app_page: Page) -> None:
    app_page.context.set_offline(True)
    app_page.goto("/rules/")
    expect(app_page.get_by_role("heading", name="You are offline")).to_be_visible()
    expect(app_page.get_by_role("heading", name="आप ऑफ़लाइन हैं")).to_be_visible()
    # Its style is cached too: the button has the target's height.
    button = app_page.get_by_role("link", name="Try again")
    box = button.bounding_box()
    assert box is not None
    assert box["height"] >= 44

    app_page.context.set_offline(False)
    button.click()

    expect(app_page.get_by_role("heading", name="Rules")).to_be_visible()


def test_worker_caches_no_other_page_and_no_api_answer(app_page: Page) -> None:
    for address in ("/rules/", "/lobby/", "/accounts/login/"):
        app_page.goto(address)
    app_page.evaluate("fetch('/api/v1/tables/').then((answer) => answer.status)")

    kept = app_page.evaluate(
        """async () => {
          const names = await caches.keys();
          const found = [];
          for (const name of names)
            for (const request of await (await caches.open(name)).keys())
              found.push(new URL(request.url).pathname);
          return { names: names.length, found: found.sort() };
        }"""
    )

    assert kept["names"] == 1
    assert [path for path in kept["found"] if not path.startswith("/static/")] == ["/offline/"]


def test_worker_shows_push_messages_in_the_players_language(app_page: Page, site: Any) -> None:
    app_page.context.grant_permissions(["notifications"], origin=site.url)
    devtools = app_page.context.new_cdp_session(app_page)
    found: list[Any] = []

    def remember(seen: Any) -> None:
        found.append(seen)

    devtools.on("ServiceWorker.workerRegistrationUpdated", remember)
    devtools.send("ServiceWorker.enable")
    while not (found and found[-1]["registrations"]):
        app_page.wait_for_timeout(50)
    registration = found[-1]["registrations"][-1]["registrationId"]
    pushed = {
        "title": "पूल रमी",
        "body": "आपकी बारी है।",
        "path": "/rules/",
        "tag": "t",
        "lang": "hi",
    }

    # Chromium may drop a message while it starts a worker, so it is sent again.
    shown = None
    while shown is None:
        devtools.send(
            "ServiceWorker.deliverPushMessage",
            {"origin": site.url, "registrationId": registration, "data": json.dumps(pushed)},
        )
        shown = app_page.evaluate(SHOWN_WITHIN_A_SECOND)
    wanted = {name: pushed[name] for name in ("title", "body", "tag", "path")}
    assert shown == wanted


def test_player_turns_device_notifications_on_and_off(app_page: Page, site: Any) -> None:
    app_page.context.grant_permissions(["notifications"], origin=site.url)
    browser = ABrowser("https://push.example.com/one")
    content = json.dumps({"endpoint": browser.endpoint, "keys": browser.keys})
    app_page.add_init_script(SUBSCRIBES.replace("CONTENT", f"({content})"))
    sign_up(app_page)
    app_page.set_viewport_size({"width": 320, "height": 568})
    app_page.goto("/account/notices/choices/")
    expect(app_page.get_by_text("Notifications are off for this device.")).to_be_visible()

    app_page.get_by_role("button", name="Turn on").click()

    expect(app_page.get_by_text("Notifications are on for this device.")).to_be_visible()
    # An uncompressed point of the curve: the site's public key.
    assert app_page.evaluate("localStorage.getItem('subscribed')") == "65"
    app_page.reload()
    expect(app_page.get_by_text("Notifications are on for this device.")).to_be_visible()
    expect(app_page.get_by_text("Notifications are on for 1 device.")).to_be_visible()
    assert app_page.evaluate("document.documentElement.scrollWidth") <= 320
    app_page.get_by_role("button", name="Turn off").click()
    expect(app_page.get_by_text("Notifications are off for this device.")).to_be_visible()
    app_page.reload()
    expect(app_page.get_by_text("Notifications are off for this device.")).to_be_visible()
    expect(app_page.get_by_text("Notifications are on for")).to_have_count(0)
