-- Decisions that name a person or a service, against the log of acts: the log has the same act of the same actor on that
-- row, written in the same database transaction. Each row is a difference: (check, subject, detail).
WITH
-- The table, the column that names who decided, the kind of row in the log, its acts, and the column that holds the key
-- of the row acted on, if it is not the decision's own.
decided_by (relation, actor, kind, acts, key) AS (VALUES
    ('players_identitycheck', 'decided_by_id', 'players.identitycheck', '{verified,refused}'::text[], NULL),
    ('players_identitycheck', 'decided_by_provider', 'players.identitycheck', '{verified}', NULL),
    ('players_hold', 'set_by_id', 'players.hold', '{hold}', NULL),
    ('players_hold', 'lifted_by_id', 'players.hold', '{lift}', NULL),
    ('players_regionchange', 'made_by_id', 'players.regionchange', '{ask}', NULL),
    ('players_regionchange', 'checked_by_id', 'players.regionchange', '{approve,reject}', NULL),
    ('players_placedoubt', 'settled_by_id', 'players.placedoubt', '{settle}', NULL),
    ('players_phonenumber', 'told_apart_by_id', 'players.phonenumber', '{tell_apart}', NULL),
    ('players_datarequest', 'answered_by_id', 'players.datarequest', '{answer}', NULL),
    ('players_factorlink', 'made_by_id', 'players.factorlink', '{make_link}', NULL),
    ('tables_ruling', 'by_id', 'tables.table', '{cancel,void_deal}', 'table_id'),
    ('tables_dispute', 'assignee_id', 'tables.dispute', '{take,answer}', NULL),
    ('tables_reviewflag', 'reviewed_by_id', 'tables.reviewflag', '{review}', NULL),
    ('tables_drain', 'by_id', 'tables.drain', '{drain}', NULL),
    ('tables_drain', 'lifted_by_id', 'tables.drain', '{lift}', NULL),
    ('tables_findingdecision', 'made_by_id', 'tables.findingdecision', '{ask}', NULL),
    ('tables_findingdecision', 'checked_by_id', 'tables.findingdecision', '{approve,reject}', NULL),
    ('finance_financetoken', 'approved_by_id', 'finance.financetoken', '{approve}', NULL),
    ('finance_webhookendpoint', 'made_by_id', 'finance.webhookendpoint', '{ask}', NULL),
    ('finance_webhookendpoint', 'checked_by_id', 'finance.webhookendpoint', '{approve,reject}', NULL),
    ('wallet_withdrawal', 'decided_by_id', 'wallet.withdrawal', '{approve,reject}', NULL),
    ('wallet_payoutbatch', 'made_by_id', 'wallet.payoutbatch', '{send_to_bank}', NULL),
    ('wallet_taxresidence', 'decided_by_id', 'wallet.taxresidence',
        '{accept_tax_residence,refuse_tax_residence}', NULL)
),
steps AS (
    SELECT v.*, lag(v.facts) OVER (PARTITION BY v.relation, v.row_key ORDER BY v.id) AS before
    FROM wallet_rowversion AS v
    WHERE v.relation IN (SELECT relation FROM decided_by)
        AND (v.relation, v.row_key) IN (  -- only new
            SELECT u.relation, u.row_key FROM wallet_rowversion AS u WHERE u.xid >= wallet_new_xid())  -- only new
),
-- A region that was asked for takes over what the request says.
regions AS (
    SELECT r.id, r.change_id, c.status,
        (r.country, r.region, r.offer, r.age_min, r.withdrawal_needs_identity, r.reason)
        IS NOT DISTINCT FROM (c.country, c.region, c.offer, c.age_min, c.withdrawal_needs_identity, c.reason)
        AND r.begins_at >= c.begins_at AS is_as_asked
    FROM players_region AS r JOIN players_regionchange AS c ON c.id = r.change_id
)

SELECT 'decided_without_an_act' AS "check", s.relation || ' ' || s.row_key AS subject,
    format('version %s has %s = %s, no such act of theirs on %s %s is in the log',
        s.id, d.actor, s.facts ->> d.actor, d.kind, coalesce(s.facts ->> d.key, s.row_key)) AS detail
FROM steps AS s JOIN decided_by AS d ON d.relation = s.relation
WHERE s.act IN ('insert', 'update') AND s.facts ->> d.actor <> ''
    AND s.facts ->> d.actor IS DISTINCT FROM s.before ->> d.actor
    AND NOT EXISTS (
        SELECT FROM wallet_rowversion AS a
        WHERE a.xid = s.xid AND a.relation = 'core_auditentry' AND a.act IN ('insert', 'adopt')
            AND a.facts ->> 'kind' = d.kind AND a.facts ->> 'row' = coalesce(s.facts ->> d.key, s.row_key)
            AND a.facts ->> 'act' = ANY (d.acts)
            AND a.facts ->> CASE d.actor WHEN 'decided_by_provider' THEN 'service' ELSE 'by_id' END
                = s.facts ->> d.actor)
    AND s.xid >= wallet_new_xid()  -- only new

UNION ALL
-- A task is done by an act on it, or by deciding the withdrawal that it is about.
SELECT 'decided_without_an_act', 'wallet_stafftask ' || k.id,
    format('is done by %s, and no such act of theirs is in the log', k.done_by_id)
FROM wallet_stafftask AS k
WHERE k.done_by_id IS NOT NULL AND NOT EXISTS (
        SELECT FROM core_auditentry AS a
        WHERE a.by_id = k.done_by_id AND a.kind = 'wallet.stafftask' AND a.row = k.id::text
            AND a.act IN ('place', 'send_back', 'done'))
    AND NOT EXISTS (
        SELECT FROM wallet_withdrawal AS w JOIN core_auditentry AS a
            ON a.kind = 'wallet.withdrawal' AND a.row = w.id::text AND a.by_id = k.done_by_id
        WHERE w.hold_id = k.transfer_id)
    AND k.id IN (SELECT key FROM wallet_new_keys('wallet_stafftask'))  -- only new

UNION ALL
SELECT 'region_without_an_approval', 'players_region ' || id,
    format('takes over request %s, which is %s and says %s', change_id, status,
        CASE WHEN is_as_asked THEN 'the same' ELSE 'something else' END)
FROM regions
WHERE status <> 'approved' OR NOT is_as_asked

ORDER BY 1, 2
LIMIT 1000
