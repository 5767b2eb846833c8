from pathlib import Path

from django.db import migrations, models

SQL = Path(__file__).parent.parent / "sql"
# As in bonuses.sql, with a shorter question.
BONUSES_ADD_UP = """
DROP TRIGGER bonuses_add_up ON wallet_account;
CREATE CONSTRAINT TRIGGER bonuses_add_up AFTER UPDATE ON wallet_account
    DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW.kind LIKE '%bonus')
    EXECUTE FUNCTION wallet_bonus_adds_up();
"""


def fits(function: str, *fields: str) -> models.Func:
    return models.Func(*fields, function=function, output_field=models.BooleanField())


class Migration(migrations.Migration):
    """Look a new transfer's entries up by its key, whatever the planner believes of the books."""

    dependencies = [("wallet", "0020_lighter_posting")]

    operations = [
        *(
            migrations.RunSQL((SQL / part).read_text())
            for part in ("kinds.sql", "posting.sql", "posting_guards.sql")
        ),
        migrations.RunSQL(BONUSES_ADD_UP),
        migrations.RemoveConstraint("account", "wallet_account_owner_fits_kind"),
        migrations.RemoveConstraint("account", "wallet_account_players_and_games_have_a_floor"),
        migrations.AddConstraint(
            "account",
            models.CheckConstraint(
                condition=fits(
                    "wallet_account_fits_its_kind", "kind", "player", "ref", "floor_minor"
                ),
                name="wallet_account_owner_fits_kind",
            ),
        ),
        migrations.RemoveConstraint("transfer", "wallet_transfer_reversal_names_its_transfer"),
        migrations.AddConstraint(
            "transfer",
            models.CheckConstraint(
                condition=fits("wallet_transfer_fits_its_kind", "kind", "reverses"),
                name="wallet_transfer_reversal_names_its_transfer",
            ),
        ),
    ]
