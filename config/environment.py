"""Typed environment variables; no other module of the project reads the environment."""

from __future__ import annotations

import re
import secrets
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import environ
from cryptography.fernet import Fernet
from django.core.exceptions import ImproperlyConfigured
from moneyed import CURRENCIES

from players.eligibility.places import geoip_files

BASE_DIR = Path(__file__).resolve().parent.parent

# For players whose region no file has: refuse play for money, or use the region they declared.
UNKNOWN_REGIONS = ("refuse", "declared")


class Environment(environ.Env):
    """Records the names that were read: they are the known settings."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def get_value(self, var: str, *args: Any, **kwargs: Any) -> Any:
        self.names.add(var)
        return super().get_value(var, *args, **kwargs)


env = Environment()

DEBUG: bool = env.bool("DEBUG", False)
# Set by the embedded launcher for demos and test runs; only then may secrets be generated.
EPHEMERAL: bool = env.bool("RUMMY_EPHEMERAL", False)
if not EPHEMERAL:  # A deployment's `.env` must not affect a demo or a test run.
    environ.Env.read_env(BASE_DIR / ".env")


def secret(name: str) -> str:
    """Return a secret; raise where it is missing, except in throw-away installations."""
    if EPHEMERAL and name not in env:
        return secrets.token_urlsafe(48)
    value: str = env.str(name)
    return value


def whole(name: str, default: int, *, least: int = 0, most: int) -> int:
    """Return a whole number; raise for other text and for a number out of range."""
    text: str = env.str(name, str(default))
    if re.fullmatch(r"-?\d{1,9}", text.strip()) is None or not least <= int(text) <= most:
        raise ImproperlyConfigured(f"{name} is {text!r}: a whole number from {least} to {most}")
    return int(text)


def seconds(name: str, default: float, *, most: float) -> float:
    """Return a number of seconds; raise for other text and for a number out of range."""
    text: str = env.str(name, str(default))
    if re.fullmatch(r"\d{1,9}(\.\d{1,9})?", text.strip()) is None or float(text) > most:
        raise ImproperlyConfigured(f"{name} is {text!r}: seconds from 0 to {most:g}")
    return float(text)


# How many of the installation's proxies a request passes; each appends to X-Forwarded-For.
TRUSTED_PROXY_COUNT: int = whole("TRUSTED_PROXY_COUNT", 0, most=10)
# Serve Prometheus metrics at /metrics; only behind a proxy that hides it from the public.
METRICS: bool = env.bool("METRICS", False)
# Behind a proxy that ends TLS; off in a demo on loopback.
HTTPS: bool = env.bool("HTTPS", not EPHEMERAL and not DEBUG)
# Serve static files from the sources instead of the collected, hashed ones.
SERVES_SOURCES: bool = env.bool("SERVES_SOURCES", EPHEMERAL or DEBUG)


def geoip_file() -> str:
    """Return the comma-separated paths of the GeoIP files; "" for none."""
    setting: str = env.str("GEOIP_FILE", "")
    paths = geoip_files.paths_of(setting)
    if paths and find_spec("maxminddb") is None:
        raise ImproperlyConfigured("GEOIP_FILE is set: install the extra `geoip` to read it")
    for path in paths:
        if not Path(path).is_file():
            raise ImproperlyConfigured(f"GEOIP_FILE is {path!r}: the file does not exist")
        try:
            geoip_files.read_contents(path)
        except geoip_files.UnusableFile as error:
            raise ImproperlyConfigured(f"GEOIP_FILE: {error}") from error
    return setting


def geoip_unknown_region() -> str:
    """Return how an address without a known region is treated where some regions are closed."""
    chosen: str = env.str("GEOIP_UNKNOWN_REGION", UNKNOWN_REGIONS[0])
    if chosen not in UNKNOWN_REGIONS:
        known = " or ".join(UNKNOWN_REGIONS)
        raise ImproperlyConfigured(f"GEOIP_UNKNOWN_REGION is {chosen!r}: {known}")
    return chosen


def cash_currencies() -> list[str]:
    """Return the codes of the cash currencies, the main one first."""
    codes: list[str] = env.list("CASH_CURRENCIES", default=["INR"])
    if not codes:
        raise ImproperlyConfigured(
            "CASH_CURRENCIES is empty: name at least one; to switch cash off, close all regions"
        )
    for code in codes:
        # "XXX" is ISO 4217's code for "no currency".
        if code not in CURRENCIES or code in ("PTS", "XXX"):
            raise ImproperlyConfigured(f"CASH_CURRENCIES: {code!r} is not a currency code")
    return codes


def bank_codes() -> list[str]:
    codes: list[str] = env.list("BANK_CODES_ADDED", default=[])
    if wrong := [code for code in codes if re.fullmatch("[A-Z]{4}", code) is None]:
        raise ImproperlyConfigured(
            f"BANK_CODES_ADDED has {wrong[0]!r}: a bank code is four capital letters."
        )
    return codes


def static_storage() -> str:
    if SERVES_SOURCES:
        return "django.contrib.staticfiles.storage.StaticFilesStorage"
    return "config.serving.static_files.HashedStaticFilesStorage"


def built_pages() -> Path | None:
    """Return the directory of the built documentation; None if it has not been built."""
    pages = BASE_DIR / "build" / "pages"
    return pages if pages.is_dir() else None


def public_url() -> str:
    """Return the site's public scheme and host; "" if it is not set."""
    url: str = env.str("PUBLIC_URL", "").rstrip("/")
    if url and not re.fullmatch(r"https?://[^/?#\s]+", url):
        raise ImproperlyConfigured(f"PUBLIC_URL is {url!r}: give only a scheme and a host")
    return url


def push_key() -> str:
    """Return the private key of Web Push, 32 bytes in base64 for URLs; "" for none."""
    text: str = env.str("PUSH_PRIVATE_KEY", "")
    if text and not re.fullmatch(r"[A-Za-z0-9_-]{43}", text):
        raise ImproperlyConfigured("PUSH_PRIVATE_KEY is not 32 bytes in base64 for URLs")
    return text


def push_contact() -> str:
    """Return the contact for push services; raise if it is missing while a key is set."""
    text: str = env.str("PUSH_CONTACT", "")
    if (text or env.str("PUSH_PRIVATE_KEY", "")) and not re.fullmatch(
        r"mailto:[^@\s]+@[^@\s]+|https://[^/?#\s]+", text
    ):
        raise ImproperlyConfigured(f"PUSH_CONTACT is {text!r}: mailto:you@your.site")
    return text


def https_url(name: str) -> str:
    """Return an HTTPS URL to post to; "" for none."""
    url: str = env.str(name, "")
    if url and not re.fullmatch(r"https://[^/?#\s]+\S*", url):
        raise ImproperlyConfigured(f"{name} is {url!r}: it must begin with https://")
    return url


def kept_days(name: str, default: int) -> int:
    """Return a retention in whole days, at least two."""
    return whole(name, default, least=2, most=3_650)


def limit(name: str, default: int) -> int | None:
    """Return a limit in whole currency units; None for "none"."""
    if env.str(name, "") == "none":
        return None
    return whole(name, default, least=1, most=999_999_999)


def fernet_keys(name: str) -> list[str]:
    """Return Fernet keys; raise for a malformed one."""
    keys: list[str] = env.list(name, default=[]) if EPHEMERAL else env.list(name)
    for key in keys:
        try:
            Fernet(key)
        except ValueError as error:
            raise ImproperlyConfigured(f"{name} holds an invalid key: {error}") from error
    return keys
