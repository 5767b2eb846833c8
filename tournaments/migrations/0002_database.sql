-- tournaments.entries.rights
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
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('acts of staff are kept');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON tournaments_ticketrefund
    EXECUTE FUNCTION wallet_refuse_rewriting('acts of staff are kept');

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

-- tournaments.entries.ended
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

-- tournaments.entries.watched
-- Which rows of tournaments are kept in versions, to be compared by the ledger's audit (wallet/audit/sql/versions.sql).
SELECT wallet_watch('tournaments_tournament', 'but', '{version, due_at, armed_at}');
SELECT wallet_watch(name::regclass) FROM unnest(ARRAY[
    'tournaments_tournamenttemplate', 'tournaments_entry', 'tournaments_ticket', 'tournaments_prize',
    'tournaments_round', 'tournaments_roundtable', 'tournaments_seating', 'tournaments_staffact']) AS name;
SELECT wallet_watch('tournaments_tournamentsecret', p_key => 'tournament_id');

-- tournaments.prizes.documents
-- What tables and tournaments say of a transfer, asked at COMMIT by wallet/ledger/sql/documents.sql, which knows no
-- game. Each question is a look-up by an index.

-- Return what is wrong with the game behind a transfer; nothing where it stands.
CREATE OR REPLACE FUNCTION games_transfer_lacks(t wallet_transfer) RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
SET enable_seqscan = off SET enable_mergejoin = off SET enable_hashjoin = off AS $$
DECLARE
    escrow bigint;
    game text;
    the_table bigint;
    tournament record;
    stake record;
    bought boolean;
    added numeric;
    given jsonb;
    other bigint;
BEGIN
    IF t.document = 'ticket' THEN
        RETURN CASE WHEN NOT EXISTS (
            SELECT FROM tournaments_ticketrefund AS r
            JOIN tournaments_ticket AS k ON k.id = r.ticket_id
            JOIN wallet_entry AS e ON e.transfer_id = t.id AND e.account_id = k.account_id
            WHERE r.transfer_id = t.id AND r.status = 'approved' AND r.amount_minor = -e.amount_minor
                AND wallet_was_decided('tournaments.ticketrefund', r.id, r.made_by_id,
                    r.checked_by_id, ARRAY[k.player_id])
        ) AND NOT ledger_is_trial() THEN 'no two members of staff have decided it' END;
    END IF;

    SELECT a.id, a.ref INTO escrow, game
    FROM wallet_entry AS e JOIN wallet_account AS a ON a.id = e.account_id AND a.kind = 'escrow'
    WHERE e.transfer_id = t.id;
    IF game ~ '^table:[0-9a-f-]{36}$' THEN
        the_table := tables_of_escrow(substr(game, 7), escrow);
    END IF;
    SELECT id, overlay_minor, guarantee_minor INTO tournament
    FROM tournaments_tournament WHERE escrow_account_id = escrow;

    IF t.document = 'guarantee' THEN
        SELECT coalesce(sum(e.amount_minor), 0) INTO added
        FROM wallet_entry AS e JOIN wallet_transfer AS g ON g.id = e.transfer_id
        WHERE e.account_id = escrow AND g.document = 'guarantee';
        RETURN CASE
            WHEN tournament.id IS NULL THEN 'no tournament has this escrow'
            WHEN added > tournament.guarantee_minor OR added <> tournament.overlay_minor THEN
                format('the house has added %s, the tournament says %s of a guarantee of %s',
                    added, tournament.overlay_minor, tournament.guarantee_minor) END;
    ELSIF the_table IS NULL AND tournament.id IS NULL THEN
        RETURN CASE WHEN NOT ledger_is_trial() THEN 'no table and no tournament has this escrow' END;
    ELSIF t.kind = 'buy_in' THEN
        SELECT id, player_id INTO stake FROM wallet_stake WHERE transfer_id = t.id;
        IF tournament.id IS NULL THEN
            bought := tables_seat_was_bought(the_table, stake.id, stake.player_id);
        ELSE
            bought := EXISTS (
                SELECT FROM tournaments_entry
                WHERE stake_id = stake.id AND player_id = stake.player_id AND tournament_id = tournament.id);
            bought := bought OR tables_rejoin_was_bought(escrow, stake.id, stake.player_id);
        END IF;
        RETURN CASE WHEN bought IS NOT TRUE THEN 'no seat and no entry was bought with it' END;
    ELSIF t.kind = 'prize' THEN
        given := tables_prizes(the_table);
        SELECT paid.player_id INTO other
        FROM (
            SELECT a.player_id, sum(e.amount_minor) AS minor
            FROM wallet_entry AS e JOIN wallet_account AS a ON a.id = e.account_id
            WHERE e.transfer_id = t.id AND a.player_id IS NOT NULL GROUP BY a.player_id
        ) AS paid
        WHERE paid.minor <> coalesce(
            (given ->> paid.player_id::text)::numeric,
            (SELECT sum(n.prize_minor) FROM tournaments_entry AS n
             WHERE n.tournament_id = tournament.id AND n.player_id = paid.player_id),
            0)
        LIMIT 1;
        RETURN CASE WHEN other IS NOT NULL THEN
            format('the results give player %s something else', other) END;
    END IF;
    RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION games_transfer_lacks(wallet_transfer) FROM PUBLIC, rummy_app;
