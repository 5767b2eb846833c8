-- Only a deal's progress changes, and rows that a game depends on are not deleted.
SELECT core_change_only('tables_deal',
    '{status, toss, ending, started_at, ended_at, settled_at, commitment, chain, redrawn, closed_at}',
    'history is append-only; a deal keeps its table and number');

-- A deal is scored once: a settled or void deal takes no further score.
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
CREATE TRIGGER scored_once AFTER INSERT ON tables_score REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION tables_refuse_a_late_score();

-- Fields that are written once: a deal's toss, when a seat was left, the account that rejoins are paid to.
CREATE FUNCTION tables_refuse_changes() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RAISE EXCEPTION '% of % % is refused: %', TG_OP, TG_TABLE_NAME, OLD.id, TG_ARGV[0]
        USING ERRCODE = 'restrict_violation';
END
$$;
-- A commitment is replaced only before the cards are dealt, and stays listed (RB 12.1).
CREATE TRIGGER commitment_stays BEFORE UPDATE OF commitment, chain, redrawn ON tables_deal
FOR EACH ROW
WHEN ((OLD.commitment, OLD.chain, OLD.redrawn) IS DISTINCT FROM (NEW.commitment, NEW.chain, NEW.redrawn)
    AND (OLD.status <> 'committed' OR NEW.redrawn <> ltrim(OLD.redrawn || ' ' || OLD.commitment)))
EXECUTE FUNCTION tables_refuse_changes('a deal keeps its commitment and chain, or is drawn again');
CREATE TRIGGER begun_once BEFORE UPDATE OF toss, started_at ON tables_deal
FOR EACH ROW
WHEN (OLD.started_at IS NOT NULL
    AND (OLD.toss, OLD.started_at) IS DISTINCT FROM (NEW.toss, NEW.started_at))
EXECUTE FUNCTION tables_refuse_changes('a deal begins once');
CREATE TRIGGER left_once BEFORE UPDATE OF left_at ON tables_seat
FOR EACH ROW WHEN (OLD.left_at IS NOT NULL AND OLD.left_at IS DISTINCT FROM NEW.left_at)
EXECUTE FUNCTION tables_refuse_changes('a seat is left once');
CREATE TRIGGER rejoins_pay_one BEFORE UPDATE OF rejoin_account_id ON tables_table
FOR EACH ROW
WHEN (OLD.rejoin_account_id IS DISTINCT FROM NEW.rejoin_account_id
    AND (OLD.rejoin_account_id IS NOT NULL OR OLD.phase IN ('finished', 'cancelled')))
EXECUTE FUNCTION tables_refuse_changes('rejoins are paid to one account');

-- No player is eliminated from a game that is over.
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
CREATE TRIGGER before_the_end AFTER INSERT ON tables_elimination REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION tables_refuse_a_late_elimination();

REVOKE DELETE, TRUNCATE ON tables_elimination, tables_dealseat, tables_buyin FROM rummy_app;

-- Rejoin and split offers depend on the number of starters.
CREATE TRIGGER started_once BEFORE UPDATE OF starters ON tables_table
FOR EACH ROW WHEN (OLD.starters > 0 AND OLD.starters IS DISTINCT FROM NEW.starters)
EXECUTE FUNCTION tables_refuse_changes('a game starts once');
