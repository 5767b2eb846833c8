from pathlib import Path

from django.db import migrations

UNDO = """
DROP TRIGGER append_only ON tables_move;
DROP TRIGGER not_emptied ON tables_move;
DROP TRIGGER append_only ON tables_score;
DROP TRIGGER not_emptied ON tables_score;
DROP TRIGGER append_only ON tables_result;
DROP TRIGGER not_emptied ON tables_result;
DROP TRIGGER append_only ON tables_ruleprofile;
DROP TRIGGER not_emptied ON tables_ruleprofile;
DROP FUNCTION tables_refuse_rewriting_history();
"""


class Migration(migrations.Migration):
    dependencies = [("tables", "0001_initial"), ("players", "0001_initial")]

    operations = [
        migrations.RunSQL(
            (Path(__file__).parent.parent / "sql" / "append_only.sql").read_text(), UNDO
        )
    ]
