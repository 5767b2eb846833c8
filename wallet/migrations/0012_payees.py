import json
from pathlib import Path

from cryptography.fernet import Fernet, MultiFernet
from django.conf import settings
from django.db import migrations, models

PAYEES = Path(__file__).parent.parent / "sql" / "payees.sql"


def encrypt_payees(apps, schema_editor):
    """What is written once was written in plain text; the guard that keeps it so steps aside here."""
    withdrawals = apps.get_model("wallet", "Withdrawal").objects.all()
    if not withdrawals.exists():
        return
    box = MultiFernet([Fernet(key) for key in settings.PAYEE_KEYS])
    schema_editor.execute("ALTER TABLE wallet_withdrawal DISABLE TRIGGER forwards")
    for one in withdrawals.iterator(chunk_size=500):
        content = [str(one.public_id), one.payee_name, one.bank_account, one.ifsc]
        withdrawals.filter(pk=one.pk).update(
            encrypted_payee=box.encrypt(json.dumps(content).encode()),
            account_end=one.bank_account[-4:],
        )
    schema_editor.execute("ALTER TABLE wallet_withdrawal ENABLE TRIGGER forwards")


class Migration(migrations.Migration):
    dependencies = [("wallet", "0011_forgetting_and_overdue")]

    operations = [
        migrations.AddField(
            model_name="withdrawal",
            name="encrypted_payee",
            field=models.BinaryField(null=True),
        ),
        migrations.AddField(
            model_name="withdrawal",
            name="account_end",
            field=models.CharField(max_length=4, default=""),
        ),
        migrations.RunPython(encrypt_payees),
        migrations.AlterField(
            model_name="withdrawal",
            name="encrypted_payee",
            field=models.BinaryField(),
        ),
        migrations.AlterField(
            model_name="withdrawal",
            name="account_end",
            field=models.CharField(max_length=4),
        ),
        migrations.RemoveField(model_name="withdrawal", name="payee_name"),
        migrations.RemoveField(model_name="withdrawal", name="bank_account"),
        migrations.RemoveField(model_name="withdrawal", name="ifsc"),
        migrations.RunSQL(PAYEES.read_text()),
    ]
