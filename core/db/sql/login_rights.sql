-- Rights of each kind of process, granted again after every migration. The groups of logins get the rights of
-- `rummy_app` (rights.sql) except those that the first list reserves for one kind. `rummy_app_intake` gets only the
-- rights in the second list.
REVOKE ALL ON ALL TABLES IN SCHEMA public FROM rummy_app_web, rummy_app_settle, rummy_app_intake;
REVOKE ALL ON ALL SEQUENCES IN SCHEMA public FROM rummy_app_web, rummy_app_settle, rummy_app_intake;
REVOKE ALL ON ALL ROUTINES IN SCHEMA public FROM rummy_app_web, rummy_app_settle, rummy_app_intake;
GRANT USAGE ON SCHEMA public TO rummy_app_web, rummy_app_settle, rummy_app_intake;

-- Partitions are accessed through their table.
DO $$
DECLARE
    given record;
BEGIN
    FOR given IN
        SELECT CASE WHEN relkind = 'S' THEN 'SEQUENCE' ELSE 'TABLE' END AS sort, rights,
            string_agg(name, ', ') AS names
        FROM (
            SELECT c.oid::regclass::text AS name, c.relkind,
                string_agg(x.privilege_type, ', ' ORDER BY x.privilege_type) AS rights
            FROM pg_class AS c CROSS JOIN LATERAL aclexplode(c.relacl) AS x
            WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'S')
                AND NOT c.relispartition AND x.grantee = 'rummy_app'::regrole
            GROUP BY c.oid, c.relkind
        ) AS r
        GROUP BY 1, 2
        UNION ALL
        SELECT 'TABLE', format('%s (%s)', x.privilege_type, string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum)),
            c.oid::regclass::text
        FROM pg_class AS c
        JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        CROSS JOIN LATERAL aclexplode(a.attacl) AS x
        WHERE c.relnamespace = 'public'::regnamespace AND NOT c.relispartition AND x.grantee = 'rummy_app'::regrole
        GROUP BY c.oid, x.privilege_type
        UNION ALL
        SELECT 'ROUTINE', 'EXECUTE', string_agg(p.oid::regprocedure::text, ', ')
        FROM pg_proc AS p CROSS JOIN LATERAL aclexplode(p.proacl) AS x
        WHERE p.pronamespace = 'public'::regnamespace AND x.grantee = 'rummy_app'::regrole
        HAVING count(*) > 0
    LOOP
        EXECUTE format('GRANT %s ON %s %s TO rummy_app_web, rummy_app_settle', given.rights, given.sort, given.names);
    END LOOP;
END
$$;

-- Rights reserved for one kind of process. Postings have their own list (wallet_policy.login), and the trigger
-- `core_refuse_other_logins` refuses some rows of a table.
DO $$
DECLARE
    alone record;
    other text;
BEGIN
    FOR alone IN SELECT * FROM (VALUES
        -- Web processes create orders; settlement records payments and the outcomes of events.
        ('wallet_deposit', 'INSERT', 'web'),
        ('wallet_deposit', 'UPDATE (transfer_id)', 'settle'),
        -- Besides the intake: payments from a settlement file, once staff approve it (payments/sql/deposits.sql).
        ('wallet_gatewayevent', 'INSERT', 'web'),
        ('wallet_gatewayevent', 'UPDATE (outcome)', 'settle'),
        ('wallet_gatewaypayment', 'INSERT', 'settle'),
        ('wallet_gatewaypayment', 'UPDATE (order_reference, currency, amount_minor, deposit_id, transfer_id)', 'settle'),
        ('wallet_paymentreturn', 'INSERT', 'settle'),
        -- Web processes write moves of players, bots and timers; settlement writes results and payments.
        ('tables_move', 'INSERT', 'web'),
        ('tables_score', 'INSERT', 'settle'),
        ('tables_elimination', 'INSERT', 'settle'),
        ('tables_result', 'INSERT', 'settle'),
        ('tables_rating', 'INSERT, UPDATE (mu, sigma, games), DELETE', 'settle'),
        ('tables_ratingchange', 'INSERT, DELETE', 'settle'),
        ('tournaments_prize', 'INSERT', 'settle'),
        ('tournaments_outcome', 'INSERT', 'settle'),
        ('tournaments_leagueresult', 'INSERT, DELETE', 'settle'),
        ('tournaments_board', 'INSERT', 'settle'),
        ('tournaments_standing', 'INSERT, UPDATE (points, wins, games), DELETE', 'settle'),
        ('tournaments_pointscount', 'INSERT, UPDATE (players), DELETE', 'settle'),
        ('wallet_stackchange', 'INSERT', 'settle'),
        ('wallet_stakepart', 'UPDATE (consumed_minor)', 'settle'),
        -- The process that acts in a person's name may not record whether that person was notified.
        ('players_notification', 'UPDATE (mail, mail_tries)', 'settle'),
        ('players_accountchange', 'UPDATE (unsent, mail_tries)', 'settle')
    ) AS l (name, rights, kind)
    LOOP
        CONTINUE WHEN to_regclass(alone.name) IS NULL;  -- After a migration backwards.
        FOREACH other IN ARRAY '{web,settle}'::text[] LOOP
            CONTINUE WHEN other = alone.kind;
            EXECUTE format('REVOKE %s ON %I FROM %I', alone.rights, alone.name, 'rummy_app_' || other);
        END LOOP;
    END LOOP;
END
$$;

DO $$
DECLARE
    given record;
BEGIN
    FOR given IN SELECT * FROM (VALUES
        -- The intake stores an event once; a settlement worker applies it.
        ('TABLE', 'wallet_gatewayevent', 'SELECT, INSERT'),
        ('SEQUENCE', 'wallet_gatewayevent_id_seq', 'USAGE'),
        -- For /readyz, and for the check of the login's settings (check --deploy).
        ('TABLE', 'django_migrations', 'SELECT'),
        ('TABLE', 'tables_heartbeat', 'SELECT'),
        ('TABLE', 'wallet_installation', 'SELECT'),
        ('TABLE', 'wallet_policy', 'SELECT'),
        ('TABLE', 'wallet_schemarecord', 'SELECT')
    ) AS l (sort, name, rights)
    LOOP
        CONTINUE WHEN to_regclass(given.name) IS NULL;
        EXECUTE format('GRANT %s ON %s %I TO rummy_app_intake', given.rights, given.sort, given.name);
    END LOOP;
    IF to_regprocedure('ledger_now()') IS NOT NULL THEN
        GRANT EXECUTE ON FUNCTION ledger_now() TO rummy_app_intake;
    END IF;
    GRANT EXECUTE ON FUNCTION core_is_login_of(text) TO rummy_app_intake;
END
$$;
