"""The first migration of an app, applied as one step."""

from __future__ import annotations

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations import Migration
from django.db.migrations.state import ProjectState


class InitialMigration(Migration):
    """Create all of an app's models at once.

    Django makes every model that is related to a new one anew after each operation, and here all of
    them name the player: of a fresh database's migration that was most. The operations of such a
    migration are `CreateModel`, with indexes and constraints among its options, and `RunSQL`; they
    are applied to the state they lead to together.
    """

    def apply(
        self,
        project_state: ProjectState,
        schema_editor: BaseDatabaseSchemaEditor,
        collect_sql: bool = False,  # As Django has it.
    ) -> ProjectState:
        before = project_state.clone()
        project_state.__dict__.pop("apps", None)  # Made anew when it is asked for, whole.
        for operation in self.operations:
            operation.state_forwards(self.app_label, project_state)
        for operation in self.operations:
            operation.database_forwards(self.app_label, schema_editor, before, project_state)
        return project_state
