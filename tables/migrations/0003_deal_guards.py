from pathlib import Path

from django.db import migrations

UNDO = """
DROP TRIGGER commitment_stands ON tables_deal;
DROP TRIGGER not_deleted ON tables_deal;
DROP TRIGGER not_emptied ON tables_deal;
DROP TRIGGER append_only ON tables_dealsecret;
DROP TRIGGER not_emptied ON tables_dealsecret;
DROP FUNCTION tables_refuse_another_commitment();
GRANT UPDATE ON tables_deal TO rummy_app;
GRANT DELETE ON tables_deal, tables_elimination, tables_dealseat, tables_buyin TO rummy_app;
"""


class Migration(migrations.Migration):
    dependencies = [("tables", "0002_append_only")]

    operations = [
        migrations.RunSQL(
            (Path(__file__).parent.parent / "sql" / "deal_guards.sql").read_text(), UNDO
        )
    ]
