-- Changes by staff, against the audit log: each has an entry, written in the same database transaction. Each row is
-- a difference: (check, subject, detail).
WITH
-- The check, the table, the kind of row in the log, and the column with its key, if it is not the row's own.
acted_on ("check", relation, kind, key) AS (VALUES
    ('rights_changed', 'players_user', 'players.user', NULL),
    ('rights_changed', 'players_user_groups', 'players.user', 'user_id'),
    ('rights_changed', 'players_user_user_permissions', 'players.user', 'user_id'),
    ('rights_changed', 'auth_group_permissions', 'auth.group', 'group_id'),
    ('changed_without_an_act', 'finance_financetoken', 'finance.financetoken', NULL),
    ('changed_without_an_act', 'finance_webhookendpoint', 'finance.webhookendpoint', NULL),
    ('changed_without_an_act', 'players_taxnumber', 'players.taxnumber', NULL),
    ('changed_without_an_act', 'players_case', 'players.case', NULL),
    ('changed_without_an_act', 'tables_finding', 'tables.finding', NULL),
    ('changed_without_an_act', 'tables_dispute', 'tables.dispute', NULL),
    ('changed_without_an_act', 'tables_tabletemplate', 'tables.tabletemplate', NULL),
    ('changed_without_an_act', 'tournaments_tournamenttemplate', 'tournaments.tournamenttemplate', NULL),
    ('changed_without_an_act', 'tournaments_season', 'tournaments.season', NULL),
    ('changed_without_an_act', 'wallet_depositterm', 'wallet.depositterm', NULL),
    ('changed_without_an_act', 'wallet_registration', 'wallet.registration', NULL),
    ('changed_without_an_act', 'wallet_taxform', 'wallet.taxform', NULL),
    ('changed_without_an_act', 'wallet_taxrate', 'wallet.taxrate', NULL),
    ('changed_without_an_act', 'wallet_withdrawalfreeze', 'wallet.withdrawalfreeze', NULL)
),
steps AS (
    SELECT v.*, w."check", w.kind, coalesce(v.facts ->> w.key, v.row_key) AS acted_on,
        lag(v.facts) OVER (PARTITION BY v.relation, v.row_key ORDER BY v.id) AS before
    FROM wallet_rowversion AS v JOIN acted_on AS w ON w.relation = v.relation
    WHERE (v.relation, v.row_key) IN (  -- only new
        SELECT u.relation, u.row_key FROM wallet_rowversion AS u WHERE u.xid >= wallet_new_xid())  -- only new
)

SELECT s."check", s.relation || ' ' || s.row_key AS subject,
    format('version %s records %s of %s, without a staff action on %s %s',
        s.id, s.act, s.facts - '{id}'::text[], s.kind, s.acted_on) AS detail
FROM steps AS s
WHERE CASE
        WHEN s.act = 'adopt' THEN false
        WHEN s.relation = 'players_user' THEN
            (coalesce(s.before ->> 'is_staff', 'false'), coalesce(s.before ->> 'is_superuser', 'false'))
            <> (s.facts ->> 'is_staff', s.facts ->> 'is_superuser')
            -- Players may close their account, staff may block it; only staff reopen it.
            OR s.before ->> 'is_active' = 'false' AND s.facts ->> 'is_active' = 'true'
            -- Players give their birth date and their place once; staff correct them.
            OR s.before ->> 'birth_date' <> coalesce(s.facts ->> 'birth_date', '')
            OR s.before ->> 'country' <> ''
                AND (s.before -> 'country', s.before -> 'region') <> (s.facts -> 'country', s.facts -> 'region')
        -- Tokens created on the command line have no creator.
        WHEN s.relation = 'finance_financetoken' THEN s.act = 'update' OR s.facts ->> 'created_by_id' <> ''
        -- A player adds a number once, and closing the account releases it; staff remove it.
        WHEN s.relation = 'players_taxnumber' THEN s.act = 'delete'
        -- Staff plan and cancel seasons; they open and close by themselves.
        WHEN s.relation = 'tournaments_season' THEN s.facts ->> 'state' IN ('planned', 'cancelled')
        -- Templates may come with the release, the audit itself freezes withdrawals, and staff decide on what the
        -- search finds or a player opens.
        WHEN s.relation LIKE '%template' OR s.relation IN (
            'wallet_withdrawalfreeze', 'tables_finding', 'tables_dispute', 'players_case') THEN s.act = 'update'
        ELSE true
    END
    AND NOT EXISTS (
        SELECT FROM wallet_rowversion AS a
        WHERE a.xid = s.xid AND a.relation = 'core_auditentry' AND a.act IN ('insert', 'adopt')
            AND a.facts ->> 'kind' = s.kind AND a.facts ->> 'row' = s.acted_on
            AND (s.relation <> 'players_user' OR a.facts ->> 'act' <> 'block'))
    AND s.xid >= wallet_new_xid()  -- only new

ORDER BY 1, 2
LIMIT 1000
