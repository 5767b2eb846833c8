-- Append-only rows: moves, scores, results and rules profiles.
-- The triggers bind the owner too; the application's role has no privilege to change these rows at all.
CREATE FUNCTION tables_refuse_rewriting_history() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END
$$;

DO $$
DECLARE
    history text;
BEGIN
    FOREACH history IN ARRAY ARRAY[
        'tables_move', 'tables_score', 'tables_result', 'tables_ruleprofile'
    ] LOOP
        EXECUTE format(
            'CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON %I
             FOR EACH ROW EXECUTE FUNCTION tables_refuse_rewriting_history()', history);
        EXECUTE format(
            'CREATE TRIGGER not_emptied BEFORE TRUNCATE ON %I
             FOR EACH STATEMENT EXECUTE FUNCTION tables_refuse_rewriting_history()', history);
        EXECUTE format('REVOKE UPDATE, DELETE, TRUNCATE ON %I FROM rummy_app', history);
    END LOOP;
END
$$;

-- A seed may be read to play the deal, but never replaced.
REVOKE UPDATE, DELETE, TRUNCATE ON tables_dealsecret FROM rummy_app;

-- Create the first monthly partitions with the same triggers; a task creates later ones.
SELECT core_make_months(3);
