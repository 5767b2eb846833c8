"""The API returns the rules of a table as data, in the table's version."""

import dataclasses

import pytest

import rummy
from tests.builders.tables.making import make_table

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("name", sorted(rummy.ALL_PROFILES))
def test_every_profile_is_read_without_signing_in(client, name):
    answer = client.get(f"/api/v1/rules/{name}/")

    assert answer.json() == dataclasses.asdict(rummy.ALL_PROFILES[name])


def test_a_table_s_rules_are_those_of_its_version(client):
    pool = rummy.PROFILES["total-rummy-pool-101"]
    for version, points in ((1, 15), (2, 25)):
        make_table(rules=pool.with_(name="club-pool", version=version, first_drop=points))

    def first_drop(**query):
        return client.get("/api/v1/rules/club-pool/", query).json()["first_drop"]

    assert (first_drop(version=1), first_drop(version=2), first_drop()) == (15, 25, 25)


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("rules/nobodys/", 404, "not_found"),
        ("rules/straight%00/", 404, "not_found"),
        ("rules/straight/?version=7", 404, "not_found"),
        ("rules/straight/?version=0", 400, "bad_parameter"),
        ("rules/straight/?version=last", 400, "bad_parameter"),
    ],
)
def test_unknown_rules_answer_not_found(client, path, status, code):
    answer = client.get(f"/api/v1/{path}")

    assert (answer.status_code, answer.json()["code"]) == (status, code)
