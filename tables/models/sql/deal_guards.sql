-- A deal's commitment never changes (RB 12.1), and rows that a game depends on are not deleted.
-- The triggers bind the owner too; the application's role has no privilege for these statements at all.
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
REVOKE ALL ON FUNCTION tables_refuse_a_late_score() FROM PUBLIC, rummy_app;
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
REVOKE ALL ON FUNCTION tables_refuse_changes() FROM PUBLIC, rummy_app;
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

-- Column privileges: only a deal's progress may be updated.
REVOKE UPDATE ON tables_deal FROM rummy_app;
GRANT UPDATE (status, toss, ending, started_at, ended_at, settled_at) ON tables_deal TO rummy_app;

-- Rejoin and split offers depend on the number of starters.
CREATE TRIGGER started_once BEFORE UPDATE OF starters ON tables_table
FOR EACH ROW WHEN (OLD.starters > 0 AND OLD.starters IS DISTINCT FROM NEW.starters)
EXECUTE FUNCTION tables_refuse_changes('a game starts once');
