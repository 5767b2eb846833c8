"""The first migration of an app, applied as one step."""

from __future__ import annotations

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations import Migration
from django.db.migrations.state import ProjectState


class InitialMigration(Migration):
    """Create all models of an app at once.

    Django rebuilds all related models after each operation, and here almost all models refer to the
    player: this took most of the time of migrating a new database. The operations must be
    `CreateModel`, with indexes and constraints in its options, and `RunSQL`; all of them are
    applied to the migration's final state.
    """

    def apply(
        self,
        project_state: ProjectState,
        schema_editor: BaseDatabaseSchemaEditor,
        collect_sql: bool = False,  # As in Django's own method.
    ) -> ProjectState:
        before = project_state.clone()
        project_state.__dict__.pop("apps", None)  # Rebuilt completely on the next access.
        for operation in self.operations:
            operation.state_forwards(self.app_label, project_state)
        for operation in self.operations:
            operation.database_forwards(self.app_label, schema_editor, before, project_state)
        return project_state
