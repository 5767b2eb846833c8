"""The API's description says of every report how to ask and what may be answered; it is true."""

import pytest
import schemathesis
from django.core.wsgi import get_wsgi_application
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from finance.catalogue import REPORTS
from tests.finance.full_books import play_pool
from wallet.services.finance_tokens import create_token

pytestmark = pytest.mark.django_db(transaction=True)

CHECKS = (
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
)


@pytest.fixture
def described(client):
    return client.get("/api/schema/", {"format": "json"}).json()


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.name)
def test_a_report_is_described_in_full(described, report):
    get = described["paths"][f"/api/v1/finance/{report.name}/"]["get"]

    names = {parameter["name"] for parameter in get["parameters"]}
    assert names == {"from", "to", "tz", "cursor", "limit", "format"}
    assert set(get["responses"]) == {"200", "400", "401", "403", "404", "406", "429"}
    types = set(get["responses"]["200"]["content"])
    assert {"application/json", "text/csv"} < types
    assert ("text/x-beancount" in types) is (report.name == "journal")
    assert get["operationId"] == f"finance_{report.name.replace('-', '_')}"
    assert get["security"] == [{"financeToken": []}]
    assert get["summary"] == report.title


@pytest.mark.parametrize("report", ["journal", "daily-close", "rake"])
def test_answers_to_any_question_are_those_described(report, settings_of_finance):
    """Cases are made up from the description; each answer is one it names."""
    play_pool()
    _, text = create_token(name="any", scopes=[report], created_by=None)
    schema = schemathesis.openapi.from_wsgi("/api/schema/", get_wsgi_application())
    operation = schema[f"/api/v1/finance/{report}/"]["GET"]

    @settings(
        max_examples=15,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def ask(case):
        headers = {"Authorization": f"Bearer {text}"}
        case.call_and_validate(headers=headers, checks=CHECKS)

    given(case=operation.as_strategy())(ask)()


@pytest.fixture
def settings_of_finance(settings):
    settings.FINANCE_RATE = "100000/min"
