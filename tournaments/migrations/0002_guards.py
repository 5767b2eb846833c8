from django.db import migrations

# What a tournament was played and paid by is not deleted, and a seed is never exchanged.
DO = """
REVOKE DELETE, TRUNCATE ON tournaments_tournament, tournaments_entry, tournaments_ticket,
    tournaments_round, tournaments_roundtable, tournaments_seating, tournaments_staffact
    FROM rummy_app;
REVOKE UPDATE, DELETE, TRUNCATE ON tournaments_prize, tournaments_tournamentsecret FROM rummy_app;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON tournaments_prize
FOR EACH ROW EXECUTE FUNCTION tables_refuse_rewriting_history();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON tournaments_tournamentsecret
FOR EACH ROW EXECUTE FUNCTION tables_refuse_rewriting_history();
"""
UNDO = """
DROP TRIGGER append_only ON tournaments_tournamentsecret;
DROP TRIGGER append_only ON tournaments_prize;
GRANT UPDATE, DELETE ON tournaments_prize, tournaments_tournamentsecret TO rummy_app;
GRANT DELETE ON tournaments_tournament, tournaments_entry, tournaments_ticket, tournaments_round,
    tournaments_roundtable, tournaments_seating, tournaments_staffact TO rummy_app;
"""


class Migration(migrations.Migration):
    dependencies = [("tournaments", "0001_initial"), ("tables", "0004_windows_and_games")]

    operations = [migrations.RunSQL(DO, UNDO)]
