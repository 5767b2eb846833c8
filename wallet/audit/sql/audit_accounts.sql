-- Sign-in data and bank accounts of users, against the record of changes: each change has a record of its kind,
-- written in the same database transaction, and sent to the account's verified addresses
-- (players/sign_in/security/sql/changes.sql). Each row is a difference: (check, subject, detail).
WITH
steps AS (
    SELECT v.id, v.xid, v.relation, v.row_key, v.act, v.facts,
        lag(v.facts) OVER (PARTITION BY v.relation, v.row_key ORDER BY v.id) AS before
    FROM wallet_rowversion AS v
    WHERE v.relation IN ('account_emailaddress', 'mfa_authenticator', 'players_phonenumber', 'players_playertoken',
        'players_taxnumber', 'players_user', 'wallet_registeredpayee')
        AND (v.relation, v.row_key) IN (  -- only new
            SELECT u.relation, u.row_key FROM wallet_rowversion AS u WHERE u.xid >= wallet_new_xid())  -- only new
),
-- Changes that need a record, the kinds of record, and the address it must name, if any.
changes AS (
    SELECT s.*, c.kinds,
        CASE s.relation WHEN 'players_user' THEN s.row_key
            ELSE coalesce(s.facts ->> 'user_id', s.facts ->> 'player_id') END AS player_key,
        CASE s.relation WHEN 'account_emailaddress' THEN s.facts ->> 'email' END AS address
    FROM steps AS s CROSS JOIN LATERAL (
        SELECT CASE s.relation || ' ' || s.act
            WHEN 'mfa_authenticator insert' THEN '{factor_added,codes_made}'::text[]
            WHEN 'mfa_authenticator delete' THEN '{factor_removed,codes_made}'
            WHEN 'account_emailaddress insert' THEN '{email_added,email_verified}'
            WHEN 'account_emailaddress update' THEN CASE
                WHEN s.before -> 'email' <> s.facts -> 'email' THEN '{email_added}'::text[]
                WHEN s.facts ->> 'verified' > s.before ->> 'verified' OR s.facts ->> 'primary' > s.before ->> 'primary'
                THEN '{email_verified,email_primary}' END
            -- An unverified address cannot be used to sign in.
            WHEN 'account_emailaddress delete' THEN
                CASE WHEN s.facts ->> 'verified' = 'true' THEN '{email_removed}'::text[] END
            WHEN 'players_playertoken insert' THEN '{token_made}'
            WHEN 'wallet_registeredpayee insert' THEN '{payee_added}'
            WHEN 'wallet_registeredpayee update' THEN
                CASE WHEN s.before -> 'removed_at' IS DISTINCT FROM s.facts -> 'removed_at'
                    THEN '{payee_removed}'::text[] END
        END AS kinds
        WHERE s.relation <> 'players_user'
        UNION ALL
        SELECT '{password_changed,password_set,password_reset,password_stored}'
        WHERE s.relation = 'players_user' AND s.act = 'update' AND s.before ->> 'password' <> s.facts ->> 'password'
        UNION ALL
        SELECT '{email_verified,email_primary,email_removed}'
        WHERE s.relation = 'players_user' AND s.act = 'update' AND s.before ? 'email'
            AND s.before ->> 'email' IS DISTINCT FROM s.facts ->> 'email'
    ) AS c
    WHERE c.kinds IS NOT NULL
        AND s.xid >= wallet_new_xid()  -- only new
)

SELECT 'changed_without_a_record' AS "check", c.relation || ' ' || c.row_key AS subject,
    format('version %s has %s, account %s has no such record of that transaction', c.id, c.act, c.player_key) AS detail
FROM changes AS c
WHERE NOT EXISTS (
        SELECT FROM wallet_rowversion AS r
        WHERE r.xid = c.xid AND r.relation = 'players_accountchange' AND r.act = 'insert'
            AND r.facts ->> 'kind' = ANY (c.kinds)
            AND (c.address IS NULL OR r.facts ->> 'subject' = c.address)
            AND (r.facts ->> 'player_id' = c.player_key OR c.relation = 'players_playertoken' AND EXISTS (
                SELECT FROM players_user AS u
                WHERE u.id = c.player_key::bigint AND u.owner_id = (r.facts ->> 'player_id')::bigint)))
    -- New accounts have nothing to lose, guests add an address and a password, closed accounts have neither.
    AND NOT EXISTS (
        SELECT FROM wallet_rowversion AS u
        WHERE u.xid = c.xid AND u.relation = 'players_user' AND u.row_key = c.player_key
            AND (u.act IN ('insert', 'adopt') OR u.facts ->> 'is_active' = 'false'))
    AND NOT (c.relation = 'players_user' AND c.before ->> 'is_guest' = 'true' AND c.facts ->> 'is_guest' = 'false')
    -- The first address of an account comes with its creation.
    AND NOT (c.relation = 'account_emailaddress' AND c.act <> 'delete'
        AND coalesce(c.before, c.facts) -> 'email' = c.facts -> 'email'
        AND NOT EXISTS (
            SELECT FROM wallet_rowversion AS o
            WHERE o.relation = 'account_emailaddress' AND o.facts ->> 'user_id' = c.player_key AND o.id < c.id
                AND o.row_key <> c.row_key AND o.facts ->> 'verified' = 'true')
        AND c.address = (
            SELECT u.facts ->> 'email' FROM wallet_rowversion AS u
            WHERE u.relation = 'players_user' AND u.row_key = c.player_key AND u.id < c.id
            ORDER BY u.id DESC LIMIT 1))

UNION ALL
-- Encrypted values and keyed hashes are rewritten only by a rotation of keys, which leaves an entry.
SELECT 'rewritten_outside_a_rotation', s.relation || ' ' || s.row_key,
    format('version %s has another %s, but the log has no rotation of keys in that transaction', s.id, k.name)
FROM steps AS s
JOIN (VALUES
    ('players_phonenumber', 'number_hash', 'players.phonenumber', 'rotate_identity_keys'),
    ('players_taxnumber', 'number_hash', 'players.taxnumber', 'rotate_identity_keys'),
    ('wallet_registeredpayee', 'payee_hash', 'wallet.registeredpayee', 'rotate_payee_keys')
) AS k (relation, name, kind, service) ON k.relation = s.relation
WHERE s.act = 'update' AND s.before ->> k.name <> s.facts ->> k.name
    AND NOT EXISTS (
        SELECT FROM wallet_rowversion AS a
        WHERE a.xid = s.xid AND a.relation = 'core_auditentry' AND a.act = 'insert' AND a.facts ->> 'kind' = k.kind
            AND a.facts ->> 'service' = k.service AND a.facts ->> 'act' = 'rotate_keys')
    AND s.xid >= wallet_new_xid()  -- only new

ORDER BY 1, 2
LIMIT 1000
