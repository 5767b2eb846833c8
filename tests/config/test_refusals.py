"""What an address that leads nowhere answers, to programs and to people."""

import pytest


@pytest.mark.django_db
def test_the_api_says_not_found_in_json(client):
    response = client.get("/api/v1/tables/abc/")

    assert response.status_code == 404
    assert response.json()["code"] == "not_found"


@pytest.mark.django_db
def test_a_person_gets_a_page(client):
    response = client.get("/no/such/page/")

    assert response.status_code == 404
    assert response["Content-Type"].startswith("text/html")
