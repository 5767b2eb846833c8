import pytest

from core.http import outgoing
from tests.builders.people.push_service import PUSH_KEY, push_service


@pytest.fixture
def push_key(settings):
    settings.PUSH_PRIVATE_KEY, settings.PUSH_CONTACT = PUSH_KEY, "mailto:operator@example.com"


@pytest.fixture
def service(push_key, monkeypatch, tmp_path):
    """A push service on a loopback address that counts as public."""
    with push_service(tmp_path) as service:
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "fullchain.pem"))
        monkeypatch.setattr(outgoing, "is_public", lambda _address: True)
        monkeypatch.setattr(outgoing, "PORTS", frozenset({443, service.server_address[1]}))
        outgoing._tls.cache_clear()
        yield service
    outgoing._tls.cache_clear()
