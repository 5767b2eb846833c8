"""The catalogues of words: collected from the sources, merged with what is translated, compiled.

Everything here is Python; gettext's own tools are not needed. In scripts `gettext(…)` stands
outside template strings, where it would not be found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import allauth
from babel.messages import Catalog, Message
from babel.messages.extract import extract_javascript, extract_python
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.conf import settings
from django.contrib.auth import password_validation
from django.utils.translation.template import templatize

BASE_DIR: Final[Path] = settings.BASE_DIR
LOCALES: Final = BASE_DIR / "locale"
PACKAGES: Final = (
    "config",
    "core",
    "finance",
    "players",
    "staff",
    "tables",
    "tournaments",
    "wallet",
)
# Function names of which the arguments are words; numbers say which of them are.
NAMES: Final[dict[str, Any]] = {
    "_": None,
    "gettext": None,
    "gettext_lazy": None,
    "gettext_noop": None,
    "ngettext": (1, 2),
    "ngettext_lazy": (1, 2),
    "pgettext": ((1, "c"), 2),
}
# allauth's own pages and mails that players see; it brings not every language of ours.
ALLAUTH: Final = Path(allauth.__file__).parent
LIBRARIES: Final = ALLAUTH.parent
BORROWED: Final = (
    "templates/account/*.html",
    "templates/account/snippets/*.html",
    "templates/account/email/*.txt",
    "templates/account/messages/*.txt",
    "templates/mfa/index.html",
    "templates/mfa/authenticate.html",
    "templates/mfa/reauthenticate.html",
    "templates/mfa/totp/*.html",
    "templates/mfa/recovery_codes/*.html",
    "templates/mfa/messages/*.txt",
    "account/forms.py",
    "account/adapter.py",
    "account/fields.py",
    "mfa/base/forms.py",
    "mfa/totp/forms.py",
    "mfa/adapter.py",
)
# What of it this site does not offer.
UNUSED: Final = (
    *("phone", "passkey", "webauthn", "_code.", "_code_"),
    *("signup", "login", "logout", "email_change"),
)
DOMAINS: Final = ("django", "djangojs")
# A date that moved would make every run look like a change.
WRITTEN: Final = datetime(2026, 1, 1, tzinfo=UTC)

# Line, name of the function, the words, comments.
Found = tuple[Any, ...]


def collect(domain: str) -> Catalog:
    """Return every message of the sources: pages and Python, or the scripts."""
    catalog = Catalog(domain=domain, project="Pool Rummy", charset="utf-8")
    for path, found in _of_scripts() if domain == "djangojs" else _of_pages_and_code():
        place = _place_of(path)
        for _line, name, message, _comments in found:
            words, context = _split(name, message)
            if words:
                catalog.add(words, locations=[(place, 0)], context=context)
    return catalog


def update(locale: str, domain: str) -> Catalog:
    """Merge the sources' messages into a locale's catalogue, write it and compile it."""
    path = po_file(locale, domain)
    catalog = read(locale, domain) if path.exists() else _plain(Catalog(locale, domain))
    catalog.update(collect(domain), no_fuzzy_matching=True, update_header_comment=False)
    _plain(catalog).obsolete.clear()
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        write_po(file, catalog, width=100, include_lineno=False, sort_output=True)
    path.with_suffix(".mo").write_bytes(compiled(read(locale, domain)))
    return catalog


def read(locale: str, domain: str) -> Catalog:
    with po_file(locale, domain).open("rb") as file:
        return _plain(read_po(file, locale=locale, domain=domain))


def is_said(message: Message) -> bool:
    """Say whether the message is translated, in every plural form."""
    said = message.string if isinstance(message.string, tuple | list) else (message.string,)
    return all(said)


def compiled(catalog: Catalog) -> bytes:
    """Return the catalogue as the server reads it."""
    file = BytesIO()
    write_mo(file, catalog)
    return file.getvalue()


def po_file(locale: str, domain: str) -> Path:
    return LOCALES / locale / "LC_MESSAGES" / f"{domain}.po"


def _plain(catalog: Catalog) -> Catalog:
    """Give the catalogue a header that says what it is, and is the same in every run."""
    catalog.project, catalog.version = "Pool Rummy", "1"
    catalog.header_comment = f"# {catalog.locale_identifier}: the words of Pool Rummy."
    catalog.creation_date = catalog.revision_date = WRITTEN
    catalog.last_translator = catalog.language_team = "Pool Rummy"
    catalog.msgid_bugs_address, catalog.fuzzy = "", False
    return catalog


def _of_pages_and_code() -> Iterator[tuple[Path, Iterable[Found]]]:
    for package in PACKAGES:
        for path in sorted((BASE_DIR / package).rglob("*.py")):
            if "migrations" not in path.parts:
                yield path, _of_file(path)
    for path in sorted((BASE_DIR / "templates").rglob("*.*")):
        if path.suffix in (".html", ".txt"):
            yield path, _of_file(path)
    for shape in BORROWED:
        for path in sorted(ALLAUTH.glob(shape)):
            if not any(part in path.name for part in UNUSED):
                yield path, _of_file(path)
    path = Path(password_validation.__file__)  # Django's own Hindi lacks it.
    yield path, _of_file(path)


def _of_file(path: Path) -> Iterable[Found]:
    if path.suffix == ".py":
        return _extract(extract_python, path.read_bytes())
    calls = templatize(path.read_text(), origin=path.name)
    # The lexer of scripts finds calls in any text; Python's wants it to be Python.
    return _extract(extract_javascript, calls.encode())


def _place_of(path: Path) -> str:
    """Return where a message stands, without where this checkout or its libraries do."""
    home = LIBRARIES if path.is_relative_to(LIBRARIES) else BASE_DIR
    return path.relative_to(home).as_posix()


def _of_scripts() -> Iterator[tuple[Path, Iterable[Found]]]:
    for path in sorted((BASE_DIR / "static" / "js").glob("*.js")):
        yield path, _extract(extract_javascript, path.read_bytes())


def _extract(extractor: Callable[..., Iterable[Found]], source: bytes) -> Iterable[Found]:
    return extractor(BytesIO(source), NAMES, [], {"encoding": "utf-8"})


def _split(name: str, message: Any) -> tuple[Any, str | None]:
    """Return the words, and the context of those that have one."""
    parts = message if isinstance(message, tuple) else (message,)
    if name == "pgettext":
        return parts[1], parts[0]
    if NAMES[name]:
        return tuple(parts[:2]), None
    return parts[0], None
