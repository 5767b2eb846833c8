"""Message catalogues: extract from the sources, merge with the translations, compile.

Only Babel is needed, not gettext's programs. In scripts, `gettext(…)` is only found outside
template strings.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import allauth
import django
import unfold
from babel.messages import Catalog, Message
from babel.messages.extract import extract_javascript, extract_python
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.conf import settings
from django.contrib.auth import password_validation
from django.utils.translation import override
from django.utils.translation.template import templatize

from core.labels import ACTION, FIELD, english, fields_of, shown_models

BASE_DIR: Final[Path] = settings.BASE_DIR
LOCALES: Final = BASE_DIR / "locale"
PACKAGES: Final = (
    "config",
    "core",
    "devtools",
    "finance",
    "players",
    "staff",
    "tables",
    "tournaments",
    "wallet",
)
# Translation functions with the positions of their message arguments.
NAMES: Final[dict[str, Any]] = {
    "_": None,
    "gettext": None,
    "gettext_lazy": None,
    "gettext_noop": None,
    "ngettext": (1, 2),
    "ngettext_lazy": (1, 2),
    "pgettext": ((1, "c"), 2),
}
# allauth's pages and e-mails for players; allauth lacks some of the site's languages.
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
    "account/models.py",
    "usersessions/apps.py",
    "usersessions/models.py",
    "mfa/base/forms.py",
    "mfa/totp/forms.py",
    "mfa/adapter.py",
)
# Parts of allauth that this site does not use.
UNUSED: Final = (
    "phone",
    "passkey",
    "webauthn",
    "_code.",
    "_code_",
    "signup",
    "login",
    "logout",
    "email_change",
)
# The admin and forms of Django, by the place of their messages in its own catalogues, which lack
# some translations; the admin's theme has no catalogue.
DJANGO: Final = Path(django.__file__).parent
OF_DJANGO: Final = {
    "contrib/admin": ("contrib/admin/",),
    "contrib/auth": ("contrib/auth/apps", "contrib/auth/forms", "contrib/auth/models"),
    "conf": ("core/validators", "forms/", "db/models/base"),
}
THEME: Final = Path(unfold.__file__).parent
# Parts of the theme that this site does not use.
THEME_UNUSED: Final = ("contrib/", "command", "dataset", "password", "log", "language", "infinite")
DOMAINS: Final = ("django", "djangojs")
# A fixed date, so that a run without new messages changes no file.
WRITTEN: Final = datetime(2026, 1, 1, tzinfo=UTC)

# Line, function name, message, comments.
Found = tuple[Any, ...]


def collect(domain: str, locale: str) -> Catalog:
    """Return all messages of the templates and Python, or of the scripts.

    Messages of Django and the admin's theme are those that Django does not translate to the locale.
    """
    catalog = Catalog(domain=domain, project="Pool Rummy", charset="utf-8")
    if domain == "djangojs":
        _add(catalog, _of_scripts())
        return catalog
    _add(catalog, _of_pages_and_code())
    _add_names(catalog)
    _add_library_messages(catalog, locale)
    return catalog


def _add(catalog: Catalog, files: Iterable[tuple[Path, Iterable[Found]]]) -> None:
    for path, found in files:
        place = _place_of(path)
        for _line, name, message, _comments in found:
            words, context = _split(name, message)
            if words:
                catalog.add(words, locations=[(place, 0)], context=context)


def _add_names(catalog: Catalog) -> None:
    """Add the names of models, fields and staff actions, which no call marks (`core.labels`)."""
    for model in shown_models():
        place = model.__module__.replace(".", "/") + ".py"
        texts = [model._meta.verbose_name, model._meta.verbose_name_plural]
        for field in fields_of(model):
            if field._verbose_name is None:
                catalog.add(english(field.name), locations=[(place, 0)], context=FIELD)
            else:
                texts.append(field.verbose_name)
            texts.append(field.help_text)
        with override(None):
            for text in filter(None, map(str, texts)):
                catalog.add(text, locations=[(place, 0)])
    for path in _modules():
        for act in _actions_in(path):
            catalog.add(english(act), locations=[(_place_of(path), 0)], context=ACTION)


def _actions_in(path: Path) -> Iterator[str]:
    """Yield the actions that a module's calls write to the audit log."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.keyword) and node.arg == "act":
            values = (getattr(each, "value", None) for each in ast.walk(node.value))
            yield from (value for value in values if isinstance(value, str) and value)


def _add_library_messages(catalog: Catalog, locale: str) -> None:
    theme = Catalog()
    shown = [
        path
        for path in sorted((*THEME.rglob("*.html"), *THEME.rglob("*.py")))
        if not any(part in path.relative_to(THEME).as_posix() for part in THEME_UNUSED)
    ]
    _add(theme, ((path, _of_file(path)) for path in shown))
    for app, places in OF_DJANGO.items():
        own = DJANGO / app / "locale"
        translated = _po(own / locale / "LC_MESSAGES" / "django.po")
        missing = _po(own / "en" / "LC_MESSAGES" / "django.po")
        for message in missing:
            used = [
                at
                for at, _line in message.locations
                if at.startswith(places) and at.endswith(".py")
            ]
            if message.id and used:
                theme.add(message.id, locations=[(f"django/{used[0]}", 0)], context=message.context)
        for message in translated:
            if message.id and is_translated(message):
                theme.delete(message.id, message.context)
    for message in theme:
        if message.id:
            catalog.add(message.id, locations=message.locations, context=message.context)


def update(locale: str, domain: str) -> Catalog:
    """Merge the extracted messages into a locale's catalogue, write and compile it."""
    path = po_file(locale, domain)
    catalog = read(locale, domain) if path.exists() else _plain(Catalog(locale, domain))
    catalog.update(collect(domain, locale), no_fuzzy_matching=True, update_header_comment=False)
    _plain(catalog).obsolete.clear()
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        write_po(file, catalog, width=100, include_lineno=False, sort_output=True)
    path.with_suffix(".mo").write_bytes(compiled(read(locale, domain)))
    return catalog


def read(locale: str, domain: str) -> Catalog:
    return _plain(_po(po_file(locale, domain), locale=locale, domain=domain))


def is_translated(message: Message) -> bool:
    """Return whether the message is translated in every plural form."""
    strings = message.string if isinstance(message.string, tuple | list) else (message.string,)
    return all(strings)


def compiled(catalog: Catalog) -> bytes:
    """Return the catalogue in the binary format."""
    file = BytesIO()
    write_mo(file, catalog)
    return file.getvalue()


def _po(path: Path, **catalog: Any) -> Catalog:
    """Return the catalogue in a file; an empty one if there is none."""
    if not path.exists():
        return Catalog()
    with path.open("rb") as file:
        return read_po(file, **catalog)


def po_file(locale: str, domain: str) -> Path:
    return LOCALES / locale / "LC_MESSAGES" / f"{domain}.po"


def _plain(catalog: Catalog) -> Catalog:
    """Set a header that is equal in all runs."""
    catalog.project, catalog.version = "Pool Rummy", "1"
    catalog.header_comment = f"# {catalog.locale_identifier}: messages of Pool Rummy."
    catalog.creation_date = catalog.revision_date = WRITTEN
    catalog.last_translator = catalog.language_team = "Pool Rummy"
    catalog.msgid_bugs_address, catalog.fuzzy = "", False
    return catalog


def _of_pages_and_code() -> Iterator[tuple[Path, Iterable[Found]]]:
    for path in _modules():
        yield path, _of_file(path)
    for path in sorted((BASE_DIR / "templates").rglob("*.*")):
        if path.suffix in (".html", ".txt"):
            yield path, _of_file(path)
    for shape in BORROWED:
        for path in sorted(ALLAUTH.glob(shape)):
            if not any(part in path.name for part in UNUSED):
                yield path, _of_file(path)
    path = Path(password_validation.__file__)  # Missing in Django's own Hindi catalogue.
    yield path, _of_file(path)


def _modules() -> Iterator[Path]:
    for package in PACKAGES:
        for path in sorted((BASE_DIR / package).rglob("*.py")):
            if "migrations" not in path.parts:
                yield path


def _of_file(path: Path) -> Iterable[Found]:
    if path.suffix == ".py":
        return _extract(extract_python, path.read_bytes())
    calls = templatize(path.read_text(), origin=path.name)
    # The JavaScript lexer finds calls in any text; the Python one needs valid Python.
    return _extract(extract_javascript, calls.encode())


def _place_of(path: Path) -> str:
    """Return a path relative to the checkout or to the libraries."""
    home = LIBRARIES if path.is_relative_to(LIBRARIES) else BASE_DIR
    return path.relative_to(home).as_posix()


def _of_scripts() -> Iterator[tuple[Path, Iterable[Found]]]:
    for path in sorted((BASE_DIR / "static" / "js").rglob("*.js")):
        yield path, _extract(extract_javascript, path.read_bytes())


def _extract(extractor: Callable[..., Iterable[Found]], source: bytes) -> Iterable[Found]:
    return extractor(BytesIO(source), NAMES, [], {"encoding": "utf-8"})


def _split(name: str, message: Any) -> tuple[Any, str | None]:
    """Return the message and its context, if any."""
    parts = message if isinstance(message, tuple) else (message,)
    if name == "pgettext":
        return parts[1], parts[0]
    if NAMES[name]:
        return tuple(parts[:2]), None
    return parts[0], None
