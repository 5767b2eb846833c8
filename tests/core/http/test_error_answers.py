"""Errors are problem details for programs and pages for people."""

from uuid import uuid4

import pytest
from django.test import Client

from core.http.error_answers import is_program
from core.http.rates import Rate, Rates
from players.accounts.models import User

PASSWORD = "curious-marigold-17"
JSON = "application/json"
# What clients send by default, and whether they are programs: curl and requests say nothing.
CLIENTS = {
    "application/json": True,
    "application/json, text/plain, */*": True,  # axios
    "application/json;q=0.9, text/html;q=0.5": True,
    "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8": False,
    "*/*": False,
    "text/html, application/json": False,
}

pytestmark = pytest.mark.django_db


@pytest.fixture
def program():
    """Return a client that prefers JSON, with a CSRF token and an IP address without requests."""
    client = Client(
        enforce_csrf_checks=True,
        headers={"Accept": JSON},
        REMOTE_ADDR=f"2001:db8:{uuid4().hex[:4]}:{uuid4().hex[:4]}::1",
    )
    client.get("/accounts/login/")
    client.defaults["HTTP_X_CSRFTOKEN"] = client.cookies["csrftoken"].value
    return client


def problem_of(answer, status, code):
    assert (answer.status_code, answer["Content-Type"]) == (status, "application/problem+json")
    problem = answer.json()
    assert (problem["status"], problem["code"]) == (status, code)
    assert problem["message"]
    return problem


@pytest.mark.parametrize(("accept", "expected"), CLIENTS.items())
def test_program_is_recognised_by_its_accept_header(rf, accept, expected):
    assert is_program(rf.get("/accounts/login/", headers={"Accept": accept})) is expected
    assert is_program(rf.get("/api/v1/tables/", headers={"Accept": accept}))


def test_a_sign_up_is_answered_to_a_program_as_json(program):
    refused = program.post("/accounts/signup/", {"email": "asha", "password1": PASSWORD})
    sent = {"email": "asha@example.com", "handle": "asha", "password1": PASSWORD}
    taken_up = program.post("/accounts/signup/", sent)

    errors = problem_of(refused, 400, "invalid")["errors"]
    assert {"email", "handle"} <= errors.keys()
    assert PASSWORD not in refused.text
    assert (taken_up.status_code, taken_up["Content-Type"]) == (200, JSON)
    assert taken_up.json()["location"]
    assert PASSWORD not in taken_up.text
    assert User.objects.get(handle="asha").email == "asha@example.com"


def test_a_wrong_password_and_a_lockout_are_problems(program, django_user_model):
    django_user_model.objects.create_user(handle="ravi", email="r@example.com", password=PASSWORD)
    sent = {"login": "r@example.com", "password": "wrong"}

    answers = [program.post("/accounts/login/", sent) for _ in range(12)]

    problem_of(answers[0], 400, "invalid")
    problem_of(answers[-1], 429, "throttled")
    assert int(answers[-1]["Retry-After"]) > 0


def test_a_missing_csrf_token_is_a_problem(program):
    del program.defaults["HTTP_X_CSRFTOKEN"]

    answer = program.post("/accounts/signup/", {"email": "asha@example.com"})

    assert "CSRF" in problem_of(answer, 403, "permission_denied")["message"]


@pytest.mark.parametrize(
    "path", ["/accounts/login/", "/api/schema/", "/api/v1/wallet/webhooks/sandbox/"]
)
def test_wrong_method_is_a_problem_with_the_allowed_ones(program, path):
    answer = program.delete(path)

    problem_of(answer, 405, "method_not_allowed")
    assert {"GET", "POST"} & {*answer["Allow"].split(", ")}


@pytest.mark.parametrize("path", ["/accounts/nothing/", "/api/v1/tables/abc/"])
def test_unknown_address_is_a_problem(program, path):
    problem_of(program.get(path), 404, "not_found")
    program.cookies["django_language"] = "hi"
    assert problem_of(program.get(path), 404, "not_found")["message"].startswith("इस पते")


def test_too_many_requests_for_a_page_are_a_problem(program, settings):
    settings.THROTTLES = settings.THROTTLES | {"strangers": Rates(None, Rate(1, 3_600))}
    program.get("/accounts/nothing/")

    answer = program.get("/accounts/nothing/")

    problem_of(answer, 429, "throttled")
    assert answer["RateLimit"]


def test_people_are_answered_with_pages(client):
    client.defaults["HTTP_ACCEPT"] = "text/html,application/xhtml+xml,*/*;q=0.8"

    unknown = client.get("/nothing/")
    for answer in (unknown, client.post("/accounts/signup/", {"email": "asha"})):
        assert answer["Content-Type"].startswith("text/html")
    assert (unknown.status_code, "Accept" in unknown["Vary"]) == (404, True)
