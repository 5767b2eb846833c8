"""deploy/nginx.conf lets through each upload that the application accepts."""

import re

import pytest
from django.urls import reverse

from core.db.binaries import CHECKOUT
from finance.matching import actions as bank
from finance.matching import actions as gateways
from players.identity.documents import LARGEST_BYTES
from wallet.withdrawals import admin_pages as bank_answers

MEBIBYTE = 1024 * 1024
LOCATION = re.compile(r"location (=|~|) ?(\S+) \{([^}]*)\}")
UPLOADS = [
    ("finance-gateway-files", [], gateways.BYTES_MAX),
    ("admin:finance_gatewayfile_add", [], gateways.BYTES_MAX),
    ("finance-bank-statements", [], bank.BYTES_MAX),
    ("admin:finance_bankstatement_add", [], bank.BYTES_MAX),
    ("admin:payout-answer", [7], bank_answers.BYTES_MAX),
    ("identity", [], 2 * LARGEST_BYTES),  # Both sides of a document.
]


def limit_of(path):
    """Return the `client_max_body_size` of a path in bytes, as nginx chooses its location."""
    text = (CHECKOUT / "deploy" / "nginx.conf").read_text()
    default = re.search(r"^ {8}client_max_body_size (\d+)m;", text, re.MULTILINE)
    locations = LOCATION.findall(text)
    assert len(locations) >= 7
    for kind, pattern, content in locations:
        fits = path == pattern if kind == "=" else kind == "~" and re.search(pattern, path)
        if fits and (own := re.search(r"client_max_body_size (\d+)m;", content)):
            return int(own[1]) * MEBIBYTE
    return int(default[1]) * MEBIBYTE


@pytest.mark.parametrize(("name", "arguments", "largest"), UPLOADS)
def test_largest_file_with_its_form_passes_the_proxy(name, arguments, largest):
    path = reverse(name, args=arguments)

    assert limit_of(path) > largest


def test_other_requests_stay_small():
    assert limit_of("/lobby/") == MEBIBYTE
