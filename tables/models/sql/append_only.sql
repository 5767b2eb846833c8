-- Append-only rows: moves, scores, results, rules profiles, and seeds, which may be read to play the deal.
SELECT core_append_only(name::regclass, 'history is append-only') FROM unnest(ARRAY[
    'tables_move', 'tables_score', 'tables_result', 'tables_ruleprofile', 'tables_dealsecret']) AS name;

-- Create the first monthly partitions with the same triggers; a task creates later ones.
SELECT core_make_months(3);
