-- Final rows: settled deals, closed windows and their answers, finished games and their seats, closed disputes.
-- The triggers bind the owner too; only those that read other rows have a function of their own.
CREATE TRIGGER ended_stays BEFORE UPDATE ON tables_deal
FOR EACH ROW WHEN (OLD.status IN ('settled', 'void') AND OLD IS DISTINCT FROM NEW)
EXECUTE FUNCTION tables_refuse_changes('a deal that is over stays as it ended');
CREATE TRIGGER ended_stays BEFORE UPDATE OF closed_at, outcome, gap_ms_left ON tables_window
FOR EACH ROW WHEN (OLD.closed_at IS NOT NULL AND OLD IS DISTINCT FROM NEW)
EXECUTE FUNCTION tables_refuse_changes('a question is closed once');
CREATE TRIGGER ended_stays BEFORE UPDATE OF phase, ending, started_at, finished_at, starters, deal_no, is_last_deal,
    opened_by_id ON tables_table
FOR EACH ROW
WHEN (OLD.phase IN ('finished', 'cancelled')
    AND (OLD.phase, OLD.ending, OLD.started_at, OLD.finished_at, OLD.starters, OLD.deal_no, OLD.is_last_deal,
        OLD.opened_by_id)
    IS DISTINCT FROM
       (NEW.phase, NEW.ending, NEW.started_at, NEW.finished_at, NEW.starters, NEW.deal_no, NEW.is_last_deal,
        NEW.opened_by_id))
EXECUTE FUNCTION tables_refuse_changes('a game that is over stays as it ended');
CREATE TRIGGER ended_stays BEFORE UPDATE ON tables_dispute
FOR EACH ROW WHEN (OLD.status = 'closed' AND OLD IS DISTINCT FROM NEW)
EXECUTE FUNCTION tables_refuse_changes('a closed dispute stays closed');
CREATE TRIGGER answered_once BEFORE UPDATE ON tables_answer
FOR EACH ROW WHEN (OLD.said <> '' AND OLD IS DISTINCT FROM NEW)
EXECUTE FUNCTION tables_refuse_changes('a question is answered once');

-- A closed window takes no answer.
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

-- No player leaves a finished game, changes seats in it or rejoins it.
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
