-- Tournaments with rows written since the last audit (wallet/audit/sql/since.sql).
SELECT g.id FROM tournaments_tournament AS g
WHERE g.id IN (
    SELECT key FROM wallet_new_keys('tournaments_tournament')
    UNION SELECT name::bigint FROM unnest(ARRAY['tournaments_entry', 'tournaments_prize', 'tournaments_round',
        'tournaments_staffaction']) AS relation, LATERAL wallet_new_names(relation, 'tournament_id')
    UNION SELECT name::bigint FROM wallet_new_names('tournaments_ticket', 'won_in_id')
    UNION SELECT r.tournament_id FROM tournaments_round AS r WHERE r.id IN (
        SELECT name::bigint FROM unnest(ARRAY['tournaments_roundtable', 'tournaments_seating']) AS relation,
            LATERAL wallet_new_names(relation, 'round_id'))
    UNION SELECT r.tournament_id FROM tournaments_round AS r JOIN tournaments_roundtable AS t ON t.round_id = r.id
    WHERE t.table_id IN (
        SELECT key FROM wallet_new_keys('tables_table')
        UNION SELECT name::bigint FROM unnest(ARRAY['tables_seat', 'tables_score', 'tables_elimination',
            'tables_result']) AS relation, LATERAL wallet_new_names(relation, 'table_id')))
ORDER BY g.id
