from pathlib import Path

import django.db.models.deletion
import players.identifiers
from django.conf import settings
from django.db import migrations, models


SQL = Path(__file__).parent.parent / "sql"

class Migration(migrations.Migration):

    dependencies = [
        ('wallet', '0005_seals'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='BonusGrant',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.UUIDField(default=players.identifiers.new_public_id, editable=False, unique=True)),
                ('mode', models.CharField(choices=[('spend', 'Pays a part of entries'), ('release', 'Becomes winnings with each settled entry')], max_length=7)),
                ('amount_minor', models.BigIntegerField()),
                ('remaining_minor', models.BigIntegerField()),
                ('release_bps', models.IntegerField(blank=True, null=True)),
                ('reason', models.CharField(max_length=80)),
                ('granted_at', models.DateTimeField()),
                ('expires_at', models.DateTimeField()),
            ],
            options={
                'ordering': ['-id'],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('amount_minor__gt', 0), ('remaining_minor__gte', 0), ('remaining_minor__lte', models.F('amount_minor'))), name='wallet_bonusgrant_holds_what_was_granted_at_most'),
                    models.CheckConstraint(condition=models.Q(models.Q(('mode', 'spend'), ('release_bps', None)), models.Q(('mode', 'release'), ('release_bps__gte', 1), ('release_bps__lte', 10000)), _connector='OR'), name='wallet_bonusgrant_has_one_mode'),
                    models.CheckConstraint(condition=models.Q(('expires_at__gt', models.F('granted_at'))), name='wallet_bonusgrant_ends_after_it_begins'),
                    models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='wallet_bonusgrant_has_a_reason'),
                ],
                'indexes': [
                    models.Index(condition=models.Q(('remaining_minor__gt', 0)), fields=['expires_at'], name='wallet_bonusgrant_due'),
                ],
            },
        ),
        migrations.CreateModel(
            name='BonusMovement',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('amount_minor', models.BigIntegerField()),
            ],
            options={
                'ordering': ['id'],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('amount_minor', 0), _negated=True), name='wallet_bonusmovement_moves_something'),
                ],
            },
        ),
        migrations.CreateModel(
            name='BonusRequest',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('currency', models.CharField(max_length=3)),
                ('amount_minor', models.BigIntegerField()),
                ('mode', models.CharField(choices=[('spend', 'Pays a part of entries'), ('release', 'Becomes winnings with each settled entry')], default='spend', max_length=7)),
                ('release_bps', models.IntegerField(blank=True, null=True)),
                ('term_days', models.PositiveSmallIntegerField(default=30)),
                ('reason', models.CharField(max_length=80)),
                ('made_at', models.DateTimeField(auto_now_add=True)),
                ('status', models.CharField(choices=[('requested', 'Waiting for a second person'), ('approved', 'Approved and granted'), ('rejected', 'Rejected')], default='requested', max_length=9)),
                ('checked_at', models.DateTimeField(null=True)),
            ],
            options={
                'ordering': ['-id'],
                'permissions': (('check_bonusrequest', 'Can approve and reject bonuses'),),
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('amount_minor__gt', 0), ('term_days__gte', 1), ('term_days__lte', 365), models.Q(('reason', ''), _negated=True)), name='wallet_bonusrequest_says_how_much_how_long_and_why'),
                    models.CheckConstraint(condition=models.Q(models.Q(('mode', 'spend'), ('release_bps', None)), models.Q(('mode', 'release'), ('release_bps__gte', 1), ('release_bps__lte', 10000)), _connector='OR'), name='wallet_bonusrequest_has_one_mode'),
                ],
            },
        ),
        migrations.RemoveConstraint(
            model_name='account',
            name='wallet_account_owner_fits_kind',
        ),
        migrations.RemoveConstraint(
            model_name='account',
            name='wallet_account_players_and_games_have_a_floor',
        ),
        migrations.RemoveConstraint(
            model_name='transfer',
            name='wallet_transfer_reversal_names_its_transfer',
        ),
        migrations.AlterField(
            model_name='account',
            name='kind',
            field=models.CharField(choices=[('bonus', 'Bonus'), ('deposit', 'Deposit'), ('winnings', 'Winnings'), ('withdrawal_hold', 'Withdrawal hold'), ('locked_bonus', 'Locked bonus'), ('escrow', 'Escrow of a game'), ('rake', 'House rake'), ('promotions', 'Promotions'), ('guarantee', 'Guarantees'), ('gateway_clearing', 'Gateway clearing'), ('tds_payable', 'TDS payable'), ('gst_payable', 'GST payable'), ('suspense', 'Suspense')], max_length=20),
        ),
        migrations.AlterField(
            model_name='transfer',
            name='kind',
            field=models.CharField(choices=[('grant', 'Grant'), ('buy_in', 'Buy-in'), ('prize', 'Prize'), ('refund', 'Refund'), ('deposit', 'Deposit'), ('withdrawal', 'Withdrawal'), ('adjustment', 'Adjustment'), ('bonus', 'Bonus'), ('release', 'Release of a bonus'), ('expiry', 'Expiry of a bonus'), ('reversal', 'Reversal')], max_length=16),
        ),
        migrations.AddConstraint(
            model_name='account',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('kind__in', ('bonus', 'deposit', 'winnings', 'withdrawal_hold', 'locked_bonus')), ('player__isnull', False), ('ref', '')), models.Q(('kind', 'escrow'), ('player__isnull', True), models.Q(('ref', ''), _negated=True)), models.Q(('kind__in', ('rake', 'promotions', 'guarantee', 'gateway_clearing', 'tds_payable', 'gst_payable', 'suspense')), ('player__isnull', True)), _connector='OR'), name='wallet_account_owner_fits_kind'),
        ),
        migrations.AddConstraint(
            model_name='account',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('kind__in', ['bonus', 'deposit', 'winnings', 'withdrawal_hold', 'locked_bonus', 'escrow']), _negated=True), models.Q(('floor_minor__gte', 0), ('floor_minor__isnull', False)), _connector='OR'), name='wallet_account_players_and_games_have_a_floor'),
        ),
        migrations.AddConstraint(
            model_name='transfer',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('kind', 'reversal'), ('reverses__isnull', False)), models.Q(('kind__in', ('grant', 'buy_in', 'prize', 'refund', 'deposit', 'withdrawal', 'adjustment', 'bonus', 'release', 'expiry')), ('reverses__isnull', True)), _connector='OR'), name='wallet_transfer_reversal_names_its_transfer'),
        ),
        migrations.AddField(
            model_name='bonusgrant',
            name='account',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='bonus_grants', to='wallet.account'),
        ),
        migrations.AddField(
            model_name='bonusgrant',
            name='granted_by',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='bonusgrant',
            name='transfer',
            field=models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='bonus_grant', to='wallet.transfer'),
        ),
        migrations.AddField(
            model_name='stakepart',
            name='grant',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='stake_parts', to='wallet.bonusgrant'),
        ),
        migrations.AddField(
            model_name='bonusmovement',
            name='grant',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='movements', to='wallet.bonusgrant'),
        ),
        migrations.AddField(
            model_name='bonusmovement',
            name='transfer',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='bonus_movements', to='wallet.transfer'),
        ),
        migrations.AddField(
            model_name='bonusrequest',
            name='checked_by',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='bonusrequest',
            name='grant',
            field=models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='request', to='wallet.bonusgrant'),
        ),
        migrations.AddField(
            model_name='bonusrequest',
            name='made_by',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='bonusrequest',
            name='player',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='bonus_requests', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddIndex(
            model_name='bonusgrant',
            index=models.Index(condition=models.Q(('remaining_minor__gt', 0)), fields=['account', 'expires_at'], name='wallet_bonusgrant_left'),
        ),
        migrations.AddConstraint(
            model_name='bonusmovement',
            constraint=models.UniqueConstraint(fields=('grant', 'transfer'), name='wallet_bonusmovement_one_per_transfer'),
        ),
        migrations.AddConstraint(
            model_name='bonusrequest',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('checked_at', None), ('checked_by', None), ('status', 'requested')), models.Q(('checked_at__isnull', False), ('checked_by__isnull', False), ('status__in', ['approved', 'rejected'])), _connector='OR'), name='wallet_bonusrequest_decided_by_somebody'),
        ),
        migrations.AddConstraint(
            model_name='bonusrequest',
            constraint=models.CheckConstraint(condition=models.Q(('checked_by__isnull', True), models.Q(('checked_by', models.F('made_by')), _negated=True), _connector='OR'), name='wallet_bonusrequest_checked_by_another'),
        ),
        migrations.AddConstraint(
            model_name='bonusrequest',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('grant__isnull', False), ('status', 'approved')), models.Q(models.Q(('status', 'approved'), _negated=True), ('grant__isnull', True)), _connector='OR'), name='wallet_bonusrequest_approved_is_granted'),
        ),
        migrations.RunSQL((SQL / "bonuses.sql").read_text()),
        migrations.RunSQL((SQL / "bonuses_held_before.sql").read_text()),
    ]
