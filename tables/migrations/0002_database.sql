-- tables.table.moves_by_month
-- Moves lie in months by the day on which their deal began, before anything guards or names them.
SELECT core_partition_by_month('tables_move', 'dealt_on');

-- tables.table.append_only
-- What has happened at a table stays as it happened: moves, scores, results and the rules played by.
-- The triggers bind the owner too; the application's role does not even get to ask.
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

-- A seed may be read to play the deal, never exchanged for another.
REVOKE UPDATE, DELETE, TRUNCATE ON tables_dealsecret FROM rummy_app;

-- The months that are needed first, guarded like their table; a task makes the later ones.
SELECT core_make_months(3);

-- tables.table.deal_guards
-- What was committed to before a deal stays committed to (RB 12.1), and what a game rests on is not deleted.
-- The triggers bind the owner too; the application's role does not even get to ask.
CREATE FUNCTION tables_refuse_another_commitment() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RAISE EXCEPTION 'a deal keeps its table, number, commitment and chain'
        USING ERRCODE = 'restrict_violation';
END
$$;

CREATE TRIGGER commitment_stands BEFORE UPDATE ON tables_deal
FOR EACH ROW
WHEN ((OLD.id, OLD.public_id, OLD.table_id, OLD.no, OLD.commitment, OLD.chain)
    IS DISTINCT FROM (NEW.id, NEW.public_id, NEW.table_id, NEW.no, NEW.commitment, NEW.chain))
EXECUTE FUNCTION tables_refuse_another_commitment();

-- A deal is scored once: what has been settled or voided takes no further score.
CREATE FUNCTION tables_refuse_a_late_score() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF EXISTS (
        SELECT FROM tables_deal WHERE id IN (SELECT deal_id FROM added) AND status IN ('settled', 'void'))
    THEN
        RAISE EXCEPTION 'the deal is scored already' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION tables_refuse_a_late_score() FROM PUBLIC, rummy_app;
CREATE TRIGGER scored_once AFTER INSERT ON tables_score REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION tables_refuse_a_late_score();

-- What has begun or ended stays so: a deal's toss, a seat that was given up, whom a rejoin pays.
CREATE FUNCTION tables_refuse_another_past() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RAISE EXCEPTION '% of % % is refused: %', TG_OP, TG_TABLE_NAME, OLD.id, TG_ARGV[0]
        USING ERRCODE = 'restrict_violation';
END
$$;
REVOKE ALL ON FUNCTION tables_refuse_another_past() FROM PUBLIC, rummy_app;
CREATE TRIGGER begun_once BEFORE UPDATE OF toss, started_at ON tables_deal
FOR EACH ROW
WHEN (OLD.started_at IS NOT NULL
    AND (OLD.toss, OLD.started_at) IS DISTINCT FROM (NEW.toss, NEW.started_at))
EXECUTE FUNCTION tables_refuse_another_past('a deal begins once');
CREATE TRIGGER left_once BEFORE UPDATE OF left_at ON tables_seat
FOR EACH ROW WHEN (OLD.left_at IS NOT NULL AND OLD.left_at IS DISTINCT FROM NEW.left_at)
EXECUTE FUNCTION tables_refuse_another_past('a seat is left once');
CREATE TRIGGER rejoins_pay_one BEFORE UPDATE OF rejoin_account_id ON tables_table
FOR EACH ROW
WHEN (OLD.rejoin_account_id IS DISTINCT FROM NEW.rejoin_account_id
    AND (OLD.rejoin_account_id IS NOT NULL OR OLD.phase IN ('finished', 'cancelled')))
EXECUTE FUNCTION tables_refuse_another_past('rejoins are paid to one account');

-- Nobody goes out of a game that is over.
CREATE FUNCTION tables_refuse_a_late_elimination() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF EXISTS (
        SELECT FROM tables_table
        WHERE id IN (SELECT table_id FROM added) AND phase IN ('finished', 'cancelled'))
    THEN
        RAISE EXCEPTION 'the game is over' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION tables_refuse_a_late_elimination() FROM PUBLIC, rummy_app;
CREATE TRIGGER before_the_end AFTER INSERT ON tables_elimination REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION tables_refuse_a_late_elimination();

CREATE TRIGGER not_deleted BEFORE DELETE ON tables_deal
FOR EACH ROW EXECUTE FUNCTION tables_refuse_rewriting_history();
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON tables_deal
FOR EACH STATEMENT EXECUTE FUNCTION tables_refuse_rewriting_history();

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON tables_dealsecret
FOR EACH ROW EXECUTE FUNCTION tables_refuse_rewriting_history();
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON tables_dealsecret
FOR EACH STATEMENT EXECUTE FUNCTION tables_refuse_rewriting_history();

REVOKE DELETE, TRUNCATE ON tables_deal, tables_dealsecret, tables_elimination, tables_dealseat,
    tables_result, tables_buyin FROM rummy_app;

-- Column by column: of a deal only how it goes on may be written.
REVOKE UPDATE ON tables_deal FROM rummy_app;
GRANT UPDATE (status, toss, ending, started_at, ended_at, settled_at) ON tables_deal TO rummy_app;

-- Offers of rejoins and splits count how many have started.
CREATE TRIGGER started_once BEFORE UPDATE OF starters ON tables_table
FOR EACH ROW WHEN (OLD.starters > 0 AND OLD.starters IS DISTINCT FROM NEW.starters)
EXECUTE FUNCTION tables_refuse_another_past('a game starts once');

-- tables.fairness.fairness
-- Client seeds count only before the cards are dealt, a revealed seed only afterwards, and only the one
-- committed to (RB 12.1). What a dispute was opened with stays as it was.
-- The triggers bind the owner too; the application's role does not even get to ask.
CREATE FUNCTION tables_refuse_late_client_seed() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM 1 FROM tables_deal WHERE id = NEW.deal_id AND status = 'committed' FOR SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the cards of this deal are dealt' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER before_the_deal BEFORE INSERT ON tables_clientseed
FOR EACH ROW EXECUTE FUNCTION tables_refuse_late_client_seed();

CREATE FUNCTION tables_refuse_early_or_other_seed() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM 1 FROM tables_deal
    WHERE id = NEW.deal_id AND status IN ('settled', 'void')
        AND commitment = encode(sha256(decode(NEW.server_seed, 'hex')), 'hex');
    IF NOT FOUND THEN
        RAISE EXCEPTION 'only the committed seed of a finished deal is revealed'
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER after_the_deal BEFORE INSERT ON tables_reveal
FOR EACH ROW EXECUTE FUNCTION tables_refuse_early_or_other_seed();

DO $$
DECLARE
    history text;
BEGIN
    FOREACH history IN ARRAY ARRAY['tables_clientseed', 'tables_reveal'] LOOP
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

CREATE FUNCTION tables_refuse_other_evidence() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RAISE EXCEPTION 'a dispute keeps what it was opened with' USING ERRCODE = 'restrict_violation';
END
$$;

CREATE TRIGGER evidence_stands BEFORE UPDATE ON tables_dispute
FOR EACH ROW
WHEN ((OLD.id, OLD.public_id, OLD.seat_id, OLD.deal_id, OLD.ply, OLD.category, OLD.text,
        OLD.evidence, OLD.evidence_sha256, OLD.opened_at)
    IS DISTINCT FROM (NEW.id, NEW.public_id, NEW.seat_id, NEW.deal_id, NEW.ply, NEW.category, NEW.text,
        NEW.evidence, NEW.evidence_sha256, NEW.opened_at))
EXECUTE FUNCTION tables_refuse_other_evidence();

CREATE TRIGGER not_deleted BEFORE DELETE ON tables_dispute
FOR EACH ROW EXECUTE FUNCTION tables_refuse_rewriting_history();
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON tables_dispute
FOR EACH STATEMENT EXECUTE FUNCTION tables_refuse_rewriting_history();

REVOKE UPDATE, DELETE, TRUNCATE ON tables_dispute FROM rummy_app;
GRANT UPDATE (status, assignee_id, answer, answered_at, closed_at) ON tables_dispute TO rummy_app;

-- tables.table.ended
-- What is over stays as it ended: a settled deal, a closed question and its answers, a finished game and its seats,
-- a closed dispute. The triggers bind the owner too; only those that look at other rows have a function of their own.
CREATE TRIGGER ended_stays BEFORE UPDATE ON tables_deal
FOR EACH ROW WHEN (OLD.status IN ('settled', 'void') AND OLD IS DISTINCT FROM NEW)
EXECUTE FUNCTION tables_refuse_another_past('a deal that is over stays as it ended');
CREATE TRIGGER ended_stays BEFORE UPDATE OF closed_at, outcome, gap_ms_left ON tables_window
FOR EACH ROW WHEN (OLD.closed_at IS NOT NULL AND OLD IS DISTINCT FROM NEW)
EXECUTE FUNCTION tables_refuse_another_past('a question is closed once');
CREATE TRIGGER ended_stays BEFORE UPDATE OF phase, ending, started_at, finished_at, starters, deal_no, is_last_deal,
    opened_by_id ON tables_table
FOR EACH ROW
WHEN (OLD.phase IN ('finished', 'cancelled')
    AND (OLD.phase, OLD.ending, OLD.started_at, OLD.finished_at, OLD.starters, OLD.deal_no, OLD.is_last_deal,
        OLD.opened_by_id)
    IS DISTINCT FROM
       (NEW.phase, NEW.ending, NEW.started_at, NEW.finished_at, NEW.starters, NEW.deal_no, NEW.is_last_deal,
        NEW.opened_by_id))
EXECUTE FUNCTION tables_refuse_another_past('a game that is over stays as it ended');
CREATE TRIGGER ended_stays BEFORE UPDATE ON tables_dispute
FOR EACH ROW WHEN (OLD.status = 'closed' AND OLD IS DISTINCT FROM NEW)
EXECUTE FUNCTION tables_refuse_another_past('a closed dispute stays closed');
CREATE TRIGGER answered_once BEFORE UPDATE ON tables_answer
FOR EACH ROW WHEN (OLD.said <> '' AND OLD IS DISTINCT FROM NEW)
EXECUTE FUNCTION tables_refuse_another_past('a question is answered once');

-- Nobody answers a question that is closed.
CREATE FUNCTION tables_refuse_a_late_answer() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF EXISTS (
        SELECT FROM tables_window
        WHERE table_id = NEW.table_id AND id = NEW.window_id AND closed_at IS NOT NULL)
    THEN
        RAISE EXCEPTION 'the question is closed' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER before_the_end BEFORE INSERT OR UPDATE ON tables_answer
FOR EACH ROW EXECUTE FUNCTION tables_refuse_a_late_answer();

-- Nobody leaves a game that is over, changes places in it or comes back to it.
CREATE FUNCTION tables_refuse_after_the_end() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF EXISTS (
        SELECT FROM tables_table WHERE id = NEW.table_id AND phase IN ('finished', 'cancelled'))
    THEN
        RAISE EXCEPTION 'the game of table % is over', NEW.table_id USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER before_the_end BEFORE UPDATE OF number, left_at ON tables_seat
FOR EACH ROW
WHEN (OLD.number <> NEW.number OR OLD.left_at IS NULL AND NEW.left_at IS NOT NULL)
EXECUTE FUNCTION tables_refuse_after_the_end();
CREATE TRIGGER joined_before_the_end BEFORE INSERT ON tables_seat
FOR EACH ROW EXECUTE FUNCTION tables_refuse_after_the_end();
CREATE TRIGGER rejoined_before_the_end BEFORE UPDATE ON tables_elimination
FOR EACH ROW WHEN (OLD IS DISTINCT FROM NEW) EXECUTE FUNCTION tables_refuse_after_the_end();
CREATE TRIGGER bought_before_the_end BEFORE INSERT ON tables_buyin
FOR EACH ROW EXECUTE FUNCTION tables_refuse_after_the_end();

REVOKE ALL ON FUNCTION tables_refuse_a_late_answer(), tables_refuse_after_the_end() FROM PUBLIC, rummy_app;

-- tables.table.rights
REVOKE DELETE, TRUNCATE ON tables_window, tables_answer FROM rummy_app;
REVOKE DELETE, TRUNCATE ON tables_ruling, tables_drain, tables_reviewflag, tables_seatorigin FROM rummy_app;
REVOKE UPDATE ON tables_ruling, tables_seatorigin FROM rummy_app;
REVOKE UPDATE, DELETE, TRUNCATE ON tables_address FROM rummy_app;

-- tables.table.watched
-- Which rows of games are kept in versions, to be compared by the ledger's audit (wallet/audit/sql/versions.sql): what
-- a table was opened with, who sat where, and what came of it. Phases, clocks and groups of cards are not.
SELECT wallet_watch('tables_table', 'only',
    '{id, public_id, profile_id, stake_mode, currency, entry_minor, point_value_minor, rake_bps,
      escrow_account_id, owner_ref, rejoin_account_id, stop_at_survivors, starters, ending}',
    '{stake_mode, currency, entry_minor, point_value_minor, rake_bps, profile_id, escrow_account_id, owner_ref,
      rejoin_account_id, stop_at_survivors, starters, ending}',
    p_over => 'phase', p_ends => '{finished, cancelled}',
    p_then => '{finished_at, started_at, created_at, name, template_id, opened_by_id, seats_min, seats_max}');
SELECT wallet_watch('tables_seat', 'only', '{id, table_id, player_id, number, joined_at, left_at}',
    '{table_id, player_id, number, left_at}');
SELECT wallet_watch('tables_deal', 'only', '{id, public_id, table_id, no, commitment, chain, ending}',
    '{table_id, no, ending}', p_over => 'status', p_ends => '{settled, void}',
    p_then => '{toss, started_at, ended_at, settled_at}');
SELECT wallet_watch('tables_dealseat', 'only', '{id, table_id, deal_id, seat_id, position}');
SELECT wallet_watch(name::regclass) FROM unnest(ARRAY[
    'tables_score', 'tables_elimination', 'tables_result', 'tables_buyin', 'tables_window', 'tables_answer',
    'tables_ruling', 'tables_dispute', 'tables_reviewflag', 'tables_drain', 'tables_ruleprofile',
    'tables_tabletemplate']) AS name;
-- What a deal is proved by; seeds are kept as their hash.
SELECT wallet_watch('tables_clientseed');
SELECT wallet_watch('tables_dealsecret', p_key => 'deal_id');
SELECT wallet_watch('tables_reveal', p_key => 'deal_id');

-- tables.collusion.findings
-- Findings and their figures stay as they were found; only what becomes of them changes, by two people.

REVOKE UPDATE, DELETE, TRUNCATE ON
    tables_finding, tables_findingfact, tables_findingdecision, tables_voidedprize
FROM rummy_app;
GRANT UPDATE (status) ON tables_finding TO rummy_app;
GRANT UPDATE (status, checked_by_id, checked_at) ON tables_findingdecision TO rummy_app;

CREATE TRIGGER decided_once BEFORE UPDATE ON tables_finding
    FOR EACH ROW WHEN (
        OLD.status <> 'open' OR to_jsonb(OLD) - 'status' IS DISTINCT FROM to_jsonb(NEW) - 'status')
    EXECUTE FUNCTION wallet_refuse_rewriting('a finding is decided once and never rewritten');
CREATE TRIGGER decided_once BEFORE UPDATE ON tables_findingdecision
    FOR EACH ROW WHEN (
        OLD.status <> 'requested'
        OR (OLD.finding_id, OLD.outcome, OLD.reason, OLD.restitution_id, OLD.made_by_id, OLD.made_at)
        IS DISTINCT FROM
           (NEW.finding_id, NEW.outcome, NEW.reason, NEW.restitution_id, NEW.made_by_id, NEW.made_at))
    EXECUTE FUNCTION wallet_refuse_rewriting('a request is decided once and never rewritten');
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY[
        'tables_finding', 'tables_findingfact', 'tables_findingdecision', 'tables_voidedprize']
    LOOP
        EXECUTE format(
            'CREATE TRIGGER kept BEFORE DELETE ON %I FOR EACH ROW
             EXECUTE FUNCTION wallet_refuse_rewriting(''findings and what became of them are kept'')', name);
        EXECUTE format(
            'CREATE TRIGGER not_emptied BEFORE TRUNCATE ON %I
             EXECUTE FUNCTION wallet_refuse_rewriting(''findings and what became of them are kept'')', name);
        CONTINUE WHEN name IN ('tables_finding', 'tables_findingdecision');
        EXECUTE format(
            'CREATE TRIGGER as_found BEFORE UPDATE ON %I FOR EACH ROW
             EXECUTE FUNCTION wallet_refuse_rewriting(''findings and what became of them are kept'')', name);
    END LOOP;
END
$$;

-- What was found, whose prizes are void, and who decided so, is kept in versions, to be compared by the ledger's audit.
SELECT wallet_watch(name::regclass) FROM unnest(ARRAY[
    'tables_finding', 'tables_findingfact', 'tables_findingdecision', 'tables_voidedprize']) AS name;

-- tables.table.moves_kept
-- The moves of a deal, kept as one hash when it is over: a version of each move would double what a move costs.
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

REVOKE ALL ON FUNCTION
    tables_move_as_text(tables_move), tables_keep_moves(bigint[]), tables_keep_moves_of_the_deal()
FROM PUBLIC, rummy_app;
GRANT EXECUTE ON FUNCTION tables_move_as_text(tables_move) TO rummy_app;
CREATE OR REPLACE TRIGGER moves_kept AFTER UPDATE OF status ON tables_deal
    FOR EACH ROW WHEN (NEW.status IN ('settled', 'void') AND OLD.status NOT IN ('settled', 'void'))
    EXECUTE FUNCTION tables_keep_moves_of_the_deal();
SELECT tables_keep_moves(array_agg(id)) FROM tables_deal WHERE status IN ('settled', 'void') AND NOT EXISTS (
    SELECT FROM wallet_rowversion AS v WHERE v.relation = 'tables_move' AND v.row_key = tables_deal.id::text);

-- tables.table.one_table
-- A row of a table names deals, seats and windows of the same table: their keys are compared together with the
-- table's, as distribution by table needs it (docs/adr/0009-keys-for-distribution-and-partitions.md).
DO $$
DECLARE
    link record;
BEGIN
    FOR link IN SELECT * FROM (VALUES
        ('tables_dealseat', 'deal_id', 'tables_deal'), ('tables_dealseat', 'seat_id', 'tables_seat'),
        ('tables_dealsecret', 'deal_id', 'tables_deal'), ('tables_reveal', 'deal_id', 'tables_deal'),
        ('tables_move', 'deal_id', 'tables_deal'), ('tables_move', 'seat_id', 'tables_seat'),
        ('tables_score', 'deal_id', 'tables_deal'), ('tables_score', 'seat_id', 'tables_seat'),
        ('tables_clientseed', 'deal_id', 'tables_deal'), ('tables_clientseed', 'seat_id', 'tables_seat'),
        ('tables_elimination', 'deal_id', 'tables_deal'), ('tables_elimination', 'seat_id', 'tables_seat'),
        ('tables_window', 'deal_id', 'tables_deal'), ('tables_window', 'proposed_by_id', 'tables_seat'),
        ('tables_answer', 'window_id', 'tables_window'), ('tables_answer', 'seat_id', 'tables_seat'),
        ('tables_result', 'seat_id', 'tables_seat'), ('tables_buyin', 'seat_id', 'tables_seat'),
        ('tables_seatorigin', 'seat_id', 'tables_seat')
    ) AS links (held, named_by, named) LOOP
        EXECUTE format(
            'ALTER TABLE %I ADD CONSTRAINT %I FOREIGN KEY (table_id, %I) REFERENCES %I (table_id, id)
             DEFERRABLE INITIALLY DEFERRED',
            link.held, link.held || '_' || link.named_by || '_of_its_table', link.named_by, link.named);
    END LOOP;
END
$$;

-- tables.settlement.documents
-- What the documents of transfers ask of tables at COMMIT (tournaments/prizes/sql/documents.sql), as their owner: the
-- ledger's on one server. Where tables are distributed it is the application's role, because a node lets nobody else
-- read what a transaction has written there (tables/table/sql/distribution.sql). Then that role may also drop them,
-- and nothing is posted any more, or set what they search for names; it may create nothing, no temporary object either,
-- that they would find. Each question is a look-up by an index.

-- Return the table that has this address and this escrow; nothing if there is none.
CREATE FUNCTION tables_of_escrow(p_address text, p_escrow bigint) RETURNS bigint
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    found_id bigint;
BEGIN
    -- Addresses lie elsewhere than tables: statements name one or the other.
    SELECT table_id INTO found_id FROM public.tables_address WHERE public_id = p_address::pg_catalog.uuid;
    SELECT id INTO found_id FROM public.tables_table WHERE id = found_id AND escrow_account_id = p_escrow;
    RETURN found_id;
END
$$;

-- Return whether a player has bought a seat at a table with this stake.
CREATE FUNCTION tables_seat_was_bought(p_table bigint, p_stake bigint, p_player bigint) RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM public.tables_buyin AS b JOIN public.tables_seat AS s ON s.table_id = b.table_id AND s.id = b.seat_id
        WHERE b.table_id = p_table AND b.stake_id = p_stake AND s.player_id = p_player);
END
$$;

-- Return whether a player has rejoined with this stake at one of a tournament's tables; which one, the
-- tournament's escrow does not say.
CREATE FUNCTION tables_rejoin_was_bought(p_escrow bigint, p_stake bigint, p_player bigint) RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM public.tables_buyin AS b
        JOIN public.tables_seat AS s ON s.table_id = b.table_id AND s.id = b.seat_id
        JOIN public.tables_table AS g ON g.id = b.table_id
        WHERE b.stake_id = p_stake AND s.player_id = p_player AND g.rejoin_account_id = p_escrow);
END
$$;

-- Return what the results of a table give each player, in minor units by the player's key; nothing if it has none.
CREATE FUNCTION tables_prizes(p_table bigint) RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RETURN (
        SELECT jsonb_object_agg(won.player_id, won.minor)
        FROM (
            SELECT s.player_id, sum(r.prize_minor) AS minor
            FROM public.tables_seat AS s JOIN public.tables_result AS r ON r.table_id = s.table_id AND r.seat_id = s.id
            WHERE s.table_id = p_table GROUP BY s.player_id
        ) AS won);
END
$$;

REVOKE ALL ON FUNCTION
    tables_of_escrow(text, bigint), tables_seat_was_bought(bigint, bigint, bigint),
    tables_rejoin_was_bought(bigint, bigint, bigint), tables_prizes(bigint)
FROM PUBLIC, rummy_app;
