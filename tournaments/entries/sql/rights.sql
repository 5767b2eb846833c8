REVOKE DELETE, TRUNCATE ON tournaments_tournament, tournaments_entry, tournaments_ticket,
    tournaments_round, tournaments_roundtable, tournaments_seating, tournaments_staffact
    FROM rummy_app;
REVOKE UPDATE, DELETE, TRUNCATE ON tournaments_prize, tournaments_tournamentsecret FROM rummy_app;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON tournaments_prize
FOR EACH ROW EXECUTE FUNCTION tables_refuse_rewriting_history();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON tournaments_tournamentsecret
FOR EACH ROW EXECUTE FUNCTION tables_refuse_rewriting_history();
REVOKE UPDATE, DELETE, TRUNCATE ON tournaments_ticketrefund FROM rummy_app;
GRANT UPDATE (status, checked_by_id, checked_at, transfer_id) ON tournaments_ticketrefund TO rummy_app;
SELECT wallet_watch('tournaments_ticketrefund');

-- A request to pay a ticket out stays as it was made, and is decided once.
CREATE TRIGGER decided_once BEFORE UPDATE ON tournaments_ticketrefund
    FOR EACH ROW WHEN (
        OLD.status <> 'requested'
        OR (OLD.id, OLD.ticket_id, OLD.amount_minor, OLD.reason, OLD.made_by_id, OLD.made_at)
        IS DISTINCT FROM
           (NEW.id, NEW.ticket_id, NEW.amount_minor, NEW.reason, NEW.made_by_id, NEW.made_at))
    EXECUTE FUNCTION wallet_refuse_rewriting('a request is decided once and never rewritten');
CREATE TRIGGER kept BEFORE DELETE ON tournaments_ticketrefund
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('staff actions are kept');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON tournaments_ticketrefund
    EXECUTE FUNCTION wallet_refuse_rewriting('staff actions are kept');

-- A place in a round gets one table, which was opened for its tournament, and its result is that table's.
CREATE FUNCTION tournaments_refuse_another_table() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    owner text;
    opened_for text;
BEGIN
    SELECT 'tournament:' || t.public_id INTO owner
    FROM tournaments_round AS r JOIN tournaments_tournament AS t ON t.id = r.tournament_id
    WHERE r.id = NEW.round_id;
    SELECT owner_ref INTO opened_for FROM tables_table WHERE id = NEW.table_id;
    IF OLD.table_id IS NOT NULL OR (opened_for = owner) IS NOT TRUE
    THEN
        RAISE EXCEPTION 'place % of round % does not play at table %', NEW.no, NEW.round_id, NEW.table_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER one_table BEFORE UPDATE OF table_id ON tournaments_roundtable
    FOR EACH ROW WHEN (OLD.table_id IS DISTINCT FROM NEW.table_id)
    EXECUTE FUNCTION tournaments_refuse_another_table();

-- Who sits in a round is an entry of its tournament, at a table of that round.
CREATE FUNCTION tournaments_refuse_strangers() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    stranger bigint;
BEGIN
    SELECT s.id INTO stranger
    FROM added AS s
    JOIN tournaments_round AS r ON r.id = s.round_id
    LEFT JOIN tournaments_entry AS n ON n.id = s.entry_id AND n.tournament_id = r.tournament_id
    LEFT JOIN tournaments_roundtable AS t ON t.id = s.round_table_id AND t.round_id = r.id
    WHERE n.id IS NULL OR t.id IS NULL LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'seating % is of another tournament or round', stranger
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER of_its_round AFTER INSERT ON tournaments_seating REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION tournaments_refuse_strangers();
REVOKE ALL ON FUNCTION tournaments_refuse_another_table(), tournaments_refuse_strangers() FROM PUBLIC, rummy_app;
