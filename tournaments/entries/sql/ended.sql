-- A tournament that is over stays as it ended: its state and prize pool, who was in it, their places and
-- prizes, its rounds and their tables, and who sat where. The triggers bind the owner too.
CREATE FUNCTION tournaments_refuse_after_the_end() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    row CONSTANT jsonb := to_jsonb(coalesce(NEW, OLD));
    tournament bigint;
BEGIN
    tournament := CASE TG_TABLE_NAME
        WHEN 'tournaments_tournament' THEN (row ->> 'id')::bigint
        WHEN 'tournaments_entry' THEN (row ->> 'tournament_id')::bigint
        WHEN 'tournaments_round' THEN (row ->> 'tournament_id')::bigint
        ELSE (SELECT tournament_id FROM tournaments_round WHERE id = (row ->> 'round_id')::bigint) END;
    -- Before a tournament's own row is written, the table still says what it was.
    IF EXISTS (SELECT FROM tournaments_tournament WHERE id = tournament AND finished_at IS NOT NULL) THEN
        RAISE EXCEPTION 'tournament % is over', tournament USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN coalesce(NEW, OLD);
END
$$;
REVOKE ALL ON FUNCTION tournaments_refuse_after_the_end() FROM PUBLIC, rummy_app;

CREATE TRIGGER ended_stays BEFORE UPDATE ON tournaments_tournament
FOR EACH ROW
-- Nothing waits for a clock any more, and the version only tells views apart.
WHEN (to_jsonb(OLD) - '{version,due_at,armed_at}'::text[]
    IS DISTINCT FROM to_jsonb(NEW) - '{version,due_at,armed_at}'::text[])
EXECUTE FUNCTION tournaments_refuse_after_the_end();
CREATE TRIGGER ended_stays BEFORE INSERT OR DELETE ON tournaments_entry
FOR EACH ROW EXECUTE FUNCTION tournaments_refuse_after_the_end();
CREATE TRIGGER ended_stays_as_it_was BEFORE UPDATE ON tournaments_entry
FOR EACH ROW WHEN (OLD IS DISTINCT FROM NEW) EXECUTE FUNCTION tournaments_refuse_after_the_end();
CREATE TRIGGER ended_stays BEFORE INSERT OR DELETE ON tournaments_seating
FOR EACH ROW EXECUTE FUNCTION tournaments_refuse_after_the_end();
CREATE TRIGGER ended_stays_as_it_was BEFORE UPDATE ON tournaments_seating
FOR EACH ROW WHEN (OLD IS DISTINCT FROM NEW) EXECUTE FUNCTION tournaments_refuse_after_the_end();
CREATE TRIGGER ended_stays BEFORE INSERT OR DELETE ON tournaments_round
FOR EACH ROW EXECUTE FUNCTION tournaments_refuse_after_the_end();
CREATE TRIGGER ended_stays_as_it_was BEFORE UPDATE ON tournaments_round
FOR EACH ROW WHEN (OLD IS DISTINCT FROM NEW) EXECUTE FUNCTION tournaments_refuse_after_the_end();
CREATE TRIGGER ended_stays BEFORE INSERT OR DELETE ON tournaments_roundtable
FOR EACH ROW EXECUTE FUNCTION tournaments_refuse_after_the_end();
CREATE TRIGGER ended_stays_as_it_was BEFORE UPDATE ON tournaments_roundtable
FOR EACH ROW WHEN (OLD IS DISTINCT FROM NEW) EXECUTE FUNCTION tournaments_refuse_after_the_end();
-- What staff did on a tournament is done once.
CREATE TRIGGER done_once BEFORE UPDATE ON tournaments_staffact
FOR EACH ROW WHEN (OLD.done_at IS NOT NULL AND OLD IS DISTINCT FROM NEW)
EXECUTE FUNCTION wallet_refuse_rewriting('an act of staff is done once');
