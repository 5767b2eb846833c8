import datetime
import django.core.validators
import core.db.identifiers
import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.db.models.deletion
import django.db.models.functions.text
import django.db.models.expressions
import finance.matching.models
from django.conf import settings
from django.db import migrations, models

from core.db.schema import InitialMigration


class Migration(InitialMigration):

    initial = True

    dependencies = [
        ('core', '0001_initial'),
        ('players', '0001_initial'),
        ('wallet', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='FinanceToken',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=60)),
                ('prefix', models.CharField(editable=False, max_length=12, unique=True)),
                ('digest', models.CharField(editable=False, max_length=64)),
                ('scopes', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=30), size=None)),
                ('created_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='finance_tokens', to=settings.AUTH_USER_MODEL)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('approved_by', models.ForeignKey(editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('approved_at', models.DateTimeField(editable=False, null=True)),
                ('expires_at', models.DateTimeField()),
                ('last_used_at', models.DateTimeField(blank=True, null=True)),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('expires_at__gt', models.F('created_at'))), name='finance_financetoken_expires_after_it_is_made'), models.CheckConstraint(condition=models.Q(('scopes', []), _negated=True), name='finance_financetoken_opens_something'), models.CheckConstraint(condition=models.Q(('expires_at__lte', models.F('created_at') + datetime.timedelta(days=365))), name='finance_financetoken_year_at_most'), models.CheckConstraint(condition=models.Q(models.Q(('approved_at', None), ('approved_by', None)), models.Q(('approved_at__isnull', False), ('approved_by__isnull', False), ('created_by__isnull', False), models.Q(('approved_by', models.F('created_by')), _negated=True)), _connector='OR'), name='finance_financetoken_approved_by_another')],
                'permissions': [('check_financetoken', 'Can approve finance tokens')],
            },
        ),
        migrations.CreateModel(
            name='Export',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('token', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='%(class)ss', to='finance.financetoken')),
                ('staff', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('report', models.CharField(max_length=40)),
                ('format', models.CharField(max_length=10)),
                ('filters', models.TextField(blank=True, default='')),
                ('started_at', models.DateTimeField(auto_now_add=True)),
                ('finished_at', models.DateTimeField(null=True)),
                ('rows', models.BigIntegerField(null=True)),
                ('sha256', models.CharField(blank=True, default='', max_length=64)),
            ],
            options={
                'ordering': ['-pk'],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('finished_at', None), ('rows', None), ('sha256', '')), models.Q(('finished_at__isnull', False), ('rows__gte', 0), models.Q(('sha256', ''), _negated=True)), _connector='OR'), name='finance_export_finished_is_hashed'), models.CheckConstraint(condition=models.Q(models.Q(('token__isnull', False), models.Q(('staff__isnull', False), _negated=True)), models.Q(models.Q(('token__isnull', False), _negated=True), ('staff__isnull', False)), _connector='OR'), name='finance_export_has_one_reader')],
            },
        ),
        migrations.CreateModel(
            name='ExportJob',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.UUIDField(default=core.db.identifiers.new_public_id, editable=False, unique=True)),
                ('token', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='%(class)ss', to='finance.financetoken')),
                ('staff', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('is_mail_due', models.BooleanField(default=False)),
                ('report', models.CharField(max_length=40)),
                ('format', models.CharField(max_length=10)),
                ('filters', models.TextField(blank=True, default='')),
                ('first_day', models.DateField(null=True)),
                ('last_day', models.DateField()),
                ('tz', models.CharField(max_length=64)),
                ('horizon', models.BigIntegerField(editable=False)),
                ('generated_at', models.DateTimeField()),
                ('file', models.CharField(blank=True, default='', max_length=64)),
                ('money', models.CharField(blank=True, default='', max_length=6)),
                ('by', models.CharField(blank=True, default='', max_length=36)),
                ('about', models.CharField(blank=True, default='', max_length=36)),
                ('status', models.CharField(choices=[('queued', 'Queued'), ('running', 'Being written'), ('done', 'Ready'), ('failed', 'Failed'), ('cancelled', 'Cancelled'), ('gone', 'Gone')], default='queued', max_length=9)),
                ('attempts', models.SmallIntegerField(default=0)),
                ('beat_at', models.DateTimeField(null=True)),
                ('rows_done', models.BigIntegerField(default=0)),
                ('rows_total', models.BigIntegerField(null=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('finished_at', models.DateTimeField(null=True)),
                ('expires_at', models.DateTimeField(null=True)),
                ('size_bytes', models.BigIntegerField(null=True)),
                ('sha256', models.CharField(blank=True, default='', max_length=64)),
                ('code', models.CharField(blank=True, default='', max_length=40)),
            ],
            options={
                'ordering': ['-pk'],
                'indexes': [models.Index(condition=models.Q(('status__in', ['queued', 'running'])), fields=['beat_at'], name='finance_exportjob_unfinished'), models.Index(condition=models.Q(('is_mail_due', True)), fields=['id'], name='finance_exportjob_mail_due')],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('finished_at', None), ('sha256', ''), ('status__in', ['queued', 'running'])), models.Q(('expires_at__isnull', False), ('finished_at__isnull', False), ('size_bytes__gt', 0), ('status__in', ['done', 'gone']), models.Q(('sha256', ''), _negated=True)), models.Q(('finished_at__isnull', False), ('sha256', ''), ('status', 'cancelled')), models.Q(('finished_at__isnull', False), ('sha256', ''), ('status', 'failed'), models.Q(('code', ''), _negated=True)), _connector='OR'), name='finance_exportjob_ends_one_way'), models.CheckConstraint(condition=models.Q(models.Q(('token__isnull', False), models.Q(('staff__isnull', False), _negated=True)), models.Q(models.Q(('token__isnull', False), _negated=True), ('staff__isnull', False)), _connector='OR'), name='finance_exportjob_has_one_reader')],
            },
        ),
        migrations.CreateModel(
            name='GatewayFile',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('provider', models.CharField(choices=finance.matching.models.providers, max_length=20)),
                ('shape', models.CharField(choices=[('payments', 'Payments'), ('settlements', 'Settlements'), ('recon', 'Settlements with every transaction')], max_length=20, verbose_name='kind of file')),
                ('name', models.CharField(max_length=200)),
                ('sha256', models.CharField(max_length=64, unique=True)),
                ('line_count', models.IntegerField()),
                ('passed_over', models.IntegerField()),
                ('first_day', models.DateField(null=True)),
                ('last_day', models.DateField(null=True)),
                ('uploaded_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='%(class)ss', to='finance.financetoken')),
                ('staff', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('uploaded_at', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'ordering': ['-pk'],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('first_day', None), ('last_day', None), ('line_count', 0)), models.Q(('first_day__lte', models.F('last_day')), ('line_count__gt', 0)), _connector='OR'), name='finance_gatewayfile_lines_have_days'), models.CheckConstraint(condition=models.Q(('uploaded_by', None), ('staff', None), _connector='XOR'), name='finance_gatewayfile_one_uploader')],
            },
        ),
        migrations.CreateModel(
            name='GatewayLine',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('file', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='lines', to='finance.gatewayfile')),
                ('number', models.IntegerField()),
                ('what', models.CharField(choices=[('payment', 'Payment'), ('refund', 'Refund'), ('other', 'Other')], max_length=8)),
                ('reference', models.CharField(max_length=80)),
                ('payment_reference', models.CharField(blank=True, default='', max_length=80)),
                ('currency', models.CharField(max_length=3)),
                ('amount_minor', models.BigIntegerField()),
                ('at', models.DateTimeField()),
                ('day', models.DateField()),
                ('settlement', models.CharField(blank=True, default='', max_length=80)),
                ('bank_reference', models.CharField(blank=True, default='', max_length=80)),
                ('settled_on', models.DateField(null=True)),
                ('fee_minor', models.BigIntegerField(default=0)),
                ('tax_minor', models.BigIntegerField(default=0)),
            ],
            options={
                'ordering': ['file', 'number'],
                'indexes': [models.Index(fields=['reference'], name='finance_gatewayline_ref'), models.Index(fields=['payment_reference'], name='finance_gatewayline_payment'), models.Index(fields=['settlement', 'bank_reference'], name='finance_gatewayline_settlement'), models.Index(django.db.models.functions.text.Upper('bank_reference'), name='finance_gatewayline_bank')],
                'constraints': [models.UniqueConstraint(fields=('file', 'what', 'reference'), name='finance_gatewayline_reported_once'), models.CheckConstraint(condition=models.Q(('amount_minor', 0), _negated=True), name='finance_gatewayline_of_something'), models.CheckConstraint(condition=models.Q(('fee_minor__gte', 0), ('tax_minor__gte', 0)), name='finance_gatewayline_keeps_no_less_than_nothing'), models.CheckConstraint(condition=models.Q(models.Q(('fee_minor', 0), ('settled_on', None), ('settlement', ''), ('tax_minor', 0)), models.Q(models.Q(('settlement', ''), _negated=True), ('settled_on__isnull', False)), _connector='OR'), name='finance_gatewayline_settled_on_a_day')],
            },
        ),
        migrations.CreateModel(
            name='DailyClose',
            fields=[
                ('day', models.DateField(primary_key=True, serialize=False)),
                ('closed_at', models.DateTimeField()),
                ('horizon', models.BigIntegerField(editable=False)),
                ('transfers', models.BigIntegerField()),
                ('entries', models.BigIntegerField()),
                ('games', models.IntegerField()),
                ('control_hash', models.CharField(max_length=64, unique=True)),
                ('previous_hash', models.CharField(blank=True, default='', max_length=64)),
            ],
            options={
                'ordering': ['-day'],
                'constraints': [models.CheckConstraint(condition=models.Q(('entries__gte', django.db.models.expressions.CombinedExpression(models.Value(2), '*', models.F('transfers'))), ('transfers__gte', 0)), name='finance_dailyclose_two_entries_a_transfer')],
            },
        ),
        migrations.CreateModel(
            name='DailyTotal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('close', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='totals', to='finance.dailyclose')),
                ('currency', models.CharField(max_length=3)),
                ('account_kind', models.CharField(choices=[('bonus', 'Bonus'), ('deposit', 'Deposit'), ('winnings', 'Winnings'), ('withdrawal_hold', 'Withdrawal hold'), ('locked_bonus', 'Locked bonus'), ('ticket', 'Ticket'), ('receivable', 'Owed for reversed payments'), ('escrow', 'Escrow of a game'), ('rake', 'Rake'), ('promotions', 'Promotions'), ('guarantee', 'Guarantees'), ('gateway_clearing', 'Gateway clearing'), ('tds_payable', 'TDS payable'), ('gst_payable', 'GST payable'), ('suspense', 'Suspense'), ('gateway_fees', 'Gateway fees'), ('input_tax', 'Tax on gateway fees')], max_length=20)),
                ('opening_minor', models.BigIntegerField()),
                ('in_minor', models.BigIntegerField()),
                ('out_minor', models.BigIntegerField()),
                ('closing_minor', models.BigIntegerField()),
            ],
            options={
                'ordering': ['close', 'currency', 'account_kind'],
                'constraints': [models.UniqueConstraint(fields=('close', 'currency', 'account_kind'), name='finance_dailytotal_once'), models.CheckConstraint(condition=models.Q(('in_minor__gte', 0), ('out_minor__gte', 0), ('closing_minor', django.db.models.expressions.CombinedExpression(django.db.models.expressions.CombinedExpression(models.F('opening_minor'), '+', models.F('in_minor')), '-', models.F('out_minor')))), name='finance_dailytotal_adds_up')],
            },
        ),
        migrations.CreateModel(
            name='ChartAccount',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('bonus', 'Bonus'), ('deposit', 'Deposit'), ('winnings', 'Winnings'), ('withdrawal_hold', 'Withdrawal hold'), ('locked_bonus', 'Locked bonus'), ('ticket', 'Ticket'), ('receivable', 'Owed for reversed payments'), ('escrow', 'Escrow of a game'), ('rake', 'Rake'), ('promotions', 'Promotions'), ('guarantee', 'Guarantees'), ('gateway_clearing', 'Gateway clearing'), ('tds_payable', 'TDS payable'), ('gst_payable', 'GST payable'), ('suspense', 'Suspense'), ('gateway_fees', 'Gateway fees'), ('input_tax', 'Tax on gateway fees')], max_length=20, unique=True)),
                ('name', models.CharField(help_text='Separate levels with colons: Liabilities:Players:Deposits.', max_length=80, validators=[django.core.validators.RegexValidator('\\A(?=[A-Za-z])[A-Za-z0-9&().-]+(?: [A-Za-z0-9&().-]+)*(?::(?=[A-Za-z])[A-Za-z0-9&().-]+(?: [A-Za-z0-9&().-]+)*)*\\Z', 'Separate levels with colons and words with one space, and start each level with a letter; hledger and ledger-cli end a name at two spaces.')])),
                ('group', models.CharField(help_text='Group of the account in Tally.', max_length=60)),
            ],
            options={
                'ordering': ['kind'],
            },
        ),
        migrations.CreateModel(
            name='BankStatement',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=200)),
                ('line_count', models.IntegerField()),
                ('uploaded_at', models.DateTimeField(auto_now_add=True)),
                ('sha256', models.CharField(max_length=64)),
                ('number', models.IntegerField()),
                ('format', models.CharField(max_length=40)),
                ('account', models.CharField(blank=True, default='', max_length=40)),
                ('account_key', models.CharField(blank=True, default='', max_length=16)),
                ('currency', models.CharField(max_length=3)),
                ('first_day', models.DateField()),
                ('last_day', models.DateField()),
                ('opening_minor', models.BigIntegerField(null=True)),
                ('closing_minor', models.BigIntegerField(null=True)),
                ('staff', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('uploaded_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='%(class)ss', to='finance.financetoken')),
            ],
            options={
                'ordering': ['-pk'],
                'abstract': False,
                'constraints': [models.UniqueConstraint(fields=('sha256', 'number'), name='finance_bankstatement_once'), models.CheckConstraint(condition=models.Q(('first_day__lte', models.F('last_day')), ('line_count__gte', 0)), name='finance_bankstatement_has_days'), models.CheckConstraint(condition=models.Q(('uploaded_by', None), ('staff', None), _connector='XOR'), name='finance_bankstatement_one_uploader')],
            },
        ),
        migrations.CreateModel(
            name='BankLine',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.IntegerField()),
                ('position', models.CharField(max_length=80)),
                ('day', models.DateField()),
                ('valued_on', models.DateField()),
                ('amount_minor', models.BigIntegerField()),
                ('references', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), size=None)),
                ('text', models.TextField()),
                ('statement', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='lines', to='finance.bankstatement')),
            ],
            options={
                'ordering': ['statement', 'number'],
                'constraints': [models.UniqueConstraint(fields=('statement', 'number'), name='finance_bankline_numbered_once')],
                'indexes': [django.contrib.postgres.indexes.GinIndex(fastupdate=False, fields=['references'], name='finance_bankline_references')],
            },
        ),
        migrations.CreateModel(
            name='BankExplanation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('row', models.CharField(max_length=150)),
                ('reason', models.CharField(max_length=200)),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('staff', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('statement', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='explanations', to='finance.bankstatement')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('statement', 'row'), name='finance_bankexplanation_once')],
            },
        ),
        migrations.CreateModel(
            name='WebhookEndpoint',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('made_at', models.DateTimeField(auto_now_add=True)),
                ('status', models.CharField(choices=[('requested', 'Waiting for a second person'), ('approved', 'Approved'), ('rejected', 'Rejected')], default='requested', max_length=9)),
                ('checked_at', models.DateTimeField(null=True)),
                ('url', models.CharField(max_length=500)),
                ('kinds', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('game.finished', 'Game finished'), ('withdrawal.asked', 'Withdrawal asked for'), ('day.closed', 'Day closed')], max_length=30), size=None)),
                ('secret_no', models.PositiveSmallIntegerField(default=1, editable=False)),
                ('former_secret_until', models.DateTimeField(editable=False, null=True)),
                ('ended_at', models.DateTimeField(editable=False, null=True)),
                ('checked_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('made_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'webhook',
                'ordering': ['-id'],
                'permissions': [('check_webhookendpoint', 'Can approve webhooks')],
                'abstract': False,
                'constraints': [models.CheckConstraint(condition=models.Q(('checked_by__isnull', True), models.Q(('checked_by', models.F('made_by')), _negated=True), _connector='OR'), name='finance_webhookendpoint_checked_by_another'), models.CheckConstraint(condition=models.Q(models.Q(('checked_at', None), ('checked_by', None), ('status', 'requested')), models.Q(('checked_at__isnull', False), ('checked_by__isnull', False), ('status__in', ['approved', 'rejected'])), _connector='OR'), name='finance_webhookendpoint_decided_by_somebody'), models.CheckConstraint(condition=models.Q(('kinds', []), _negated=True), name='finance_webhookendpoint_receives_something')],
            },
        ),
        migrations.CreateModel(
            name='WebhookDelivery',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('due_at', models.DateTimeField(null=True)),
                ('delivered_at', models.DateTimeField(null=True)),
                ('answer', models.CharField(default='', max_length=100)),
                ('event', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='core.event')),
                ('endpoint', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='deliveries', to='finance.webhookendpoint')),
            ],
            options={
                'verbose_name': 'delivery',
                'verbose_name_plural': 'deliveries',
                'ordering': ['-pk'],
                'indexes': [models.Index(condition=models.Q(('due_at__isnull', False)), fields=['endpoint', 'due_at'], name='finance_webhookdelivery_due')],
                'constraints': [models.UniqueConstraint(fields=('event', 'endpoint'), name='finance_webhookdelivery_once_an_address'), models.CheckConstraint(condition=models.Q(('delivered_at__isnull', True), ('due_at__isnull', True), _connector='OR'), name='finance_webhookdelivery_delivered_is_over')],
            },
        ),
        migrations.CreateModel(
            name='BalanceTree',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('currency', models.CharField(max_length=3)),
                ('total_minor', models.BigIntegerField()),
                ('root', models.CharField(max_length=64)),
                ('secret', models.BinaryField()),
                ('tops', models.BinaryField()),
                ('close', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='balance_trees', to='finance.dailyclose')),
            ],
            options={
                'ordering': ['-close_id', 'currency'],
                'constraints': [models.UniqueConstraint(fields=('close', 'currency'), name='finance_balancetree_once'), models.CheckConstraint(condition=models.Q(('total_minor__gt', 0)), name='finance_balancetree_is_owed')],
            },
        ),
        migrations.CreateModel(
            name='BalanceTreePart',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('no', models.IntegerField()),
                ('first', models.BinaryField()),
                ('leaves', models.BinaryField()),
                ('tree', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='parts', to='finance.balancetree')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('tree', 'first'), name='finance_balancetreepart_once')],
            },
        ),
        migrations.CreateModel(
            name='CsvLayout',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('title', models.CharField(max_length=40, unique=True, verbose_name='Name')),
                ('delimiter', models.CharField(choices=[(',', 'Comma'), (';', 'Semicolon'), ('\t', 'Tab'), ('|', 'Vertical bar')], default=',', max_length=1, verbose_name='Cells are separated by')),
                ('encoding', models.CharField(blank=True, choices=[('', 'Recognized by the file: UTF-8, else Latin-1'), ('utf-8', 'UTF-8'), ('utf-16', 'UTF-16'), ('cp1252', 'CP1252'), ('latin-1', 'LATIN-1')], default='', max_length=10, verbose_name='Encoding')),
                ('currency', models.CharField(blank=True, default='', help_text="Empty: the site's first currency.", max_length=3, validators=[django.core.validators.RegexValidator('\\A[A-Z]{3}\\Z', 'Enter three capitals, such as INR.')], verbose_name='Currency')),
                ('account', models.CharField(blank=True, default='', help_text='As written above the headings, such as Account No.', max_length=60, verbose_name='Text before the account number')),
                ('date', models.CharField(max_length=100, verbose_name='Booking date')),
                ('date_format', models.CharField(choices=[('DD/MM/YYYY', 'DD/MM/YYYY'), ('DD/MM/YY', 'DD/MM/YY'), ('DD-MM-YYYY', 'DD-MM-YYYY'), ('DD-MM-YY', 'DD-MM-YY'), ('DD.MM.YYYY', 'DD.MM.YYYY'), ('DD MMM YYYY', 'DD MMM YYYY'), ('DD-MMM-YYYY', 'DD-MMM-YYYY'), ('DD-MMM-YY', 'DD-MMM-YY'), ('YYYY-MM-DD', 'YYYY-MM-DD'), ('MM/DD/YYYY', 'MM/DD/YYYY')], max_length=11, verbose_name='Dates are written')),
                ('value_date', models.CharField(blank=True, default='', max_length=100, verbose_name='Value date')),
                ('text', models.TextField(help_text='One heading in each line.', verbose_name='Text')),
                ('references', models.TextField(blank=True, default='', help_text='One heading in each line.', verbose_name='References')),
                ('figures', models.CharField(choices=[('.,', '1,234.50 or 1,23,456.00'), (',.', '1.234,50'), (', ', '1 234,50'), (".'", "1'234.50"), ('.', '1234.50, without separators'), (',', '1234,50, without separators')], default='.,', max_length=2, verbose_name='Amounts are written')),
                ('amount', models.CharField(blank=True, default='', help_text='If debits and credits are in one column.', max_length=100, verbose_name='Amount')),
                ('debit', models.CharField(blank=True, default='', max_length=100, verbose_name='Debit')),
                ('credit', models.CharField(blank=True, default='', max_length=100, verbose_name='Credit')),
                ('side', models.CharField(blank=True, default='', help_text='A column that says of the amount which of the two it is.', max_length=100, verbose_name='Debit or credit')),
                ('debit_sign', models.CharField(blank=True, default='', help_text='In that column, or after a figure, such as Dr in 500.00 Dr.', max_length=20, verbose_name='Sign of debits')),
                ('credit_sign', models.CharField(blank=True, default='', max_length=20, verbose_name='Sign of credits')),
                ('parentheses', models.BooleanField(default=False, verbose_name='(500.00) is a debit')),
                ('balance', models.CharField(blank=True, default='', help_text='Proves that no line is missing.', max_length=100, verbose_name='Balance')),
                ('balance_side', models.CharField(blank=True, default='', max_length=100, verbose_name='Debit or credit of the balance')),
                ('footer', models.TextField(blank=True, default='', help_text='Beginnings of cells below the last line, such as STATEMENT SUMMARY.', verbose_name='The lines end at')),
                ('skipped', models.TextField(blank=True, default='', help_text='Beginnings of cells in rows without an amount, such as OPENING BALANCE.', verbose_name='Rows that are no lines')),
            ],
            options={
                'verbose_name': "layout of a bank's CSV",
                'verbose_name_plural': "layouts of banks' CSV",
                'ordering': ['title'],
                'constraints': [models.CheckConstraint(condition=models.Q(('amount', ''), ('debit', ''), _connector='XOR'), name='finance_csvlayout_one_way_of_amounts')],
            },
        ),
    ]
