"""What a migration may not do: lock a table in use, or break the release before it.

While a release is rolled out, processes of the one before work on the new schema. The SQL of a
migration is judged by squawk, and what SQL does not show is judged by the operation. An app's first
migrations are exempt: nothing uses their tables yet. A migration says about itself:

    class Migration(migrations.Migration):
        # Rules that it breaks on purpose, and why nobody is kept waiting.
        reviewed = {"runs-python": "A thousand rows at a time, each batch its own transaction."}
        # The release whose models first did without what this one drops.
        unused_since = "1.4.0"
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from django.apps import apps
from django.db import connection, migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState
from django.db.models import NOT_PROVIDED, Field

# Of squawk's rules those about locks and about clients of the schema before.
LOCKS: Final = {
    "adding-field-with-default",
    "adding-foreign-key-constraint",
    "adding-not-nullable-field",
    "adding-required-field",
    "adding-serial-primary-key-field",
    "ban-concurrent-index-creation-in-transaction",
    "changing-column-type",
    "constraint-missing-not-valid",
    "disallowed-unique-constraint",
    "require-concurrent-index-creation",
    "require-concurrent-index-deletion",
    "require-concurrent-reindex",
}
RENAMES: Final = {"renaming-column", "renaming-table"}
DROPS: Final = {"ban-drop-column", "ban-drop-table"}
DEFAULT_MISSING: Final = (
    "not-null-without-db-default",
    "The release that does not name it cannot insert rows. Give it null=True or db_default.",
)
STATE_FIRST: Final = (
    "drops-what-models-had",
    "The release before uses it. Remove it from the state alone, drop it in a later release.",
)
RENAMED: Final = "The release before uses the old name. Add the new one, backfill, drop the old."


@dataclass(frozen=True)
class Finding:
    """A rule that a migration breaks."""

    migration: str
    rule: str
    message: str

    def __str__(self) -> str:
        return f"{self.migration}: {self.rule}: {self.message}"


class StatementCollector:
    """Collects what a migration would execute; unlike Django's own way it asks no server."""

    def __init__(self) -> None:
        self.statements: list[str] = []
        self.editor: BaseDatabaseSchemaEditor = connection.SchemaEditorClass(
            connection, collect_sql=True
        )
        self.editor.deferred_sql = []
        self.editor.execute = self._execute  # type: ignore[method-assign]
        # Names that Django reads from the server before it drops what they name.
        self.editor._constraint_names = lambda *_args, **_options: ["some_name"]  # type: ignore[attr-defined]

    def _execute(self, sql: Any, params: Sequence[Any] | None = ()) -> None:
        quoted = tuple(self.editor.quote_value(value) for value in params or ())
        self.statements.append((str(sql) % quoted if quoted else str(sql)).rstrip(" ;") + ";")

    def sql_of(self, migration: migrations.Migration, state: ProjectState) -> str:
        """Return the migration's SQL; `state` becomes the one after it."""
        migration.apply(state, self.editor, collect_sql=True)
        for statement in self.editor.deferred_sql:
            self._execute(statement, None)
        lines = self.statements
        return "\n".join(["BEGIN;", *lines, "COMMIT;"] if migration.atomic else lines)


def own_findings(*, version: str, within: Path) -> list[Finding]:
    """Return what the migrations of the apps in this directory may not do."""
    loader = MigrationLoader(None, ignore_no_migrations=True)
    own = {app.label for app in apps.get_app_configs() if Path(app.path).parent == within}
    findings, state = [], ProjectState()
    for node in _in_order(loader):
        migration = loader.graph.nodes[node]
        assert migration is not None, f"{node} is missing"
        if node[0] in own and not _is_initial(migration):
            findings += findings_of(migration, state, version=version)
        migration.mutate_state(state, preserve=False)
    return findings


def findings_of(
    migration: migrations.Migration, state: ProjectState, *, version: str
) -> list[Finding]:
    """Return the rules it breaks and neither reviews nor has waited a release for.

    `state` is the one before it, and `version` that of the release it is made for.
    """
    name = f"{migration.app_label}.{migration.name}"
    is_unused = _is_unused(getattr(migration, "unused_since", None), version)
    broken = {
        rule: message
        for rule, message in (
            *_judged_operations(migration.operations, state.clone(), migration.app_label),
            *_judged_sql(StatementCollector().sql_of(migration, state.clone())),
        )
        if not (rule in DROPS and is_unused)
    }
    if is_unused:  # What drops a column is SQL by necessity.
        broken.pop("runs-sql", None)
    reviewed: dict[str, str] = getattr(migration, "reviewed", {})
    found = [Finding(name, rule, text) for rule, text in broken.items() if rule not in reviewed]
    found += [
        Finding(name, rule, "It is reviewed, and not broken: take the line out.")
        for rule in reviewed.keys() - broken.keys()
    ]
    return found


def _judged_operations(
    operations: Iterable[Operation], state: ProjectState, app: str
) -> Iterator[tuple[str, str]]:
    """Yield the rules that operations break; `state` follows them."""
    for operation in operations:
        match operation:
            case migrations.SeparateDatabaseAndState():
                yield from _judged_state(operation.state_operations, state.clone(), app)
                yield from _judged_operations(operation.database_operations, state.clone(), app)
            case migrations.RunPython():
                yield "runs-python", "Rows it locks stay locked until it ends. Update in batches."
            case migrations.RunSQL() if operation.sql:
                yield "runs-sql", "SQL of its own is to be read by somebody."
            case migrations.AddField() if _needs_default(operation.field):
                yield DEFAULT_MISSING
            case migrations.RemoveField() | migrations.DeleteModel():
                yield STATE_FIRST
        operation.state_forwards(app, state)


def _judged_state(
    operations: Iterable[Operation], state: ProjectState, app: str
) -> Iterator[tuple[str, str]]:
    """Yield the rules that changes of models alone break: the columns stay."""
    for operation in operations:
        if isinstance(operation, migrations.RemoveField):
            model = state.models[app, operation.model_name.lower()]
            if _needs_default(model.get_field(operation.name)):
                yield DEFAULT_MISSING
        operation.state_forwards(app, state)


def _needs_default(field: Field[Any, Any]) -> bool:
    has_value = field.null or field.db_default is not NOT_PROVIDED
    return not (has_value or field.many_to_many or field.generated)


def _judged_sql(sql: str) -> Iterator[tuple[str, str]]:
    """Yield what squawk finds, but for its advice on style."""
    squawk = Path(sys.executable).with_name("squawk")
    options = "--config /dev/null --pg-version 18.0 --reporter json"
    command = [str(squawk), *options.split()]
    # It ends with 1 when it finds anything.
    done = subprocess.run(command, input=sql, capture_output=True, text=True, check=False)
    if not done.stdout:
        raise RuntimeError(f"squawk says nothing: {done.stderr}")
    for found in json.loads(done.stdout):
        rule = found["rule_name"]
        if rule in RENAMES:
            yield rule, RENAMED
        elif rule in LOCKS | DROPS or found["level"] == "Error":
            yield rule, " ".join(filter(None, (found["message"], found["help"])))


def _is_unused(since: str | None, version: str) -> bool:
    return since is not None and _numbers(since) < _numbers(version)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def _is_initial(migration: migrations.Migration) -> bool:
    if migration.initial is not None:
        return migration.initial
    return all(app != migration.app_label for app, _ in migration.dependencies)


def _in_order(loader: MigrationLoader) -> Iterator[tuple[str, str]]:
    """Yield all migrations, each after those it needs."""
    seen = set()
    for leaf in loader.graph.leaf_nodes():
        for node in loader.graph.forwards_plan(leaf):
            if node not in seen:
                seen.add(node)
                yield node
