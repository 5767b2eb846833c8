import datetime

import core.db.identifiers
import django.core.validators
import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.expressions
import django.db.models.functions.comparison
import django.db.models.functions.text
from django.conf import settings
from django.db import migrations, models

from core.db.initial import InitialMigration
from core.db.schema import sql_of_migration


class Migration(InitialMigration):

    initial = True

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
    ]

    operations = [
        migrations.CreateModel(
            name='User',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('password', models.CharField(max_length=128, verbose_name='password')),
                ('last_login', models.DateTimeField(blank=True, null=True, verbose_name='last login')),
                ('is_superuser', models.BooleanField(default=False, help_text='Designates that this user has all permissions without explicitly assigning them.', verbose_name='superuser status')),
                ('public_id', models.UUIDField(default=core.db.identifiers.new_public_id, editable=False, unique=True)),
                ('email', models.EmailField(blank=True, max_length=254, null=True, verbose_name='e-mail address')),
                ('handle', models.CharField(help_text='The name other players see.', max_length=20, validators=[django.core.validators.RegexValidator('\\A[A-Za-z0-9_]{3,20}\\Z', 'Use 3 to 20 letters, digits or underscores.')], verbose_name='handle')),
                ('avatar', models.CharField(blank=True, choices=[('tiger', 'Tiger'), ('elephant', 'Elephant'), ('peacock', 'Peacock'), ('owl', 'Owl'), ('parrot', 'Parrot'), ('monkey', 'Monkey'), ('turtle', 'Turtle'), ('fish', 'Fish'), ('cat', 'Cat'), ('rabbit', 'Rabbit'), ('fox', 'Fox'), ('butterfly', 'Butterfly'), ('lotus', 'Lotus'), ('mango', 'Mango'), ('marigold', 'Marigold'), ('sun', 'Smiling sun'), ('moon', 'Moon'), ('kite', 'Kite'), ('lamp', 'Oil lamp'), ('tea', 'Cup of tea'), ('drum', 'Drum'), ('boat', 'Boat'), ('mountain', 'Mountain'), ('rickshaw', 'Auto rickshaw')], default='', max_length=10, verbose_name='avatar')),
                ('is_guest', models.BooleanField(default=False)),
                ('is_bot', models.BooleanField(default=False)),
                ('owner', models.ForeignKey(blank=True, editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='declared_bots', to=settings.AUTH_USER_MODEL)),
                ('is_staff', models.BooleanField(default=False)),
                ('is_active', models.BooleanField(default=True)),
                ('birth_date', models.DateField(blank=True, null=True, verbose_name='birth date')),
                ('country', models.CharField(blank=True, max_length=2, verbose_name='country')),
                ('region', models.CharField(blank=True, max_length=3, verbose_name='region')),
                ('time_zone', models.CharField(default='Asia/Kolkata', max_length=40, verbose_name='time zone')),
                ('language', models.CharField(default='en', max_length=8, verbose_name='language')),
                ('has_public_profile', models.BooleanField(default=True, help_text='Your ratings, figures of your games, and how often you left or missed turns.', verbose_name='show my profile to other players')),
                ('reality_check_minutes', models.PositiveSmallIntegerField(default=0)),
                ('consent_version', models.CharField(blank=True, max_length=20)),
                ('date_joined', models.DateTimeField(auto_now_add=True)),
                ('closed_email_hash', models.CharField(blank=True, default='', editable=False, max_length=64)),
                ('groups', models.ManyToManyField(blank=True, help_text='The groups this user belongs to. A user will get all permissions granted to each of their groups.', related_name='user_set', related_query_name='user', to='auth.group', verbose_name='groups')),
                ('user_permissions', models.ManyToManyField(blank=True, help_text='Specific permissions for this user.', related_name='user_set', related_query_name='user', to='auth.permission', verbose_name='user permissions')),
            ],
            options={
                'verbose_name': 'player',
                'verbose_name_plural': 'players',
                'permissions': [('block_user', 'Can block players and let them in again'), ('end_session', 'Can sign players out')],
                'indexes': [models.Index(django.db.models.functions.text.Lower('email'), name='players_user_email_lower'), models.Index(condition=models.Q(('closed_email_hash', ''), _negated=True), fields=['closed_email_hash'], name='players_user_closed_email'), models.Index(django.db.models.functions.comparison.Collate(django.db.models.functions.text.Lower('handle'), 'C'), name='players_user_plain_handle'), models.Index(django.db.models.functions.comparison.Collate(django.db.models.functions.text.Lower('email'), 'C'), name='players_user_plain_email'), models.Index(django.db.models.functions.text.Right(django.db.models.functions.comparison.Cast('public_id', models.TextField()), 8), name='players_user_short_code')],
                'constraints': [models.UniqueConstraint(django.db.models.functions.text.Lower('handle'), name='players_user_handle_once', violation_error_message='This player name is taken.'), models.CheckConstraint(condition=models.Q(('email__isnull', False), ('is_guest', True), ('is_bot', True), _connector='OR'), name='players_user_email_unless_guest_or_bot'), models.CheckConstraint(condition=models.Q(('avatar__in', ['', 'tiger', 'elephant', 'peacock', 'owl', 'parrot', 'monkey', 'turtle', 'fish', 'cat', 'rabbit', 'fox', 'butterfly', 'lotus', 'mango', 'marigold', 'sun', 'moon', 'kite', 'lamp', 'tea', 'drum', 'boat', 'mountain', 'rickshaw'])), name='players_user_avatar_known'), models.CheckConstraint(condition=models.Q(('reality_check_minutes__in', (0, 15, 30, 60))), name='players_user_reality_check_offered'), models.CheckConstraint(condition=models.Q(('is_bot', True), ('is_guest', True), _negated=True), name='players_user_guest_or_bot_not_both'), models.CheckConstraint(condition=models.Q(('owner__isnull', True), ('is_bot', True), _connector='OR'), name='players_user_only_bots_are_owned')],
            },
        ),
        migrations.CreateModel(
            name='Notification',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('player', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='notifications', to=settings.AUTH_USER_MODEL)),
                ('key', models.CharField(max_length=120)),
                ('kind', models.CharField(choices=[('payee_registered', 'Payee Registered'), ('withdrawal_approved', 'Withdrawal Approved'), ('withdrawal_rejected', 'Withdrawal Rejected'), ('withdrawal_paid', 'Withdrawal Paid'), ('withdrawal_failed', 'Withdrawal Failed'), ('tax_residence_accepted', 'Tax Residence Accepted'), ('tax_residence_refused', 'Tax Residence Refused'), ('payment_disputed', 'Payment Disputed'), ('payment_kept', 'Payment Kept'), ('payment_taken_back', 'Payment Taken Back'), ('tournament_place', 'Tournament Place'), ('tournament_starts', 'Tournament Starts'), ('tournament_called_off', 'Tournament Called Off'), ('tournament_prize', 'Tournament Prize'), ('tournament_ticket', 'Tournament Ticket'), ('tournament_delayed', 'Tournament Delayed'), ('tournament_removed', 'Tournament Removed'), ('tournament_disqualified', 'Tournament Disqualified'), ('tournament_missed', 'Tournament Missed'), ('tournament_no_place', 'Tournament No Place'), ('tournament_no_table', 'Tournament No Table'), ('game_cancelled', 'Game Cancelled'), ('deal_void', 'Deal Void'), ('seat_given_up', 'Seat Given Up'), ('table_starts', 'Table Starts'), ('your_turn', 'Your Turn'), ('table_invitation', 'Table Invitation'), ('report_upheld', 'Report Upheld'), ('report_rejected', 'Report Rejected'), ('conduct_in_order', 'Conduct In Order'), ('conduct_warned', 'Conduct Warned'), ('conduct_restricted', 'Conduct Restricted'), ('staff_message', 'Staff Message'), ('place_points_only', 'Place Points Only'), ('place_winds_down', 'Place Winds Down'), ('place_prohibited', 'Place Prohibited'), ('factor_link', 'Factor Link'), ('factor_set_up', 'Factor Set Up'), ('staff_action', 'Staff Action'), ('staff_decided', 'Staff Decided')], max_length=24)),
                ('subject', models.CharField(max_length=120)),
                ('about', models.UUIDField(blank=True, null=True)),
                ('amount', models.CharField(blank=True, default='', max_length=40)),
                ('remark', models.CharField(blank=True, default='', max_length=500)),
                ('happens_at', models.DateTimeField(blank=True, null=True)),
                ('created_at', models.DateTimeField()),
                ('on_site', models.BooleanField(default=True)),
                ('read_at', models.DateTimeField(blank=True, null=True)),
                ('mail', models.CharField(choices=[('none', 'None'), ('due', 'To be sent'), ('sent', 'Sent'), ('given_up', 'Given up')], default='none', max_length=8)),
                ('mail_tries', models.PositiveSmallIntegerField(default=0)),
                ('is_push_due', models.BooleanField(default=False)),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('on_site', True), ('read_at', None)), fields=['player'], name='players_notification_unread'), models.Index(condition=models.Q(('mail', 'due')), fields=['id'], name='players_notification_due'), models.Index(condition=models.Q(('is_push_due', True)), fields=['id'], name='players_notification_push_due')],
                'constraints': [models.UniqueConstraint(fields=('player', 'key'), name='players_notification_once'), models.CheckConstraint(condition=models.Q(('mail__in', ['none', 'due', 'sent', 'given_up'])), name='players_notification_mail_known')],
            },
        ),
        migrations.CreateModel(
            name='NotificationChoice',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('player', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='notification_choices', to=settings.AUTH_USER_MODEL)),
                ('topic', models.CharField(choices=[('withdrawal', 'Withdrawals'), ('security', 'Security of your account'), ('deposit', 'Disputed or reversed payments'), ('start', 'Tournament starts and places'), ('called_off', 'Tournaments cancelled, or played without you'), ('prize', 'Tournament prizes'), ('table', 'Cancelled games and void deals'), ('staff', 'Messages from our staff'), ('place', 'Games offered where you live'), ('turn', 'Your turn and starting tables, while you are away'), ('invitation', 'Invitations to private tables')], max_length=12)),
                ('on_site', models.BooleanField(default=True)),
                ('by_mail', models.BooleanField(default=True)),
                ('by_push', models.BooleanField(default=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('player', 'topic'), name='players_notificationchoice_once')],
            },
        ),
        migrations.CreateModel(
            name='AccountChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('email_added', 'E-mail address added'), ('email_verified', 'E-mail address verified'), ('email_primary', 'Primary e-mail address changed'), ('email_removed', 'E-mail address removed'), ('password_changed', 'Password changed'), ('password_set', 'Password set'), ('password_reset', 'Password reset by e-mail'), ('password_stored', 'Password stored more securely'), ('factor_added', 'Two-step sign-in turned on'), ('factor_removed', 'Two-step sign-in turned off'), ('codes_made', 'New recovery codes created'), ('token_made', 'Token created'), ('token_ended', 'Token revoked'), ('payee_added', 'Bank account registered'), ('payee_removed', 'Bank account removed'), ('limit_raised', 'Limit raised or removed')], max_length=16)),
                ('subject', models.CharField(blank=True, default='', max_length=254)),
                ('by_staff', models.BooleanField(default=False)),
                ('at', models.DateTimeField()),
                ('happens_at', models.DateTimeField(null=True)),
                ('unsent', django.contrib.postgres.fields.ArrayField(base_field=models.EmailField(max_length=254), default=list, size=None)),
                ('mail_tries', models.PositiveSmallIntegerField(default=0)),
                ('player', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='account_changes', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-pk'],
                'indexes': [models.Index(fields=['player', 'at'], name='players_accountchange_player'), models.Index(condition=models.Q(('unsent', []), _negated=True), fields=['id'], name='players_accountchange_unsent')],
            },
        ),
        migrations.CreateModel(
            name='FactorLink',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('sent_to', models.EmailField(max_length=254)),
                ('made_at', models.DateTimeField()),
                ('expires_at', models.DateTimeField()),
                ('used_at', models.DateTimeField(null=True)),
                ('made_by', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='factor_links', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-pk'],
                'constraints': [models.CheckConstraint(condition=models.Q(('used_at', None), models.Q(('used_at__gte', models.F('made_at')), ('used_at__lte', models.F('expires_at'))), _connector='OR'), name='players_factorlink_used_in_time')],
            },
        ),
        migrations.CreateModel(
            name='PlayerToken',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('player', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='tokens', to=settings.AUTH_USER_MODEL)),
                ('name', models.CharField(max_length=60)),
                ('scopes', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('read', 'Read tables, games and tournaments'), ('play', 'Play for play points')], max_length=4), size=None)),
                ('session_key', models.CharField(max_length=40, unique=True)),
                ('created_at', models.DateTimeField()),
                ('expires_at', models.DateTimeField()),
                ('last_used_at', models.DateTimeField(null=True)),
            ],
            options={
                'ordering': ['-pk'],
                'indexes': [models.Index(fields=['player'], name='players_token_of_player')],
                'constraints': [models.CheckConstraint(condition=models.Q(('expires_at__gt', models.F('created_at'))), name='players_playertoken_expires_after_it_is_made'), models.CheckConstraint(condition=models.Q(('scopes', []), _negated=True), name='players_playertoken_opens_something')],
            },
        ),
        migrations.CreateModel(
            name='PushSubscription',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('endpoint', models.CharField(max_length=1000, unique=True)),
                ('p256dh', models.CharField(max_length=100)),
                ('auth', models.CharField(max_length=32)),
                ('session_key', models.CharField(max_length=40)),
                ('created_at', models.DateTimeField()),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='push_subscriptions', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('endpoint__startswith', 'https://')), name='players_pushsubscription_is_https')],
                'indexes': [models.Index(fields=['session_key'], name='players_pushsubscription_login')],
            },
        ),
        migrations.CreateModel(
            name='RegionChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('made_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('made_at', models.DateTimeField(auto_now_add=True)),
                ('status', models.CharField(choices=[('requested', 'Waiting for a second person'), ('approved', 'Approved'), ('rejected', 'Rejected')], default='requested', max_length=9)),
                ('checked_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('checked_at', models.DateTimeField(null=True)),
                ('country', models.CharField(max_length=2, validators=[django.core.validators.RegexValidator('\\A[A-Z]{2}\\Z')])),
                ('region', models.CharField(blank=True, default='', max_length=3, validators=[django.core.validators.RegexValidator('\\A[A-Z0-9]{1,3}\\Z')])),
                ('offer', models.CharField(choices=[('allowed', 'Play for money'), ('points', 'Play points only'), ('wind_down', 'Wind-down: withdrawals only'), ('prohibited', 'Prohibited: withdrawals only, play points included')], max_length=10)),
                ('age_min', models.PositiveSmallIntegerField(default=18, verbose_name='minimum age')),
                ('withdrawal_needs_identity', models.BooleanField(default=False)),
                ('begins_at', models.DateTimeField()),
                ('reason', models.CharField(max_length=200)),
            ],
            options={
                'ordering': ['-id'],
                'constraints': [models.CheckConstraint(condition=models.Q(('checked_by__isnull', True), models.Q(('checked_by', models.F('made_by')), _negated=True), _connector='OR'), name='players_regionchange_checked_by_another'), models.CheckConstraint(condition=models.Q(models.Q(('checked_at', None), ('checked_by', None), ('status', 'requested')), models.Q(('checked_at__isnull', False), ('checked_by__isnull', False), ('status__in', ['approved', 'rejected'])), _connector='OR'), name='players_regionchange_decided_by_somebody'), models.CheckConstraint(condition=models.Q(('country__regex', '^[A-Z]{2}$'), ('region__regex', '^[A-Z0-9]{0,3}$')), name='players_regionchange_has_iso_codes'), models.CheckConstraint(condition=models.Q(('offer__in', ['allowed', 'points', 'wind_down', 'prohibited'])), name='players_regionchange_offer_known'), models.CheckConstraint(condition=models.Q(('age_min__range', (18, 30))), name='players_regionchange_is_for_adults', violation_error_message='The minimum age is 18 to 30 years.'), models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='players_regionchange_has_a_reason')],
            },
        ),
        migrations.CreateModel(
            name='Region',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('country', models.CharField(max_length=2, validators=[django.core.validators.RegexValidator('\\A[A-Z]{2}\\Z')])),
                ('region', models.CharField(blank=True, default='', max_length=3, validators=[django.core.validators.RegexValidator('\\A[A-Z0-9]{1,3}\\Z')])),
                ('offer', models.CharField(choices=[('allowed', 'Play for money'), ('points', 'Play points only'), ('wind_down', 'Wind-down: withdrawals only'), ('prohibited', 'Prohibited: withdrawals only, play points included')], max_length=10)),
                ('age_min', models.PositiveSmallIntegerField(default=18, verbose_name='minimum age')),
                ('withdrawal_needs_identity', models.BooleanField(default=False)),
                ('begins_at', models.DateTimeField()),
                ('reason', models.CharField(max_length=200)),
                ('change', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='outcome', to='players.regionchange')),
                ('added_at', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'indexes': [models.Index(fields=['country', 'region', 'begins_at'], name='players_region_of_place')],
                'constraints': [models.CheckConstraint(condition=models.Q(('country__regex', '^[A-Z]{2}$'), ('region__regex', '^[A-Z0-9]{0,3}$')), name='players_region_has_iso_codes'), models.CheckConstraint(condition=models.Q(('offer__in', ['allowed', 'points', 'wind_down', 'prohibited'])), name='players_region_offer_known'), models.CheckConstraint(condition=models.Q(('age_min__range', (18, 30))), name='players_region_is_for_adults', violation_error_message='The minimum age is 18 to 30 years.'), models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='players_region_has_a_reason')],
            },
        ),
        migrations.CreateModel(
            name='Break',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='breaks', to=settings.AUTH_USER_MODEL)),
                ('kind', models.CharField(choices=[('cool_off', 'Break'), ('exclusion', 'Self-exclusion')], max_length=9)),
                ('began_at', models.DateTimeField()),
                ('ends_at', models.DateTimeField(null=True)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('ends_at__gte', django.db.models.expressions.CombinedExpression(models.F('began_at'), '+', models.Value(datetime.timedelta(days=1)))), ('ends_at__isnull', False), ('ends_at__lte', django.db.models.expressions.CombinedExpression(models.F('began_at'), '+', models.Value(datetime.timedelta(days=42)))), ('kind', 'cool_off')), models.Q(('ends_at', None), ('kind', 'exclusion')), models.Q(('ends_at__gte', django.db.models.expressions.CombinedExpression(models.F('began_at'), '+', models.Value(datetime.timedelta(days=183)))), ('kind', 'exclusion')), _connector='OR'), name='players_break_is_long_enough')],
            },
        ),
        migrations.RunSQL(sql_of_migration("players", "0001_initial")),
        migrations.CreateModel(
            name='Hold',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('player', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='holds', to=settings.AUTH_USER_MODEL)),
                ('kind', models.CharField(choices=[('play', 'Play'), ('deposit', 'Deposits'), ('withdraw', 'Withdrawals')], max_length=8)),
                ('reason', models.CharField(max_length=200)),
                ('set_by', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('set_at', models.DateTimeField()),
                ('lifted_by', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('lifted_at', models.DateTimeField(blank=True, null=True)),
                ('lift_reason', models.CharField(blank=True, default='', max_length=200)),
            ],
            options={
                'ordering': ['-pk'],
                'indexes': [models.Index(fields=['player'], name='players_hold_of_player')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('lifted_at', None)), fields=('player', 'kind'), name='players_hold_stands_once'), models.CheckConstraint(condition=models.Q(('kind__in', ['play', 'deposit', 'withdraw'])), name='players_hold_kind_known'), models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='players_hold_has_a_reason'), models.CheckConstraint(condition=models.Q(models.Q(('lift_reason', ''), ('lifted_at', None), ('lifted_by', None)), models.Q(('lifted_at__isnull', False), ('lifted_by__isnull', False), models.Q(('lift_reason', ''), _negated=True)), _connector='OR'), name='players_hold_lifted_by_somebody'), models.CheckConstraint(condition=models.Q(models.Q(('set_by', models.F('player')), _negated=True), models.Q(('lifted_by', None), models.Q(('lifted_by', models.F('player')), _negated=True), _connector='OR')), name='players_hold_by_another_person')],
            },
        ),
        migrations.CreateModel(
            name='Case',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.UUIDField(default=core.db.identifiers.new_public_id, editable=False, unique=True)),
                ('kind', models.CharField(max_length=60)),
                ('row', models.BigIntegerField()),
                ('name', models.CharField(max_length=200)),
                ('player', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='cases', to=settings.AUTH_USER_MODEL)),
                ('owner', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('priority', models.PositiveSmallIntegerField(choices=[(1, 'Urgent'), (2, 'High'), (3, 'Normal'), (4, 'Low')], default=3)),
                ('due_at', models.DateTimeField(null=True)),
                ('made_at', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'ordering': ['-pk'],
                'constraints': [models.UniqueConstraint(fields=('kind', 'row'), name='players_case_once'), models.CheckConstraint(condition=models.Q(('priority__in', [1, 2, 3, 4])), name='players_case_priority_known')],
            },
        ),
        migrations.CreateModel(
            name='DataRequest',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('about', models.CharField(choices=[('handle', 'Correct my player name'), ('birth_date', 'Correct my birth date'), ('place', 'Correct where I live'), ('tax_number', 'Correct my PAN'), ('name', 'Correct my name as on the documents'), ('other', 'Correct something else'), ('deletion', 'Delete some of my data')], max_length=10)),
                ('text', models.TextField(max_length=1000)),
                ('asked_at', models.DateTimeField()),
                ('answered_at', models.DateTimeField(blank=True, null=True)),
                ('answered_by', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('player', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='data_requests', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'request about own data',
                'verbose_name_plural': 'requests about own data',
                'ordering': ['-pk'],
                'permissions': [('answer_datarequest', 'Can answer requests about own data')],
                'indexes': [models.Index(fields=['player'], name='players_datarequest_of_player')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('answered_at', None)), fields=('player', 'about'), name='players_datarequest_once_until_answered'), models.CheckConstraint(condition=models.Q(('about__in', ['handle', 'birth_date', 'place', 'tax_number', 'name', 'other', 'deletion'])), name='players_datarequest_about_known'), models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='players_datarequest_says_something'), models.CheckConstraint(condition=models.Q(models.Q(('answered_at', None), ('answered_by', None)), models.Q(('answered_at__isnull', False), ('answered_by__isnull', False)), _connector='OR'), name='players_datarequest_answered_by_somebody')],
            },
        ),
        migrations.CreateModel(
            name='Remark',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('case', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='remarks', to='players.case')),
                ('kind', models.CharField(choices=[('note', 'Note for staff'), ('message', 'Message to the player'), ('reply', 'Message from the player')], max_length=7)),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('at', models.DateTimeField()),
                ('text', models.TextField(max_length=2000)),
            ],
            options={
                'ordering': ['pk'],
                'constraints': [models.CheckConstraint(condition=models.Q(('kind__in', ['note', 'message', 'reply'])), name='players_remark_kind_known'), models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='players_remark_says_something')],
            },
        ),
        migrations.CreateModel(
            name='HelpRequest',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('email', models.EmailField(blank=True, default='', max_length=254)),
                ('language', models.CharField(max_length=8)),
                ('subject', models.CharField(max_length=120)),
                ('text', models.TextField(max_length=2000)),
                ('about', models.UUIDField(blank=True, null=True)),
                ('about_name', models.CharField(blank=True, default='', max_length=200)),
                ('asked_at', models.DateTimeField()),
                ('answered_at', models.DateTimeField(blank=True, null=True)),
                ('answered_by', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('player', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='help_requests', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'message to support',
                'verbose_name_plural': 'messages to support',
                'ordering': ['-pk'],
                'permissions': [('answer_helprequest', 'Can answer messages to support')],
                'indexes': [models.Index(fields=['player'], name='players_helprequest_of_player'), models.Index(condition=models.Q(('email', ''), _negated=True), fields=['email'], name='players_helprequest_of_email')],
                'constraints': [models.CheckConstraint(condition=models.Q(('player__isnull', False), models.Q(('email', ''), _negated=True), _connector='OR'), name='players_helprequest_can_be_answered'), models.CheckConstraint(condition=models.Q(('about', None), ('player__isnull', False), _connector='OR'), name='players_helprequest_attaches_own'), models.CheckConstraint(condition=models.Q(models.Q(('text', ''), _negated=True), models.Q(('subject', ''), _negated=True)), name='players_helprequest_says_something'), models.CheckConstraint(condition=models.Q(models.Q(('answered_at', None), ('answered_by', None)), models.Q(('answered_at__isnull', False), ('answered_by__isnull', False)), _connector='OR'), name='players_helprequest_answered_by_somebody')],
            },
        ),
        migrations.CreateModel(
            name='RemarkEmail',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('sent_at', models.DateTimeField(null=True)),
                ('tries', models.PositiveSmallIntegerField(default=0)),
                ('remark', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='email', to='players.remark')),
                ('request', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='players.helprequest')),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('sent_at', None)), fields=['id'], name='players_remarkemail_unsent')],
            },
        ),
        migrations.CreateModel(
            name='CannedAnswer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('title', models.CharField(max_length=80, unique=True)),
                ('english', models.TextField(max_length=2000)),
                ('hindi', models.TextField(max_length=2000)),
                ('is_offered', models.BooleanField(default=True)),
            ],
            options={
                'ordering': ['title'],
            },
        ),
        migrations.CreateModel(
            name='IdentityCheck',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='identity_checks', to=settings.AUTH_USER_MODEL)),
                ('name', models.CharField(max_length=100)),
                ('document_kind', models.CharField(choices=[('passport', 'Passport'), ('driving_licence', 'Driving licence'), ('voter_id', 'Voter ID'), ('pan_card', 'PAN card')], max_length=15)),
                ('state', models.CharField(choices=[('submitted', 'Being checked'), ('verified', 'Verified'), ('refused', 'Not accepted'), ('expired', 'Expired')], default='submitted', max_length=9)),
                ('submitted_at', models.DateTimeField()),
                ('decided_by', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('decided_by_provider', models.CharField(blank=True, default='', max_length=20)),
                ('decided_at', models.DateTimeField(null=True)),
                ('ground', models.CharField(blank=True, choices=[('unreadable', 'The document cannot be read.'), ('name_differs', 'The name on the document is different.'), ('birth_date_differs', 'The birth date on the document is different.'), ('out_of_date', 'The document is out of date.'), ('not_accepted', 'We do not accept this document.')], default='', max_length=18)),
                ('expires_at', models.DateTimeField(null=True)),
            ],
            options={
                'ordering': ['-pk'],
                'permissions': [('decide_identitycheck', 'Can decide identity checks')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('state__in', ['submitted', 'verified'])), fields=('player',), name='players_identitycheck_one_at_a_time'), models.CheckConstraint(condition=models.Q(models.Q(('decided_at', None), ('decided_by', None), ('decided_by_provider', ''), ('expires_at', None), ('ground', ''), ('state', 'submitted')), models.Q(('decided_at__isnull', False), ('decided_by__isnull', False), ('decided_by_provider', ''), ('expires_at', None), ('ground__in', ['unreadable', 'name_differs', 'birth_date_differs', 'out_of_date', 'not_accepted']), ('state', 'refused')), models.Q(('decided_at__isnull', False), ('expires_at__isnull', False), ('ground', ''), ('state__in', ['verified', 'expired']), models.Q(models.Q(('decided_by__isnull', False), ('decided_by_provider', '')), models.Q(('decided_by', None), models.Q(('decided_by_provider', ''), _negated=True)), _connector='OR')), _connector='OR'), name='players_identitycheck_decided_by_somebody'), models.CheckConstraint(condition=models.Q(('decided_by', None), models.Q(('decided_by', models.F('player')), _negated=True), _connector='OR'), name='players_identitycheck_decided_by_another'), models.CheckConstraint(condition=models.Q(('name', ''), _negated=True), name='players_identitycheck_has_a_name')],
            },
        ),
        migrations.CreateModel(
            name='IdentityDocument',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.UUIDField(default=core.db.identifiers.new_public_id, editable=False, unique=True)),
                ('media_type', models.CharField(choices=[('image/jpeg', 'Jpeg'), ('image/png', 'Png'), ('application/pdf', 'Pdf')], max_length=15)),
                ('size_bytes', models.PositiveIntegerField()),
                ('encrypted_content', models.BinaryField(null=True)),
                ('delete_at', models.DateTimeField(null=True)),
                ('deleted_at', models.DateTimeField(null=True)),
                ('identity_check', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='documents', to='players.identitycheck')),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('deleted_at', None)), fields=['delete_at'], name='players_identitydocument_due')],
                'constraints': [models.CheckConstraint(condition=models.Q(('media_type__in', ['image/jpeg', 'image/png', 'application/pdf'])), name='players_identitydocument_type_known'), models.CheckConstraint(condition=models.Q(models.Q(('deleted_at', None), ('encrypted_content__isnull', False)), models.Q(('deleted_at__isnull', False), ('encrypted_content', None)), _connector='OR'), name='players_identitydocument_there_or_deleted')],
            },
        ),
        migrations.CreateModel(
            name='TaxNumber',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.UUIDField(default=core.db.identifiers.new_public_id, editable=False, unique=True)),
                ('encrypted_content', models.BinaryField()),
                ('number_hash', models.CharField(max_length=64)),
                ('given_at', models.DateTimeField()),
                ('released_at', models.DateTimeField(null=True)),
                ('player', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='tax_number', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'PAN',
                'indexes': [models.Index(fields=['number_hash'], name='players_taxnumber_hash')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('released_at', None)), fields=('number_hash',), name='players_taxnumber_one_open_account')],
            },
        ),
        migrations.CreateModel(
            name='PhoneNumber',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.UUIDField(default=core.db.identifiers.new_public_id, editable=False, unique=True)),
                ('encrypted_content', models.BinaryField()),
                ('number_hash', models.CharField(max_length=64)),
                ('given_at', models.DateTimeField()),
                ('proved_at', models.DateTimeField(null=True)),
                ('code_hash', models.CharField(blank=True, default='', editable=False, max_length=64)),
                ('code_made_at', models.DateTimeField(editable=False, null=True)),
                ('code_guesses', models.PositiveSmallIntegerField(default=0, editable=False)),
                ('codes_made', models.PositiveSmallIntegerField(default=0, editable=False)),
                ('replaced_at', models.DateTimeField(null=True)),
                ('distinguished_at', models.DateTimeField(null=True)),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='phone_numbers', to=settings.AUTH_USER_MODEL)),
                ('distinguished_by', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'mobile number',
                'verbose_name_plural': 'mobile numbers',
                'ordering': ['-pk'],
                'indexes': [models.Index(fields=['number_hash'], name='players_phonenumber_hash')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('replaced_at', None)), fields=('player',), name='players_phonenumber_one_at_a_time'), models.CheckConstraint(condition=models.Q(models.Q(('distinguished_at', None), ('distinguished_by', None)), models.Q(('distinguished_at__isnull', False), ('distinguished_by__isnull', False), models.Q(('distinguished_by', models.F('player')), _negated=True)), _connector='OR'), name='players_phonenumber_distinguished_by_another')],
            },
        ),
        migrations.CreateModel(
            name='ProviderCheck',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.UUIDField(default=core.db.identifiers.new_public_id, editable=False, unique=True)),
                ('identity_check', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='provider_check', to='players.identitycheck')),
                ('provider', models.CharField(max_length=20)),
                ('consent_version', models.CharField(max_length=20)),
                ('state', models.CharField(choices=[('waiting', 'To be sent'), ('sent', 'Sent'), ('clear', 'Clear'), ('unclear', 'Not clear'), ('given_up', 'No answer')], default='waiting', max_length=8)),
                ('reference', models.CharField(blank=True, default='', max_length=100)),
                ('tries', models.PositiveSmallIntegerField(default=0)),
                ('next_try_at', models.DateTimeField()),
                ('sent_at', models.DateTimeField(null=True)),
                ('answered_at', models.DateTimeField(null=True)),
                ('findings', models.CharField(blank=True, default='', max_length=300)),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('state__in', ['waiting', 'sent'])), fields=['next_try_at'], name='players_providercheck_due')],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('provider', ''), _negated=True), models.Q(('consent_version', ''), _negated=True)), name='players_providercheck_was_agreed_to'), models.CheckConstraint(condition=models.Q(('state__in', ['waiting', 'given_up']), models.Q(('sent_at__isnull', False), models.Q(('reference', ''), _negated=True)), _connector='OR'), name='players_providercheck_sent_has_a_reference'), models.UniqueConstraint(condition=models.Q(('reference', ''), _negated=True), fields=('provider', 'reference'), name='players_providercheck_reference_once')],
            },
        ),
        migrations.CreateModel(
            name='PlaceDoubt',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='place_doubts', to=settings.AUTH_USER_MODEL)),
                ('kind', models.CharField(choices=[('elsewhere', 'IP address is in another place'), ('hidden', 'IP address hides its location'), ('unplaced', 'Region of the IP address is unknown')], max_length=9)),
                ('declared_country', models.CharField(max_length=2)),
                ('declared_region', models.CharField(blank=True, max_length=3)),
                ('seen_country', models.CharField(blank=True, max_length=2)),
                ('seen_region', models.CharField(blank=True, max_length=3)),
                ('noticed_at', models.DateTimeField()),
                ('settled_at', models.DateTimeField(blank=True, null=True)),
                ('settlement', models.CharField(blank=True, choices=[('back', 'IP address matches the account'), ('staff', 'Settled by staff')], default='', max_length=5)),
                ('settled_by', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('reason', models.CharField(blank=True, default='', max_length=200)),
            ],
            options={
                'ordering': ['-pk'],
                'constraints': [models.UniqueConstraint(condition=models.Q(('settled_at', None)), fields=('player',), name='players_placedoubt_stands_once'), models.CheckConstraint(condition=models.Q(models.Q(('reason', ''), ('settled_at', None), ('settled_by', None), ('settlement', '')), models.Q(('reason', ''), ('settled_at__isnull', False), ('settled_by', None), ('settlement', 'back')), models.Q(('settled_at__isnull', False), ('settled_by__isnull', False), ('settlement', 'staff'), models.Q(('reason', ''), _negated=True)), _connector='OR'), name='players_placedoubt_settled_in_one_way'), models.CheckConstraint(condition=models.Q(('settled_by', None), models.Q(('settled_by', models.F('player')), _negated=True), _connector='OR'), name='players_placedoubt_settled_by_another')],
            },
        ),
        migrations.CreateModel(
            name='PlayerName',
            fields=[
                ('player', models.OneToOneField(db_constraint=False, on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='+', serialize=False, to=settings.AUTH_USER_MODEL)),
                ('handle', models.CharField(max_length=20)),
                ('is_bot', models.BooleanField()),
                ('avatar', models.CharField(blank=True, max_length=10)),
                ('owner_id', models.BigIntegerField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name='OwnLimit',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='own_limits', to=settings.AUTH_USER_MODEL)),
                ('kind', models.CharField(choices=[('deposit', 'Deposits'), ('loss', 'Losses'), ('stake', 'Stake in one game'), ('tables', 'Tables at the same time'), ('time', 'Time at tables')], max_length=7)),
                ('currency', models.CharField(blank=True, default='', max_length=3)),
                ('period', models.CharField(blank=True, choices=[('day', '24 hours'), ('week', '7 days'), ('month', '30 days')], default='', max_length=5)),
                ('amount_minor', models.BigIntegerField(null=True)),
                ('number', models.PositiveIntegerField(null=True)),
                ('asked_at', models.DateTimeField()),
                ('applies_at', models.DateTimeField()),
            ],
            options={
                'ordering': ['-id'],
                'constraints': [models.CheckConstraint(condition=models.Q(('amount_minor__isnull', True), ('amount_minor__gt', 0), _connector='OR'), name='players_ownlimit_of_something'), models.CheckConstraint(condition=models.Q(('number__isnull', True), ('number__gt', 0), _connector='OR'), name='players_ownlimit_of_some_number'), models.CheckConstraint(condition=models.Q(models.Q(('kind', 'deposit'), ('period__in', ['day', 'month'])), models.Q(('kind', 'loss'), ('period__in', ['day', 'week', 'month'])), models.Q(('kind', 'time'), ('period', 'day')), models.Q(('kind__in', ['stake', 'tables']), ('period', '')), _connector='OR'), name='players_ownlimit_period_fits_kind'), models.CheckConstraint(condition=models.Q(models.Q(('kind__in', ['deposit', 'loss', 'stake']), ('number', None), models.Q(('currency', ''), _negated=True)), models.Q(('amount_minor', None), ('currency', ''), ('kind__in', ['tables', 'time'])), _connector='OR'), name='players_ownlimit_figure_fits_kind'), models.CheckConstraint(condition=models.Q(('applies_at__gte', models.F('asked_at'))), name='players_ownlimit_never_applied_before_asked')],
            },
        ),
    ]
