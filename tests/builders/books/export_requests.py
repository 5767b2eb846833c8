"""Requests of exports over the API, as a finance clerk's program sends them."""

from django.urls import reverse


def start(desk, report="journal", chosen="csv", **params):
    address = reverse("finance-exports")
    asked = {"report": report, "format": chosen, **params}
    return desk.client.post(address, asked, content_type="application/json", headers=desk.headers)


def look(desk, export_id):
    return desk.client.get(reverse("finance-export", args=[export_id]), headers=desk.headers)


def fetch(desk, address):
    answer = desk.client.get(address, headers=desk.headers)
    return b"".join(answer.streaming_content) if answer.status_code == 200 else answer
