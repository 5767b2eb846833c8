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

-- A tournament keeps its terms from the moment it is opened; only its steps change its state (planning/timing.py).
CREATE TRIGGER terms_stand BEFORE UPDATE ON tournaments_tournament
FOR EACH ROW
WHEN (to_jsonb(OLD) - '{state,version,due_at,armed_at,starts_at,was_extended,started_at,finished_at,round_no,
        revealed_seed,frozen_at,prize_minor,overlay_minor}'::text[]
    IS DISTINCT FROM to_jsonb(NEW) - '{state,version,due_at,armed_at,starts_at,was_extended,started_at,finished_at,
        round_no,revealed_seed,frozen_at,prize_minor,overlay_minor}'::text[]
    OR OLD.revealed_seed <> '' AND OLD.revealed_seed <> NEW.revealed_seed
    OR OLD.frozen_at IS NOT NULL
        AND (OLD.frozen_at, OLD.prize_minor) IS DISTINCT FROM (NEW.frozen_at, NEW.prize_minor))
EXECUTE FUNCTION wallet_refuse_rewriting('a tournament keeps its terms');
-- An entry keeps its player, what paid for it and its number in the draw.
CREATE TRIGGER entered_once BEFORE UPDATE ON tournaments_entry
FOR EACH ROW
WHEN ((OLD.public_id, OLD.tournament_id, OLD.player_id, OLD.registered_at)
    IS DISTINCT FROM (NEW.public_id, NEW.tournament_id, NEW.player_id, NEW.registered_at)
    OR OLD.stake_id IS NOT NULL AND OLD.stake_id IS DISTINCT FROM NEW.stake_id
    OR OLD.draw_no IS NOT NULL AND (OLD.draw_no, OLD.is_late) IS DISTINCT FROM (NEW.draw_no, NEW.is_late)
    OR OLD.place IS NOT NULL AND (OLD.place, OLD.tied) IS DISTINCT FROM (NEW.place, NEW.tied))
EXECUTE FUNCTION wallet_refuse_rewriting('an entry is made and drawn once');
-- Who sits where in a round, and how many get through, is drawn once; a result is taken over once.
CREATE TRIGGER drawn_once BEFORE UPDATE ON tournaments_seating
FOR EACH ROW
WHEN ((OLD.round_id, OLD.round_table_id, OLD.entry_id)
    IS DISTINCT FROM (NEW.round_id, NEW.round_table_id, NEW.entry_id)
    OR OLD.qualified IS NOT NULL AND OLD IS DISTINCT FROM NEW)
EXECUTE FUNCTION wallet_refuse_rewriting('a seat in a round is drawn, and its result taken over, once');
CREATE TRIGGER drawn_once BEFORE UPDATE ON tournaments_roundtable
FOR EACH ROW
WHEN ((OLD.round_id, OLD.no, OLD.qualify) IS DISTINCT FROM (NEW.round_id, NEW.no, NEW.qualify)
    OR OLD.finished_at IS NOT NULL AND OLD IS DISTINCT FROM NEW)
EXECUTE FUNCTION wallet_refuse_rewriting('a table of a round is drawn once');
CREATE TRIGGER drawn_once BEFORE UPDATE ON tournaments_round
FOR EACH ROW
WHEN ((OLD.tournament_id, OLD.no, OLD.is_final, OLD.started_at)
    IS DISTINCT FROM (NEW.tournament_id, NEW.no, NEW.is_final, NEW.started_at)
    OR OLD.finished_at IS NOT NULL AND OLD IS DISTINCT FROM NEW)
EXECUTE FUNCTION wallet_refuse_rewriting('a round is opened and closed once');
-- A ticket is its player's, for one tournament, and worth what it was when it was won.
CREATE TRIGGER issued_once BEFORE UPDATE ON tournaments_ticket
FOR EACH ROW WHEN (to_jsonb(OLD) - 'state' IS DISTINCT FROM to_jsonb(NEW) - 'state')
EXECUTE FUNCTION wallet_refuse_rewriting('a ticket stands as it was issued');
