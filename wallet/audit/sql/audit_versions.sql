-- Rows against their last versions, and versions against each other: immutable values did not change, even if the
-- triggers on versions ran. Each row is a difference: (check, subject, detail).
WITH
guards AS (
    SELECT tgrelid::regclass::text AS relation, bool_or(tgname = 'append_only') AS is_append_only
    FROM pg_trigger WHERE tgname IN ('append_only', 'kept', 'not_deleted', 'stays')
    GROUP BY tgrelid
),
-- What games, tournaments and personal rights depend on, and their results: written once, in some tables only at
-- the end.
written_once (relation, names) AS (VALUES
    ('wallet_gatewayevent', '{provider,event_reference,kind,order_reference,payment_reference,case_reference}'::text[]),
    ('tables_table', '{stake_mode,currency,entry_minor,point_value_minor,rake_bps,escrow_account_id,profile_id,
        owner_ref,ending,phase,finished_at,opened_by_id}'),
    ('tables_deal', '{ending,status,toss,started_at,ended_at,settled_at}'),
    ('tables_seat', '{table_id,player_id,joined_at,left_at,extra_chips}'),
    ('tables_answer', '{window_id,seat_id,amount_minor,said,answered_at}'),
    ('tables_elimination', '{seat_id,deal_id,total,at,rejoined_at,rejoined_total}'),
    ('tables_ruling', '{table_id,deal_id,kind,reason,by_id,at}'),
    ('tables_window', '{public_id,table_id,deal_id,kind,proposed_by_id,opened_at,outcome,closed_at}'),
    ('tables_buyin', '{seat_id,no,stake_id}'),
    ('tournaments_tournament', '{template_id,entry_minor,rake_bps,currency,guarantee_minor,escrow_account_id,
        commitment,revealed_seed,finished_at}'),
    ('tournaments_season', '{public_id,escrow_account_id,finished_at}'),
    ('tournaments_entry', '{tournament_id,player_id,reenters_id,registered_at,place}'),
    ('tournaments_seating', '{round_id,round_table_id,entry_id,place,total,deals_lost,last_points,qualified}'),
    ('tournaments_ticket', '{public_id,player_id,admits_to_id,won_in_id,account_id,value_minor,issued_at}'),
    ('finance_financetoken', '{scopes,digest,approved_by_id,approved_at,revoked_at}'),
    ('finance_webhookendpoint', '{url,kinds,made_by_id,made_at,checked_by_id,checked_at,ended_at}'),
    ('tables_finding', '{one_id,other_id,currency,first_day,last_day,group_key,tests,threshold,found_at}'),
    ('tables_findingfact', '{finding_id,kind,giver_id,seen,cases,expected,base_seen,base_cases,z}'),
    ('players_region', '{country,region,offer,age_min,withdrawal_needs_identity,begins_at,reason,change_id,added_at}'),
    ('players_regionchange', '{country,region,offer,age_min,withdrawal_needs_identity,begins_at,reason,made_by_id,
        made_at,checked_by_id,checked_at}'),
    ('players_identitycheck', '{player_id,name,document_kind,submitted_at,decided_by_id,decided_by_provider,decided_at,
        ground,expires_at}'),
    ('players_identitydocument', '{public_id,identity_check_id,media_type,size_bytes,deleted_at}'),
    ('players_hold', '{player_id,kind,reason,set_by_id,set_at,lifted_by_id,lifted_at,lift_reason}'),
    ('players_break', '{player_id,kind,began_at,ends_at}'),
    ('players_placedoubt', '{player_id,kind,declared_country,declared_region,seen_country,seen_region,noticed_at,
        settled_at,settlement,settled_by_id,reason}'),
    ('players_taxnumber', '{player_id,public_id,given_at,released_at}'),
    ('players_phonenumber', '{player_id,public_id,given_at,proved_at,replaced_at,distinguished_at,distinguished_by_id}'),
    ('players_accountchange', '{player_id,kind,subject,by_staff,at}'),
    ('players_factorlink', '{player_id,sent_to,made_by_id,made_at,expires_at,used_at}'),
    ('mfa_authenticator', '{user_id,type,created_at}')
),
steps AS (
    SELECT v.relation, v.row_key, v.act, v.facts, v.xid, lag(v.facts) OVER (PARTITION BY v.relation, v.row_key ORDER BY v.id)
        AS before
    FROM wallet_rowversion AS v
    WHERE (v.relation, v.row_key) IN (
        SELECT u.relation, u.row_key FROM wallet_rowversion AS u
        -- A refund or dispute may be reported before its payment.
        WHERE u.act = 'update' AND (u.relation LIKE 'wallet\_%' AND u.relation <> 'wallet_gatewaypayment'
            OR u.relation IN (SELECT relation FROM written_once))
            AND u.xid >= wallet_new_xid()  -- only new
    )
)

SELECT "check", subject, detail FROM wallet_audit_versions(wallet_new_xid(), wallet_audited_run())

UNION ALL
SELECT 'kept_row_changed', v.relation || ' ' || v.row_key,
    format('its table has %s, version %s has %s', CASE WHEN g.is_append_only THEN 'append-only' ELSE 'kept' END,
        v.id, v.act)
FROM wallet_rowversion AS v JOIN guards AS g ON g.relation = v.relation
WHERE (v.act = 'delete' AND v.facts <> '{}' OR v.act = 'update' AND g.is_append_only)
    AND v.xid >= wallet_new_xid()  -- only new

UNION ALL
-- Owner and agreed terms of a row are written once.
SELECT 'identity_changed', s.relation || ' ' || s.row_key,
    format('%s changed from %s to %s', f.key, s.before ->> f.key, f.value)
FROM steps AS s CROSS JOIN LATERAL jsonb_each_text(s.facts) AS f
WHERE s.act = 'update' AND s.relation LIKE 'wallet\_%' AND s.before ->> f.key <> f.value AND f.key IN (
    'id', 'public_id', 'player_id', 'currency', 'account_id', 'account_end', 'payee_id', 'escrow_id', 'stake_id', 'hold_id',
    'transfer_id', 'source_id', 'target_id', 'made_by_id', 'made_at', 'requested_by_id', 'requested_at',
    'granted_by_id', 'granted_at', 'expires_at', 'mode', 'amount_minor', 'entry_minor', 'rake_minor',
    'deposit_minor', 'winnings_minor', 'tax_minor', 'gst_minor', 'bps', 'release_bps', 'position', 'is_won', 'digest',
    'scopes', 'created_at')
    AND s.xid >= wallet_new_xid()  -- only new

UNION ALL
SELECT 'result_changed', s.relation || ' ' || s.row_key,
    format('%s changed from %s to %s', f.key, f.value, coalesce(s.facts ->> f.key, 'nothing'))
FROM steps AS s JOIN written_once AS w ON w.relation = s.relation
CROSS JOIN LATERAL jsonb_each_text(s.before) AS f
WHERE s.act = 'update' AND f.key = ANY (w.names) AND f.value <> '' AND s.facts ->> f.key IS DISTINCT FROM f.value
    AND s.xid >= wallet_new_xid()  -- only new

ORDER BY 1, 2
LIMIT 1000
