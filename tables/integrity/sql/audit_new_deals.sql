-- Finished deals with rows written since the last audit (wallet/audit/sql/since.sql).
SELECT d.id FROM tables_deal AS d
WHERE d.status IN ('settled', 'void') AND d.id IN (
    SELECT key FROM unnest(ARRAY['tables_deal', 'tables_move', 'tables_reveal']) AS relation,
        LATERAL wallet_new_keys(relation)
    UNION SELECT name::bigint FROM unnest(ARRAY['tables_score', 'tables_dealseat', 'tables_clientseed']) AS relation,
        LATERAL wallet_new_names(relation, 'deal_id'))
ORDER BY d.id
