from pathlib import Path

from django.db import migrations, models

SQL = Path(__file__).parent.parent / "sql"


class Migration(migrations.Migration):
    """Seal versions of rows with the transfers, and refuse what would bless a forgery."""

    dependencies = [("wallet", "0023_row_versions")]

    operations = [
        migrations.AddField("seal", "version_count", models.BigIntegerField(default=0)),
        migrations.AddField(
            "seal", "transfer_marks", models.BinaryField(default=b"", editable=False)
        ),
        migrations.RemoveConstraint("seal", "wallet_seal_holds_something"),
        migrations.AddConstraint(
            "seal",
            models.CheckConstraint(
                condition=models.Q(
                    ("to_xid__gt", models.F("from_xid")),
                    models.Q(("transfer_count__gt", 0), ("version_count__gt", 0), _connector="OR"),
                ),
                name="wallet_seal_holds_something",
            ),
        ),
        migrations.CreateModel(
            name='SentHead',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.BigIntegerField()),
                ('hash', models.CharField(max_length=64)),
                ('sent_to', models.CharField(max_length=200)),
                ('sent_at', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.AlterField(
            model_name='stafftask',
            name='kind',
            field=models.CharField(choices=[('other_amount', 'Another amount was paid than ordered'), ('paid_twice', 'An order was paid a second time'), ('unknown_order', 'A payment for an order we do not know'), ('late_decision', 'A withdrawal was not decided in time'), ('late_payment', 'A withdrawal was not paid in time'), ('seal_refused', 'A transfer is not as it was posted and cannot be sealed'), ('seals_missing', 'Seals were made and are not there'), ('seal_late', 'A transfer waits too long for its seal')], max_length=16),
        ),
        migrations.AddIndex(
            model_name='rowversion',
            index=models.Index(condition=models.Q(('relation', 'wallet_seal')), fields=['id'], name='wallet_rowversion_of_seals'),
        ),
        migrations.AddConstraint(
            model_name='senthead',
            constraint=models.UniqueConstraint(fields=('sent_to', 'number'), name='wallet_senthead_once'),
        ),
        *(
            migrations.RunSQL((SQL / part).read_text()) for part in ("sealing.sql", "sent_heads.sql")
        ),
    ]
