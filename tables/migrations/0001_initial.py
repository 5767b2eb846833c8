import core.db.identifiers
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from core.db.initial import InitialMigration


class Migration(InitialMigration):

    initial = True

    dependencies = [
        ('players', '0001_initial'),
        ('wallet', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='RuleProfile',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=60)),
                ('version', models.PositiveIntegerField()),
                ('text', models.TextField()),
                ('sha256', models.CharField(max_length=64, unique=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('name', 'version'), name='tables_ruleprofile_version_once')],
            },
        ),
        migrations.CreateModel(
            name='TableTemplate',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(max_length=60, unique=True)),
                ('name', models.CharField(max_length=60)),
                ('profile', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='templates', to='tables.ruleprofile')),
                ('seats_max', models.PositiveSmallIntegerField(default=6)),
                ('seats_min', models.PositiveSmallIntegerField(default=2)),
                ('entry_minor', models.BigIntegerField()),
                ('point_value_minor', models.BigIntegerField(default=0)),
                ('currency', models.CharField(default='PTS', max_length=3)),
                ('rake_bps', models.PositiveIntegerField(default=0)),
                ('bots_fill', models.BooleanField(default=False)),
                ('bot_strength', models.CharField(choices=[('random', 'random'), ('greedy', 'greedy'), ('strong', 'strong')], default='greedy', max_length=6)),
                ('is_offered', models.BooleanField(default=True)),
                ('same_network', models.CharField(choices=[('flag', 'Shown to staff'), ('refuse', 'The second is refused')], default='flag', max_length=6)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('seats_max__lte', 6), ('seats_min__gte', 2), ('seats_min__lte', models.F('seats_max'))), name='tables_tabletemplate_seats_two_to_six'), models.CheckConstraint(condition=models.Q(('entry_minor__gt', 0), ('point_value_minor__gte', 0), ('rake_bps__lt', 10000)), name='tables_tabletemplate_entry_and_rake'), models.CheckConstraint(condition=models.Q(('bots_fill', False), ('currency', 'PTS'), _connector='OR'), name='tables_tabletemplate_bots_play_for_points'), models.CheckConstraint(condition=models.Q(('bot_strength__in', ['random', 'greedy', 'strong'])), name='tables_tabletemplate_bot_strength_known'), models.CheckConstraint(condition=models.Q(('same_network__in', ['flag', 'refuse'])), name='tables_tabletemplate_same_network_known')],
            },
        ),
        migrations.CreateModel(
            name='Table',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.UUIDField(default=core.db.identifiers.new_public_id, editable=False, unique=True)),
                ('template', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='tables', to='tables.tabletemplate')),
                ('profile', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='tables', to='tables.ruleprofile')),
                ('name', models.CharField(max_length=60)),
                ('stake_mode', models.CharField(choices=[('cash', 'Paid entry'), ('chips', 'Chips of a tournament')], default='cash', max_length=5)),
                ('currency', models.CharField(max_length=3)),
                ('entry_minor', models.BigIntegerField()),
                ('point_value_minor', models.BigIntegerField(default=0)),
                ('rake_bps', models.PositiveIntegerField(default=0)),
                ('seats_min', models.PositiveSmallIntegerField(default=2)),
                ('seats_max', models.PositiveSmallIntegerField(default=6)),
                ('bots_fill', models.BooleanField(default=False)),
                ('bot_strength', models.CharField(choices=[('random', 'random'), ('greedy', 'greedy'), ('strong', 'strong')], default='greedy', max_length=6)),
                ('escrow_account', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='table', to='wallet.account')),
                ('invite_code', models.CharField(blank=True, default='', max_length=24)),
                ('opened_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('rematch_of', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='rematches', to='tables.table')),
                ('owner_ref', models.CharField(blank=True, default='', max_length=80)),
                ('stop_at_survivors', models.PositiveSmallIntegerField(default=1)),
                ('rejoins_open', models.BooleanField(default=True)),
                ('rejoin_account', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='wallet.account')),
                ('is_last_deal', models.BooleanField(default=False)),
                ('phase', models.CharField(choices=[('waiting', 'Waiting for players'), ('toss', 'Toss'), ('playing', 'Playing'), ('showing', 'Meld window'), ('settling', 'Being scored'), ('rejoin', 'Rejoin window'), ('split', 'Split offer'), ('between', 'Between deals'), ('finished', 'Finished'), ('cancelled', 'Cancelled')], default='waiting', max_length=10)),
                ('version', models.PositiveBigIntegerField(default=0)),
                ('due_at', models.DateTimeField(blank=True, null=True)),
                ('armed_at', models.DateTimeField(blank=True, null=True)),
                ('bot_due_at', models.DateTimeField(blank=True, null=True)),
                ('window_id', models.UUIDField(blank=True, null=True)),
                ('deal_no', models.PositiveIntegerField(default=0)),
                ('starters', models.PositiveSmallIntegerField(default=0)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('started_at', models.DateTimeField(blank=True, null=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('ending', models.CharField(blank=True, default='', max_length=12)),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('due_at__isnull', False)), fields=['due_at'], name='tables_table_due'), models.Index(condition=models.Q(('bot_due_at__isnull', False)), fields=['bot_due_at'], name='tables_table_bot_due'), models.Index(condition=models.Q(('invite_code', ''), _negated=True), fields=['invite_code'], name='tables_table_invited'), models.Index(condition=models.Q(('phase', 'waiting')), fields=['template', 'id'], name='tables_table_waiting'), models.Index(condition=models.Q(('point_value_minor__gt', 0), models.Q(('phase__in', ['finished', 'cancelled']), _negated=True)), fields=['template', 'id'], name='tables_table_open_ended')],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('finished_at__isnull', False), ('phase__in', ['finished', 'cancelled'])), models.Q(models.Q(('phase__in', ['finished', 'cancelled']), _negated=True), ('finished_at__isnull', True)), _connector='OR'), name='tables_table_over_has_a_time'), models.CheckConstraint(condition=models.Q(models.Q(('escrow_account__isnull', False), ('stake_mode', 'cash')), models.Q(('escrow_account__isnull', True), ('stake_mode', 'chips')), _connector='OR'), name='tables_table_escrow_for_cash'), models.CheckConstraint(condition=models.Q(('due_at__isnull', True), ('armed_at__isnull', False), _connector='OR'), name='tables_table_clock_armed'), models.CheckConstraint(condition=models.Q(models.Q(('phase__in', ['finished', 'cancelled']), _negated=True), models.Q(('bot_due_at__isnull', True), ('due_at__isnull', True)), _connector='OR'), name='tables_table_over_has_no_clock'), models.CheckConstraint(condition=models.Q(('bot_strength__in', ['random', 'greedy', 'strong'])), name='tables_table_bot_strength_known'), models.UniqueConstraint(condition=models.Q(('phase', 'waiting')), fields=('rematch_of',), name='tables_table_one_rematch_waits')],
            },
        ),
        migrations.CreateModel(
            name='Heartbeat',
            fields=[
                ('name', models.CharField(max_length=20, primary_key=True, serialize=False)),
                ('beat_at', models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name='Outage',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('started_at', models.DateTimeField()),
                ('ended_at', models.DateTimeField(db_index=True)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('ended_at__gt', models.F('started_at'))), name='tables_outage_ends_after_it_starts')],
            },
        ),
        migrations.CreateModel(
            name='Drain',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reason', models.CharField(max_length=120)),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('at', models.DateTimeField()),
                ('lifted_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('lifted_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'ordering': ['-pk'],
                'constraints': [models.UniqueConstraint(models.F('lifted_at'), condition=models.Q(('lifted_at__isnull', True)), name='tables_drain_one_at_a_time', nulls_distinct=False)],
            },
        ),
        migrations.CreateModel(
            name='Seat',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('table', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='seats', to='tables.table')),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='seats', to=settings.AUTH_USER_MODEL)),
                ('number', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('joined_at', models.DateTimeField(auto_now_add=True)),
                ('left_at', models.DateTimeField(blank=True, null=True)),
                ('sits_out_since', models.DateTimeField(blank=True, null=True)),
                ('deals_missed', models.PositiveSmallIntegerField(default=0)),
                ('seen_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('is_absent', models.BooleanField(default=False)),
                ('ready_for', models.PositiveIntegerField(blank=True, null=True)),
                ('said', models.CharField(blank=True, default='', max_length=16)),
                ('said_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('table', 'id'), name='tables_seat_of_its_table'), models.UniqueConstraint(condition=models.Q(('left_at__isnull', True)), fields=('table', 'player'), name='tables_seat_player_once'), models.UniqueConstraint(condition=models.Q(('left_at__isnull', True), ('number__isnull', False)), fields=('table', 'number'), name='tables_seat_number_once'), models.CheckConstraint(condition=models.Q(models.Q(('said', ''), ('said_at__isnull', True)), models.Q(models.Q(('said', ''), _negated=True), ('said_at__isnull', False)), _connector='OR'), name='tables_seat_said_at_a_time')],
            },
        ),
        migrations.CreateModel(
            name='BuyIn',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('table', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tables.table')),
                ('seat', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='buy_ins', to='tables.seat')),
                ('no', models.PositiveSmallIntegerField(default=1)),
                ('stake', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='buy_in', to='wallet.stake')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('seat', 'no'), name='tables_buyin_number_once')],
            },
        ),
        migrations.CreateModel(
            name='Score',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('table', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tables.table')),
                ('deal', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='scores', to='tables.deal')),
                ('seat', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.PROTECT, related_name='scores', to='tables.seat')),
                ('points', models.SmallIntegerField()),
                ('total_after', models.IntegerField()),
                ('how', models.CharField(choices=[('won', 'Won the deal'), ('lost', 'Lost'), ('first_drop', 'First drop'), ('middle_drop', 'Middle drop'), ('wrong_show', 'Wrong show'), ('left', 'Left')], max_length=12)),
                ('chips_after', models.IntegerField(blank=True, null=True)),
                ('won_minor', models.BigIntegerField(blank=True, null=True)),
                ('arrangement', models.CharField(blank=True, default='', max_length=200)),
            ],
            options={
                'ordering': ['deal', 'seat__number'],
                'constraints': [models.UniqueConstraint(fields=('deal', 'seat'), name='tables_score_once_per_deal')],
            },
        ),
        migrations.CreateModel(
            name='Elimination',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('table', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tables.table')),
                ('seat', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.PROTECT, related_name='eliminations', to='tables.seat')),
                ('deal', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.PROTECT, related_name='eliminations', to='tables.deal')),
                ('total', models.PositiveIntegerField()),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('rejoined_at', models.DateTimeField(blank=True, null=True)),
                ('rejoined_total', models.PositiveIntegerField(blank=True, null=True)),
            ],
            options={
                'ordering': ['pk'],
                'constraints': [models.UniqueConstraint(condition=models.Q(('rejoined_at__isnull', True)), fields=('seat',), name='tables_elimination_one_standing'), models.CheckConstraint(condition=models.Q(models.Q(('rejoined_at__isnull', True), ('rejoined_total__isnull', True)), models.Q(('rejoined_at__isnull', False), ('rejoined_total__isnull', False)), _connector='OR'), name='tables_elimination_rejoined_at_a_total')],
            },
        ),
        migrations.CreateModel(
            name='Deal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.UUIDField(default=core.db.identifiers.new_public_id, editable=False, unique=True)),
                ('table', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='deals', to='tables.table')),
                ('no', models.PositiveIntegerField()),
                ('status', models.CharField(choices=[('committed', 'Seed committed, cards not dealt'), ('playing', 'Being played'), ('ended', 'Ended, to be scored'), ('settled', 'Settled'), ('void', 'Void')], default='committed', max_length=9)),
                ('commitment', models.CharField(max_length=64)),
                ('chain', models.CharField(max_length=64)),
                ('toss', models.CharField(blank=True, default='', max_length=40)),
                ('ending', models.CharField(blank=True, default='', max_length=20)),
                ('committed_at', models.DateTimeField(auto_now_add=True)),
                ('started_at', models.DateTimeField(blank=True, null=True)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('settled_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'ordering': ['table', 'no'],
                'constraints': [models.UniqueConstraint(fields=('table', 'no'), name='tables_deal_number_once'), models.UniqueConstraint(fields=('table', 'id'), name='tables_deal_of_its_table'), models.CheckConstraint(condition=models.Q(models.Q(('status', 'settled'), _negated=True), ('settled_at__isnull', False), _connector='OR'), name='tables_deal_settled_has_a_time'), models.CheckConstraint(condition=models.Q(('status__in', ['committed', 'void']), ('started_at__isnull', False), _connector='OR'), name='tables_deal_dealt_has_a_time')],
            },
        ),
        migrations.CreateModel(
            name='DealSecret',
            fields=[
                ('table', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tables.table')),
                ('deal', models.OneToOneField(db_constraint=False, on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='secret', serialize=False, to='tables.deal')),
                ('encrypted_seed', models.BinaryField()),
            ],
        ),
        migrations.CreateModel(
            name='DealSeat',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('table', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tables.table')),
                ('deal', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='deal_seats', to='tables.deal')),
                ('seat', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.PROTECT, related_name='deal_seats', to='tables.seat')),
                ('position', models.PositiveSmallIntegerField()),
                ('groups', models.CharField(blank=True, default='', max_length=200)),
            ],
            options={
                'ordering': ['deal', 'position'],
                'constraints': [models.UniqueConstraint(fields=('deal', 'position'), name='tables_dealseat_position_once'), models.UniqueConstraint(fields=('deal', 'seat'), name='tables_dealseat_seat_once')],
            },
        ),
        migrations.CreateModel(
            name='Move',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('table', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tables.table')),
                ('deal', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='moves', to='tables.deal')),
                ('ply', models.PositiveIntegerField()),
                ('dealt_on', models.DateField()),
                ('seat', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='moves', to='tables.seat')),
                ('text', models.CharField(max_length=200)),
                ('origin', models.CharField(choices=[('player', 'Player'), ('bot', 'Bot'), ('clock', 'Clock')], max_length=6)),
                ('move_id', models.UUIDField(blank=True, null=True)),
                ('version', models.PositiveBigIntegerField()),
                ('due_at', models.DateTimeField(blank=True, null=True)),
                ('made_at', models.DateTimeField()),
            ],
            options={
                'ordering': ['deal', 'ply'],
                'constraints': [models.UniqueConstraint(fields=('deal', 'ply'), name='tables_move_ply_once'), models.UniqueConstraint(condition=models.Q(('move_id__isnull', False)), fields=('seat', 'move_id'), name='tables_move_id_once_per_seat')],
            },
        ),
        migrations.CreateModel(
            name='ClientSeed',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('table', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tables.table')),
                ('deal', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='client_seeds', to='tables.deal')),
                ('seat', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.PROTECT, related_name='client_seeds', to='tables.seat')),
                ('text', models.CharField(max_length=64)),
                ('given_at', models.DateTimeField()),
            ],
            options={
                'ordering': ['deal', 'seat'],
                'constraints': [models.UniqueConstraint(fields=('deal', 'seat'), name='tables_clientseed_once_per_deal'), models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='tables_clientseed_says_something')],
            },
        ),
        migrations.CreateModel(
            name='Reveal',
            fields=[
                ('table', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tables.table')),
                ('deal', models.OneToOneField(db_constraint=False, on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='reveal', serialize=False, to='tables.deal')),
                ('server_seed', models.CharField(max_length=64)),
                ('revealed_at', models.DateTimeField()),
            ],
            options={
                'permissions': [('replay_any_deal', 'Can replay finished deals of others')],
            },
        ),
        migrations.CreateModel(
            name='Dispute',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.UUIDField(default=core.db.identifiers.new_public_id, editable=False, unique=True)),
                ('seat', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='disputes', to='tables.seat')),
                ('deal', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='disputes', to='tables.deal')),
                ('ply', models.PositiveIntegerField()),
                ('category', models.CharField(choices=[('cards', 'The cards or the shuffle'), ('clock', 'The clock or my connection'), ('score', 'The score or a show'), ('money', 'The money'), ('conduct', "Another player's conduct"), ('other', 'Something else')], max_length=7)),
                ('text', models.TextField(max_length=2000)),
                ('evidence', models.TextField()),
                ('evidence_sha256', models.CharField(max_length=64)),
                ('opened_at', models.DateTimeField()),
                ('status', models.CharField(choices=[('open', 'Open'), ('assigned', 'Being looked into'), ('answered', 'Answered'), ('closed', 'Closed')], default='open', max_length=8)),
                ('assignee', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='assigned_disputes', to=settings.AUTH_USER_MODEL)),
                ('answer', models.TextField(blank=True, default='', max_length=2000)),
                ('answered_at', models.DateTimeField(blank=True, null=True)),
                ('closed_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'ordering': ['-opened_at', '-pk'],
                'permissions': [('answer_dispute', 'Can take, answer and close disputes')],
                'indexes': [models.Index(condition=models.Q(('status__in', ['open', 'assigned'])), fields=['opened_at'], name='tables_dispute_pending')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('status__in', ['open', 'assigned'])), fields=('seat', 'deal'), name='tables_dispute_one_pending'), models.CheckConstraint(condition=models.Q(models.Q(('text', ''), _negated=True), models.Q(('evidence', ''), _negated=True)), name='tables_dispute_says_something'), models.CheckConstraint(condition=models.Q(models.Q(('assignee__isnull', True), ('status', 'open')), models.Q(models.Q(('status', 'open'), _negated=True), ('assignee__isnull', False)), _connector='OR'), name='tables_dispute_assigned_to_somebody'), models.CheckConstraint(condition=models.Q(models.Q(('answer', ''), ('answered_at__isnull', True), ('status__in', ['open', 'assigned'])), models.Q(('answered_at__isnull', False), ('status__in', ['answered', 'closed']), models.Q(('answer', ''), _negated=True)), _connector='OR'), name='tables_dispute_answered_in_words'), models.CheckConstraint(condition=models.Q(models.Q(('closed_at__isnull', False), ('status', 'closed')), models.Q(models.Q(('status', 'closed'), _negated=True), ('closed_at__isnull', True)), _connector='OR'), name='tables_dispute_closed_has_a_time')],
            },
        ),
        migrations.CreateModel(
            name='Ruling',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('table', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='rulings', to='tables.table')),
                ('deal', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='rulings', to='tables.deal')),
                ('kind', models.CharField(choices=[('cancel', 'Cancel the game'), ('void', 'Void the deal on the table')], max_length=6)),
                ('reason', models.CharField(max_length=120)),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('at', models.DateTimeField()),
            ],
            options={
                'ordering': ['-pk'],
                'constraints': [models.UniqueConstraint(condition=models.Q(('kind', 'void')), fields=('deal',), name='tables_ruling_voids_a_deal_once'), models.CheckConstraint(condition=models.Q(models.Q(('kind', 'void'), _negated=True), ('deal__isnull', False), _connector='OR'), name='tables_ruling_void_names_its_deal')],
            },
        ),
        migrations.CreateModel(
            name='SeatOrigin',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('table', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tables.table')),
                ('network_hash', models.CharField(max_length=64)),
                ('device_hash', models.CharField(blank=True, default='', max_length=64)),
                ('consent_version', models.CharField(blank=True, default='', max_length=20)),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('seat', models.OneToOneField(db_constraint=False, on_delete=django.db.models.deletion.PROTECT, related_name='origin', to='tables.seat')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='ReviewFlag',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('table', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='review_flags', to='tables.table')),
                ('kind', models.CharField(choices=[('network', 'Same network'), ('device', 'Same device')], max_length=7)),
                ('seat', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tables.seat')),
                ('other', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tables.seat')),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('reviewed_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('reviewed_at', models.DateTimeField(blank=True, null=True)),
                ('note', models.CharField(blank=True, default='', max_length=500)),
            ],
            options={
                'ordering': ['-pk'],
                'constraints': [models.UniqueConstraint(fields=('kind', 'seat', 'other'), name='tables_reviewflag_once_a_pair')],
            },
        ),
        migrations.CreateModel(
            name='Window',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.UUIDField(default=core.db.identifiers.new_public_id, editable=False, unique=True)),
                ('table', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='windows', to='tables.table')),
                ('deal', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.PROTECT, related_name='windows', to='tables.deal')),
                ('kind', models.CharField(choices=[('rejoin', 'Rejoin'), ('split', 'Split')], max_length=6)),
                ('proposed_by', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='proposals', to='tables.seat')),
                ('gap_ms_left', models.PositiveIntegerField(blank=True, null=True)),
                ('outcome', models.CharField(blank=True, choices=[('accepted', 'Accepted'), ('refused', 'Refused'), ('expired', 'Not answered in time'), ('withdrawn', 'Somebody left')], default='', max_length=9)),
                ('opened_at', models.DateTimeField()),
                ('closed_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'ordering': ['pk'],
                'constraints': [models.UniqueConstraint(fields=('table', 'id'), name='tables_window_of_its_table'), models.UniqueConstraint(condition=models.Q(('closed_at__isnull', True)), fields=('table',), name='tables_window_one_open'), models.UniqueConstraint(condition=models.Q(('kind', 'rejoin')), fields=('deal',), name='tables_window_rejoin_once_per_deal'), models.UniqueConstraint(condition=models.Q(('kind', 'split')), fields=('deal', 'proposed_by'), name='tables_window_split_once_per_seat'), models.CheckConstraint(condition=models.Q(models.Q(('gap_ms_left__gte', 0), ('kind', 'split'), ('proposed_by__isnull', False)), models.Q(('gap_ms_left__isnull', True), ('kind', 'rejoin'), ('proposed_by__isnull', True)), _connector='OR'), name='tables_window_split_is_proposed_in_a_gap'), models.CheckConstraint(condition=models.Q(models.Q(('closed_at__isnull', True), ('outcome', '')), models.Q(('closed_at__isnull', False), models.Q(('outcome', ''), _negated=True)), _connector='OR'), name='tables_window_closed_has_an_outcome')],
            },
        ),
        migrations.CreateModel(
            name='Answer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('table', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tables.table')),
                ('window', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='answers', to='tables.window')),
                ('seat', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.PROTECT, related_name='answers', to='tables.seat')),
                ('total', models.PositiveIntegerField()),
                ('amount_minor', models.BigIntegerField()),
                ('said', models.CharField(blank=True, choices=[('yes', 'Yes'), ('no', 'No')], default='', max_length=3)),
                ('answered_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'ordering': ['window', 'seat__number'],
                'constraints': [models.UniqueConstraint(fields=('window', 'seat'), name='tables_answer_once_per_seat'), models.CheckConstraint(condition=models.Q(('amount_minor__gte', 0)), name='tables_answer_amount_not_negative')],
            },
        ),
        migrations.CreateModel(
            name='Result',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('table', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='results', to='tables.table')),
                ('seat', models.OneToOneField(db_constraint=False, on_delete=django.db.models.deletion.PROTECT, related_name='result', to='tables.seat')),
                ('place', models.PositiveSmallIntegerField()),
                ('total', models.IntegerField()),
                ('prize_minor', models.BigIntegerField(default=0)),
            ],
            options={
                'ordering': ['table', 'place'],
                'constraints': [models.CheckConstraint(condition=models.Q(('prize_minor__gte', 0)), name='tables_result_prize_not_negative')],
            },
        ),
    ]
