"""Rules for migrations: no locks on tables in use, no changes that break the previous release.

During a rollout, processes of the previous release use the new schema. squawk checks the SQL of a
migration; what the SQL does not show is checked from the migration's operations. An app's first
migrations are exempt, because no process uses their tables yet. A migration can declare:

    class Migration(migrations.Migration):
        # The rules that it breaks on purpose, each with the reason why that is harmless.
        reviewed = {"runs-python": "A thousand rows at a time, each batch its own transaction."}
        # The first release that no longer uses the columns dropped by this migration.
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

# squawk's rules about locks and about clients that use the previous schema.
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
    "The previous release cannot insert rows without it. Give it null=True or db_default.",
)
STATE_FIRST: Final = (
    "drops-what-models-had",
    "The previous release uses it. Remove it from the state only, drop it in a later release.",
)
RENAMED: Final = "The previous release uses the old name. Add the new one, backfill, drop the old."


@dataclass(frozen=True)
class Finding:
    """A broken rule of a migration."""

    migration: str
    rule: str
    message: str

    def __str__(self) -> str:
        return f"{self.migration}: {self.rule}: {self.message}"


class StatementCollector:
    """Collects a migration's SQL without a database server, unlike Django's `sqlmigrate`."""

    def __init__(self) -> None:
        self.statements: list[str] = []
        self.editor: BaseDatabaseSchemaEditor = connection.SchemaEditorClass(
            connection, collect_sql=True
        )
        self.editor.deferred_sql = []
        self.editor.execute = self._execute  # type: ignore[method-assign]
        # Before Django drops a constraint, it would read the name from the server.
        self.editor._constraint_names = lambda *_args, **_options: ["some_name"]  # type: ignore[attr-defined]

    def _execute(self, sql: Any, params: Sequence[Any] | None = ()) -> None:
        quoted = tuple(self.editor.quote_value(value) for value in params or ())
        self.statements.append((str(sql) % quoted if quoted else str(sql)).rstrip(" ;") + ";")

    def sql_of(self, migration: migrations.Migration, state: ProjectState) -> str:
        """Return the migration's SQL; change `state` to the state after the migration."""
        migration.apply(state, self.editor, collect_sql=True)
        for statement in self.editor.deferred_sql:
            self._execute(statement, None)
        lines = self.statements
        return "\n".join(["BEGIN;", *lines, "COMMIT;"] if migration.atomic else lines)


def own_findings(*, version: str, within: Path) -> list[Finding]:
    """Return the rules broken by migrations of the apps in the directory `within`."""
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
    """Return the rules that a migration breaks and does not declare as reviewed.

    `state` is the state before the migration; `version` is the release that contains it.
    """
    name = f"{migration.app_label}.{migration.name}"
    is_unused = _is_unused(getattr(migration, "unused_since", None), version)
    broken = {
        rule: message
        for rule, message in (
            *_broken_by_operations(migration.operations, state.clone(), migration.app_label),
            *_broken_by_sql(StatementCollector().sql_of(migration, state.clone())),
        )
        if not (rule in DROPS and is_unused)
    }
    if is_unused:  # Columns are dropped by `RunSQL`, so it needs no review of its own.
        broken.pop("runs-sql", None)
    reviewed: dict[str, str] = getattr(migration, "reviewed", {})
    found = [Finding(name, rule, text) for rule, text in broken.items() if rule not in reviewed]
    found += [
        Finding(name, rule, "`reviewed` lists a rule that is not broken: remove the line.")
        for rule in reviewed.keys() - broken.keys()
    ]
    return found


def _broken_by_operations(
    operations: Iterable[Operation], state: ProjectState, app: str
) -> Iterator[tuple[str, str]]:
    """Yield the rules that operations break; apply the operations to `state`."""
    for operation in operations:
        match operation:
            case migrations.SeparateDatabaseAndState():
                yield from _broken_by_state(operation.state_operations, state.clone(), app)
                yield from _broken_by_operations(operation.database_operations, state.clone(), app)
            case migrations.RunPython():
                yield "runs-python", "Changed rows stay locked until it ends. Update in batches."
            case migrations.RunSQL() if operation.sql:
                yield "runs-sql", "Hand-written SQL is not checked by operation: review it."
            case migrations.AddField() if _needs_default(operation.field):
                yield DEFAULT_MISSING
            case migrations.RemoveField() | migrations.DeleteModel():
                yield STATE_FIRST
        operation.state_forwards(app, state)


def _broken_by_state(
    operations: Iterable[Operation], state: ProjectState, app: str
) -> Iterator[tuple[str, str]]:
    """Yield the rules broken by state-only operations, after which the columns still exist."""
    for operation in operations:
        if isinstance(operation, migrations.RemoveField):
            model = state.models[app, operation.model_name.lower()]
            if _needs_default(model.get_field(operation.name)):
                yield DEFAULT_MISSING
        operation.state_forwards(app, state)


def _needs_default(field: Field[Any, Any]) -> bool:
    has_value = field.null or field.db_default is not NOT_PROVIDED
    return not (has_value or field.many_to_many or field.generated)


def _broken_by_sql(sql: str) -> Iterator[tuple[str, str]]:
    """Yield squawk's findings except those about style."""
    squawk = Path(sys.executable).with_name("squawk")
    options = "--config /dev/null --pg-version 18.0 --reporter json"
    command = [str(squawk), *options.split()]
    # squawk exits with 1 if it finds anything.
    done = subprocess.run(command, input=sql, capture_output=True, text=True, check=False)
    if not done.stdout:
        raise RuntimeError(f"squawk failed: {done.stderr}")
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
    """Yield all migrations, each after its dependencies."""
    seen = set()
    for leaf in loader.graph.leaf_nodes():
        for node in loader.graph.forwards_plan(leaf):
            if node not in seen:
                seen.add(node)
                yield node
