-- Tables with rows written since the last audit (wallet/audit/sql/since.sql).
SELECT g.id FROM tables_table AS g
WHERE g.id IN (
    SELECT key FROM wallet_new_keys('tables_table')
    UNION SELECT name::bigint FROM unnest(ARRAY['tables_seat', 'tables_deal', 'tables_score', 'tables_elimination',
        'tables_result', 'tables_window', 'tables_answer', 'tables_buyin']) AS relation,
        LATERAL wallet_new_names(relation, 'table_id'))
ORDER BY g.id
