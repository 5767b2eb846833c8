-- Decisions that name a person or service, against the audit log: it has the same action by the same actor on that
-- row, written in the same database transaction. Each row is a difference: (check, subject, detail).
WITH
-- The table, the column with the actor, the kind of row in the log, its actions, and the column with the key of that
-- row, if it is not the decision's own; '*' if no column has that key, so that the action may be on any row of the
-- kind. Of several lines for a column one must match.
decided_by (relation, actor, kind, acts, key) AS (VALUES
    ('players_identitycheck', 'decided_by_id', 'players.identitycheck', '{verified,refused}'::text[], NULL),
    ('players_identitycheck', 'decided_by_provider', 'players.identitycheck', '{verified}', NULL),
    ('players_hold', 'set_by_id', 'players.hold', '{hold}', NULL),
    ('players_hold', 'lifted_by_id', 'players.hold', '{lift}', NULL),
    ('players_regionchange', 'made_by_id', 'players.regionchange', '{ask}', NULL),
    ('players_regionchange', 'checked_by_id', 'players.regionchange', '{approve,reject}', NULL),
    ('players_placedoubt', 'settled_by_id', 'players.placedoubt', '{settle}', NULL),
    ('players_phonenumber', 'distinguished_by_id', 'players.phonenumber', '{distinguish_player}', NULL),
    ('players_datarequest', 'answered_by_id', 'players.datarequest', '{answer}', NULL),
    ('players_helprequest', 'answered_by_id', 'players.helprequest', '{answer}', NULL),
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
    ('finance_gatewayfile', 'staff_id', 'finance.gatewayfile', '{upload}', NULL),
    ('finance_bankstatement', 'staff_id', 'finance.bankstatement', '{upload}', NULL),
    ('finance_bankexplanation', 'staff_id', 'finance.bankstatement', '{explain}', 'statement_id'),
    ('players_remark', 'by_id', 'players.remark', '{note,message}', NULL),
    ('tournaments_staffaction', 'asked_by_id', 'tournaments.tournament', '{delay,cancel}', 'tournament_id'),
    ('tournaments_staffaction', 'asked_by_id', 'tournaments.staffaction', '{ask_to_abort}', NULL),
    ('tournaments_staffaction', 'asked_by_id', 'tournaments.round', '{extend}', '*'),
    ('tournaments_staffaction', 'asked_by_id', 'tournaments.entry', '{remove}', '*'),
    ('tournaments_staffaction', 'agreed_by_id', 'tournaments.tournament', '{abort}', 'tournament_id'),
    ('tournaments_ticketrefund', 'made_by_id', 'tournaments.ticketrefund', '{ask}', NULL),
    ('tournaments_ticketrefund', 'checked_by_id', 'tournaments.ticketrefund', '{approve,reject}', NULL),
    ('wallet_accountfreeze', 'by_id', 'wallet.account', '{freeze,thaw}', 'account_id'),
    ('wallet_adjustment', 'made_by_id', 'wallet.adjustment', '{ask}', NULL),
    ('wallet_adjustment', 'checked_by_id', 'wallet.adjustment', '{approve,reject}', NULL),
    ('wallet_bonusgrant', 'granted_by_id', 'wallet.bonusrequest', '{approve}', '*'),
    ('wallet_bonusrequest', 'made_by_id', 'wallet.bonusrequest', '{ask}', NULL),
    ('wallet_bonusrequest', 'checked_by_id', 'wallet.bonusrequest', '{approve,reject}', NULL),
    ('wallet_depositterm', 'made_by_id', 'wallet.depositterm', '{ask}', NULL),
    ('wallet_depositterm', 'checked_by_id', 'wallet.depositterm', '{approve,reject}', NULL),
    ('wallet_gatewaysettlement', 'made_by_id', 'wallet.gatewaysettlement', '{ask}', NULL),
    ('wallet_gatewaysettlement', 'checked_by_id', 'wallet.gatewaysettlement', '{approve,reject}', NULL),
    ('wallet_paymentreturn', 'closed_by_id', 'wallet.paymentreturn', '{close}', NULL),
    ('wallet_payoutbatch', 'made_by_id', 'wallet.payoutbatch', '{send_to_bank}', NULL),
    ('wallet_restitution', 'made_by_id', 'wallet.restitution', '{ask}', NULL),
    ('wallet_restitution', 'checked_by_id', 'wallet.restitution', '{approve,reject}', NULL),
    ('wallet_stafftask', 'done_by_id', 'wallet.stafftask', '{done,place,send_back}', NULL),
    -- A decision about a withdrawal closes the task about its delay.
    ('wallet_stafftask', 'done_by_id', 'wallet.withdrawal', '{approve,reject,note_paid,note_failed}', '*'),
    ('wallet_taxresidence', 'decided_by_id', 'wallet.taxresidence',
        '{accept_tax_residence,refuse_tax_residence}', NULL),
    ('wallet_withdrawal', 'decided_by_id', 'wallet.withdrawal', '{approve,reject}', NULL),
    ('wallet_withdrawalfreeze', 'cleared_by', 'wallet.withdrawalfreeze', '{clear}', NULL),
    ('wallet_withdrawalfreeze', 'lifted_by', 'wallet.withdrawalfreeze', '{lift}', NULL)
),
steps AS (
    SELECT v.*, lag(v.facts) OVER (PARTITION BY v.relation, v.row_key ORDER BY v.id) AS before
    FROM wallet_rowversion AS v
    WHERE v.relation IN (SELECT relation FROM decided_by)
        AND (v.relation, v.row_key) IN (  -- only new
            SELECT u.relation, u.row_key FROM wallet_rowversion AS u WHERE u.xid >= wallet_new_xid())  -- only new
),
-- A requested change of a region gets the values of the request.
regions AS (
    SELECT r.id, r.change_id, c.status,
        (r.country, r.region, r.offer, r.age_min, r.withdrawal_needs_identity, r.reason)
        IS NOT DISTINCT FROM (c.country, c.region, c.offer, c.age_min, c.withdrawal_needs_identity, c.reason)
        AND r.begins_at >= c.begins_at AS is_as_asked
    FROM players_region AS r JOIN players_regionchange AS c ON c.id = r.change_id
)

SELECT 'decided_without_an_act' AS "check", s.relation || ' ' || s.row_key AS subject,
    format('version %s has %s = %s, but the log has no such action', s.id, d.actor, s.facts ->> d.actor) AS detail
FROM steps AS s
JOIN (SELECT DISTINCT relation, actor FROM decided_by) AS d ON d.relation = s.relation
WHERE s.act IN ('insert', 'update') AND s.facts ->> d.actor <> ''
    AND s.facts ->> d.actor IS DISTINCT FROM s.before ->> d.actor
    -- Players answer messages of staff.
    AND NOT (s.relation = 'players_remark' AND s.facts ->> 'kind' = 'reply' AND EXISTS (
        SELECT FROM players_case AS c
        WHERE c.id = (s.facts ->> 'case_id')::bigint AND c.player_id = (s.facts ->> 'by_id')::bigint))
    AND NOT EXISTS (
        SELECT FROM wallet_rowversion AS a JOIN decided_by AS w ON w.relation = s.relation AND w.actor = d.actor
        WHERE a.xid = s.xid AND a.relation = 'core_auditentry' AND a.act IN ('insert', 'adopt')
            AND a.facts ->> 'kind' = w.kind AND a.facts ->> 'act' = ANY (w.acts)
            AND (w.key = '*' OR a.facts ->> 'row' = coalesce(s.facts ->> w.key, s.row_key))
            AND CASE
                WHEN d.actor = 'decided_by_provider' THEN a.facts ->> 'service'
                -- An actor in the ledger's format.
                WHEN d.actor IN ('cleared_by', 'lifted_by') THEN (
                    SELECT 'player:' || u.public_id FROM players_user AS u WHERE u.id = (a.facts ->> 'by_id')::bigint)
                ELSE a.facts ->> 'by_id' END = s.facts ->> d.actor)
    AND s.xid >= wallet_new_xid()  -- only new

UNION ALL
SELECT 'region_without_an_approval', 'players_region ' || id,
    format('applies request %s, which is %s with %s', change_id, status,
        CASE WHEN is_as_asked THEN 'the same' ELSE 'something else' END)
FROM regions
WHERE status <> 'approved' OR NOT is_as_asked

UNION ALL
-- Messages are kept for a year.
SELECT 'decision_without_a_message', 'core_auditentry ' || e.id,
    format('%s %s %s in the name of person %s, who got no message about it', e.act, e.kind, e.row, n.player_id)
FROM core_auditentry AS e CROSS JOIN LATERAL players_named_by(e) AS n
WHERE e.at > ledger_now() - interval '364 days'
    AND NOT EXISTS (
        SELECT FROM players_notification AS m
        WHERE m.player_id = n.player_id AND m.key = 'act:' || e.id AND m.kind = n.kind AND m.on_site
            AND m.subject = players_subject_of_act(e.act, e.name) AND m.happens_at = e.at)
    AND e.id IN (SELECT key FROM wallet_new_keys('core_auditentry'))  -- only new

ORDER BY 1, 2
LIMIT 1000
