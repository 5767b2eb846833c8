"""Inside an app, edges import services, services import models, and no modules form a circle.

The order between apps is import-linter's (`pyproject.toml`); this is what it cannot say: a layer is
a kind of module here, not a package.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import grimp
import pytest

from tests.builders.processes.product import CHECKOUT

ORDERED = ("players", "wallet", "tables", "tournaments", "finance", "staff")
PACKAGES = (*ORDERED, "config", "core", "devtools", "rummy")
# What a request, a task or a command enters by.
EDGES = re.compile(r"(^|_)(admin|api|consumers|forms|middleware|pages?|tasks|urls|views)$")
MODELS = re.compile(r"(^|_)(models|exceptions)$")
# Edges by what they do, whatever they are called.
MORE_EDGES = {
    "tables.sockets.stream",
}
# Values, and look-ups that models need.
VALUES = {
    "finance.books.chart",
    "finance.matching.files",
    "finance.matching.layouts.layout",
    "players.accounts.avatars",
    "players.accounts.consent",
    "players.accounts.places",
    "players.accounts.verified_email",
    "players.identity.providers.interface",
    "players.identity.states",
    "tables.ratings.rating",
    "tables.state.same_table",
    "wallet.ledger.models",
    "wallet.ledger.money",
    "wallet.tax.arithmetic",
    "wallet.tax.invoices.gstin",
    "wallet.withdrawals.payees.banks",
}


@cache
def graph() -> grimp.ImportGraph:
    return grimp.build_graph(*PACKAGES, cache_dir=None)


def layer(module: str) -> int:
    """Return 2 for an edge, 1 for a service and 0 for a model or a value."""
    parts = module.split(".")
    is_command = "management" in parts or "migrations" in parts
    if is_command or module in MORE_EDGES or EDGES.search(parts[-1]):
        return 2
    is_model = module in VALUES or any(MODELS.search(part) for part in parts[1:])
    return 0 if is_model else 1


@pytest.mark.parametrize("app", ORDERED)
def test_imports_within_an_app_go_from_edges_to_services_to_models(app: str) -> None:
    modules = [name for name in graph().modules if name.split(".")[0] == app]

    upwards = [
        f"{importer} -> {imported}"
        for importer in modules
        for imported in graph().find_modules_directly_imported_by(importer)
        if imported.split(".")[0] == app and layer(importer) < layer(imported)
    ]

    assert {layer(name) for name in modules} == {0, 1, 2} - ({0} if app == "staff" else set())
    assert upwards == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    imported = {name: graph().find_modules_directly_imported_by(name) for name in graph().modules}
    # A module whose imports are all removed is removed, until none is left or a circle remains.
    while free := {name for name, others in imported.items() if not others & imported.keys()}:
        imported = {name: others for name, others in imported.items() if name not in free}

    assert len(graph().modules) > 800
    assert sorted(imported) == []


def test_the_graph_holds_every_module_on_disk() -> None:
    files = [path for package in PACKAGES for path in (CHECKOUT / package).rglob("*.py")]
    on_disk = {_name(path.relative_to(CHECKOUT)) for path in files}

    assert len(on_disk) > 800
    assert sorted(on_disk - graph().modules) == [], "a folder of code needs an __init__.py"


def _name(path: Path) -> str:
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
