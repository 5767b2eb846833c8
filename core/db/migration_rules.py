"""Rules for migrations: no locks on tables in use, no changes that break the release before.

While a release is rolled out, processes of the one before work on the new schema. squawk checks the
SQL of a migration; rules that SQL does not show are checked by operation. An app's first migrations
are exempt, because no process uses their tables yet. A migration declares:

    class Migration(migrations.Migration):
        # Rules that it breaks on purpose, and why no process has to wait.
        reviewed = {"runs-python": "A thousand rows at a time, each batch its own transaction."}
        # The first release whose models do not use the columns that this one drops.
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

# squawk's rules about locks and about clients of the schema before.
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
    """A broken rule of a migration."""

    migration: str
    rule: str
    message: str

    def __str__(self) -> str:
        return f"{self.migration}: {self.rule}: {self.message}"


class StatementCollector:
    """Collect a migration's statements without a server, unlike Django's own collector."""

    def __init__(self) -> None:
        self.statements: list[str] = []
        self.editor: BaseDatabaseSchemaEditor = connection.SchemaEditorClass(
            connection, collect_sql=True
        )
        self.editor.deferred_sql = []
        self.editor.execute = self._execute  # type: ignore[method-assign]
        # Names that Django would read from the server before it drops them.
        self.editor._constraint_names = lambda *_args, **_options: ["some_name"]  # type: ignore[attr-defined]

    def _execute(self, sql: Any, params: Sequence[Any] | None = ()) -> None:
        quoted = tuple(self.editor.quote_value(value) for value in params or ())
        self.statements.append((str(sql) % quoted if quoted else str(sql)).rstrip(" ;") + ";")

    def sql_of(self, migration: migrations.Migration, state: ProjectState) -> str:
        """Return the migration's SQL and advance `state` to the one after it."""
        migration.apply(state, self.editor, collect_sql=True)
        for statement in self.editor.deferred_sql:
            self._execute(statement, None)
        lines = self.statements
        return "\n".join(["BEGIN;", *lines, "COMMIT;"] if migration.atomic else lines)


def own_findings(*, version: str, within: Path) -> list[Finding]:
    """Return the broken rules of all migrations of the apps in this directory."""
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
    """Return the rules a migration breaks without a review or a release in between.

    `state` is the one before the migration; `version` is its release.
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
    if is_unused:  # Dropping a column needs SQL.
        broken.pop("runs-sql", None)
    reviewed: dict[str, str] = getattr(migration, "reviewed", {})
    found = [Finding(name, rule, text) for rule, text in broken.items() if rule not in reviewed]
    found += [
        Finding(name, rule, "It is declared in `reviewed` and not broken: remove the line.")
        for rule in reviewed.keys() - broken.keys()
    ]
    return found


def _judged_operations(
    operations: Iterable[Operation], state: ProjectState, app: str
) -> Iterator[tuple[str, str]]:
    """Yield the rules that operations break, and advance `state`."""
    for operation in operations:
        match operation:
            case migrations.SeparateDatabaseAndState():
                yield from _judged_state(operation.state_operations, state.clone(), app)
                yield from _judged_operations(operation.database_operations, state.clone(), app)
            case migrations.RunPython():
                yield "runs-python", "Rows it locks stay locked until it ends. Update in batches."
            case migrations.RunSQL() if operation.sql:
                yield "runs-sql", "Its own SQL needs a review."
            case migrations.AddField() if _needs_default(operation.field):
                yield DEFAULT_MISSING
            case migrations.RemoveField() | migrations.DeleteModel():
                yield STATE_FIRST
        operation.state_forwards(app, state)


def _judged_state(
    operations: Iterable[Operation], state: ProjectState, app: str
) -> Iterator[tuple[str, str]]:
    """Yield the rules broken by changes of models that leave the columns."""
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
    """Yield squawk's findings except those about style."""
    squawk = Path(sys.executable).with_name("squawk")
    options = "--config /dev/null --pg-version 18.0 --reporter json"
    command = [str(squawk), *options.split()]
    # Its exit status is 1 if it finds anything.
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
