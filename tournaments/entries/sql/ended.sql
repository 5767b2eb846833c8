-- The rows of a finished tournament cannot change: state, prize pool, entries, places, prizes, rounds, tables and
-- seatings. The triggers apply to the owner of the tables too.
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
    -- In a BEFORE trigger the table still has the old row of the tournament.
    IF EXISTS (SELECT FROM tournaments_tournament WHERE id = tournament AND finished_at IS NOT NULL) THEN
        RAISE EXCEPTION 'tournament % is over', tournament USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN coalesce(NEW, OLD);
END
$$;

CREATE TRIGGER ended_stays BEFORE UPDATE ON tournaments_tournament
FOR EACH ROW
-- The timer has no effect any more, and the version only invalidates caches.
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
-- A staff action that was carried out cannot change.
CREATE TRIGGER done_once BEFORE UPDATE ON tournaments_staffaction
FOR EACH ROW WHEN (OLD.done_at IS NOT NULL AND OLD IS DISTINCT FROM NEW)
EXECUTE FUNCTION core_refuse_rewriting('a staff action is done once');

-- The terms of a tournament cannot change after it opens; the fields that may change are those of
-- planning/timing.py.
CREATE TRIGGER terms_fixed BEFORE UPDATE ON tournaments_tournament
FOR EACH ROW
WHEN (to_jsonb(OLD) - '{state,version,due_at,armed_at,starts_at,was_extended,started_at,finished_at,round_no,
        revealed_seed,frozen_at,prize_minor,overlay_minor,addon_until}'::text[]
    IS DISTINCT FROM to_jsonb(NEW) - '{state,version,due_at,armed_at,starts_at,was_extended,started_at,finished_at,
        round_no,revealed_seed,frozen_at,prize_minor,overlay_minor,addon_until}'::text[]
    OR OLD.revealed_seed <> '' AND OLD.revealed_seed <> NEW.revealed_seed
    OR OLD.frozen_at IS NOT NULL
        AND (OLD.frozen_at, OLD.prize_minor) IS DISTINCT FROM (NEW.frozen_at, NEW.prize_minor))
EXECUTE FUNCTION core_refuse_rewriting('the terms of a tournament cannot change');
-- The player, stake, draw number and place of an entry cannot change once set.
CREATE TRIGGER entered_once BEFORE UPDATE ON tournaments_entry
FOR EACH ROW
WHEN ((OLD.public_id, OLD.tournament_id, OLD.player_id, OLD.registered_at, OLD.reenters_id)
    IS DISTINCT FROM (NEW.public_id, NEW.tournament_id, NEW.player_id, NEW.registered_at, NEW.reenters_id)
    OR OLD.stake_id IS NOT NULL AND OLD.stake_id IS DISTINCT FROM NEW.stake_id
    OR OLD.addon_stake_id IS NOT NULL AND OLD.addon_stake_id IS DISTINCT FROM NEW.addon_stake_id
    OR OLD.draw_no IS NOT NULL AND (OLD.draw_no, OLD.is_late) IS DISTINCT FROM (NEW.draw_no, NEW.is_late)
    OR OLD.place IS NOT NULL AND (OLD.place, OLD.tied) IS DISTINCT FROM (NEW.place, NEW.tied))
EXECUTE FUNCTION core_refuse_rewriting('player, stake, draw number and place of an entry are set once');
-- The seats and qualifiers of a round, and the results of its tables, are set once.
CREATE TRIGGER drawn_once BEFORE UPDATE ON tournaments_seating
FOR EACH ROW
WHEN ((OLD.round_id, OLD.round_table_id, OLD.entry_id)
    IS DISTINCT FROM (NEW.round_id, NEW.round_table_id, NEW.entry_id)
    OR OLD.left_at IS NOT NULL AND OLD.left_at IS DISTINCT FROM NEW.left_at
    OR OLD.qualified IS NOT NULL AND OLD IS DISTINCT FROM NEW)
EXECUTE FUNCTION core_refuse_rewriting('a seating and its result are set once');
CREATE TRIGGER drawn_once BEFORE UPDATE ON tournaments_roundtable
FOR EACH ROW
WHEN ((OLD.round_id, OLD.no, OLD.qualify) IS DISTINCT FROM (NEW.round_id, NEW.no, NEW.qualify)
    OR OLD.finished_at IS NOT NULL AND OLD IS DISTINCT FROM NEW)
EXECUTE FUNCTION core_refuse_rewriting('a table of a round and its result are set once');
CREATE TRIGGER drawn_once BEFORE UPDATE ON tournaments_round
FOR EACH ROW
WHEN ((OLD.tournament_id, OLD.no, OLD.is_final, OLD.started_at)
    IS DISTINCT FROM (NEW.tournament_id, NEW.no, NEW.is_final, NEW.started_at)
    OR OLD.finished_at IS NOT NULL AND OLD IS DISTINCT FROM NEW)
EXECUTE FUNCTION core_refuse_rewriting('a round is opened and closed once');
-- Only the state of a ticket can change.
CREATE TRIGGER issued_once BEFORE UPDATE ON tournaments_ticket
FOR EACH ROW WHEN (to_jsonb(OLD) - 'state' IS DISTINCT FROM to_jsonb(NEW) - 'state')
EXECUTE FUNCTION core_refuse_rewriting('only the state of a ticket can change');
