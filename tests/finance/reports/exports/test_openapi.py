"""Responses of finance's API match its description."""

import pytest
from django.core.wsgi import get_wsgi_application
from hypothesis import HealthCheck, Phase, given, settings

from finance.reports.catalogue import REPORTS
from tests.builders.books.full_books import play_pool
from tests.builders.books.tokens import valid_token

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def described(client):
    return client.get("/api/schema/", {"format": "json"}).json()


def test_a_report_is_described_in_full(described, subtests):
    for report in REPORTS:
        with subtests.test(report.name):
            get = described["paths"][f"/api/v1/finance/{report.name}/"]["get"]

            names = {parameter["name"] for parameter in get["parameters"]}
            asked = {"from", "to", "tz", "cursor", "limit", "format"}
            assert names == (
                asked
                | ({"file"} if report.wants_file else set())
                | ({"money"} if report.by_money else set())
                | ({"by", "about"} if report.by_person else set())
            )
            assert set(get["responses"]) == {"200", "400", "401", "403", "404", "406", "429"}
            types = set(get["responses"]["200"]["content"])
            assert {"application/json", "text/csv"} < types
            assert ("text/x-beancount" in types) is (report.name == "journal")
            assert get["operationId"] == f"finance_{report.name.replace('-', '_')}"
            assert get["security"] == [{"financeToken": []}]
            assert get["summary"] == report.title


@pytest.mark.extended
@pytest.mark.parametrize(
    ("reports", "examples"),
    [
        (["journal", "daily-close", "gateway-reconciliation"], 15),
        pytest.param([report.name for report in REPORTS], 150, marks=pytest.mark.soak),
    ],
)
def test_answers_to_any_question_are_those_described(reports, examples, settings_of_finance):
    """Generate requests from the description; each response must be described."""
    play_pool()
    ask_anything([("GET", f"/api/v1/finance/{report}/") for report in reports], examples=examples)


ABOUT_FILES = [
    ("GET", "/api/v1/finance/gateway-files/"),
    ("POST", "/api/v1/finance/gateway-files/"),
    ("GET", "/api/v1/finance/bank-statements/"),
    ("POST", "/api/v1/finance/bank-statements/"),
    ("POST", "/api/v1/finance/closes/"),
    ("POST", "/api/v1/finance/exports/"),
    ("GET", "/api/v1/finance/exports/{export_id}/"),
    ("GET", "/api/v1/finance/exports/{export_id}/file/"),
]


@pytest.mark.extended
def test_files_and_exports_are_answered_as_described(described, settings_of_finance):
    shown = {path for path in described["paths"] if path.startswith("/api/v1/finance/")}

    ask_anything(ABOUT_FILES, examples=2)

    reports = {f"/api/v1/finance/{report.name}/" for report in REPORTS}
    assert shown == reports | {path for _, path in ABOUT_FILES}


def ask_anything(operations, *, examples):
    """Send generated requests with a token of all scopes; each response must be described."""
    # Slow to import, and most runs collect this file without running it.
    import schemathesis
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi import checks

    expected = (
        not_a_server_error,
        checks.status_code_conformance,
        checks.content_type_conformance,
        checks.response_schema_conformance,
    )
    scopes = [report.name for report in REPORTS]
    text = valid_token(*scopes)
    schema = schemathesis.openapi.from_wsgi("/api/schema/", get_wsgi_application())

    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def ask(case):
        headers = {"Authorization": f"Bearer {text}"}
        case.call_and_validate(headers=headers, checks=expected)

    for method, path in operations:
        given(case=schema[path][method].as_strategy())(ask)()


@pytest.fixture
def settings_of_finance(settings, tmp_path):
    settings.FINANCE_RATE = "100000/min"
    settings.EXPORTS_DIR = str(tmp_path)
