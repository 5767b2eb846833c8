-- Store one hash of all moves when a deal is over: a version of each move would double the cost of a move.
-- The audit hashes them again (tables/settlement/sql/audit.sql).
CREATE OR REPLACE FUNCTION tables_move_as_text(m tables_move) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN ROW(m.id, m.ply, m.seat_id, m.text, m.origin, m.move_id, m.version,
    extract(epoch FROM m.due_at), extract(epoch FROM m.made_at), m.table_id, m.dealt_on)::text;

CREATE OR REPLACE FUNCTION tables_keep_moves(p_deals bigint[]) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, public, pg_temp AS $$
    INSERT INTO wallet_rowversion (xid, relation, row_key, act, facts)
    SELECT pg_current_xact_id()::text::bigint, 'tables_move', d.id::text, 'insert', jsonb_build_object(
        'moves', count(m.id)::text,
        'sha256', encode(sha256(convert_to(
            coalesce(string_agg(tables_move_as_text(m), '' ORDER BY m.ply)
                FILTER (WHERE m.id IS NOT NULL), ''), 'UTF8')), 'hex'))
    FROM tables_deal AS d LEFT JOIN tables_move AS m ON m.deal_id = d.id
    WHERE d.id = ANY (p_deals)
    GROUP BY d.id
$$;

CREATE OR REPLACE FUNCTION tables_keep_moves_of_the_deal() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM tables_keep_moves(ARRAY[NEW.id]);
    RETURN NULL;
END
$$;

GRANT EXECUTE ON FUNCTION tables_move_as_text(tables_move) TO rummy_app;
CREATE OR REPLACE TRIGGER moves_kept AFTER UPDATE OF status ON tables_deal
    FOR EACH ROW WHEN (NEW.status IN ('settled', 'void') AND OLD.status NOT IN ('settled', 'void'))
    EXECUTE FUNCTION tables_keep_moves_of_the_deal();
SELECT tables_keep_moves(array_agg(id)) FROM tables_deal WHERE status IN ('settled', 'void') AND NOT EXISTS (
    SELECT FROM wallet_rowversion AS v WHERE v.relation = 'tables_move' AND v.row_key = tables_deal.id::text);
