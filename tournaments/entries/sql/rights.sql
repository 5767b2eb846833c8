REVOKE DELETE, TRUNCATE ON tournaments_tournament, tournaments_entry, tournaments_ticket,
    tournaments_round, tournaments_roundtable, tournaments_seating, tournaments_staffaction
    FROM rummy_app;
SELECT core_append_only('tournaments_prize', 'history is append-only');
SELECT core_append_only('tournaments_tournamentsecret', 'history is append-only');
SELECT wallet_watch('tournaments_ticketrefund');

-- A request to pay out a ticket cannot change except by one decision.
SELECT core_change_only('tournaments_ticketrefund', '{status, checked_by_id, checked_at, transfer_id}',
    'a request is decided once and never rewritten', 'OLD.status <> ''requested''');

-- A round table is linked once, to a table that was opened for its tournament.
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
        RAISE EXCEPTION 'round table % of round % cannot use table %', NEW.no, NEW.round_id, NEW.table_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER one_table BEFORE UPDATE OF table_id ON tournaments_roundtable
    FOR EACH ROW WHEN (OLD.table_id IS DISTINCT FROM NEW.table_id)
    EXECUTE FUNCTION tournaments_refuse_another_table();

-- A seating must have an entry of the round's tournament and a table of the round.
CREATE FUNCTION tournaments_refuse_foreign_seatings() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    foreign_seating bigint;
BEGIN
    SELECT s.id INTO foreign_seating
    FROM added AS s
    JOIN tournaments_round AS r ON r.id = s.round_id
    LEFT JOIN tournaments_entry AS n ON n.id = s.entry_id AND n.tournament_id = r.tournament_id
    LEFT JOIN tournaments_roundtable AS t ON t.id = s.round_table_id AND t.round_id = r.id
    WHERE n.id IS NULL OR t.id IS NULL LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'seating % has an entry or table of another round', foreign_seating
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER of_its_round AFTER INSERT ON tournaments_seating REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION tournaments_refuse_foreign_seatings();
