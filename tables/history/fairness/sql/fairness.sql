-- Client seeds are accepted only before the cards are dealt, a revealed seed only afterwards, and only the committed
-- one (RB 12.1). The facts with which a dispute was opened never change.
-- The triggers bind the owner too; the application's role has no privilege for these statements at all.
CREATE FUNCTION tables_refuse_late_client_seed() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    -- A seed is added until the deal is closed, and one committed to is revealed once it is.
    PERFORM 1 FROM tables_deal
    WHERE id = NEW.deal_id AND status = 'committed' AND (closed_at IS NOT NULL) = (TG_OP = 'UPDATE') FOR SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the seeds of this deal are closed' USING ERRCODE = 'restrict_violation';
    END IF;
    IF TG_OP = 'UPDATE'
        AND (OLD.text <> '' OR NEW.commitment <> encode(sha256(convert_to(NEW.text, 'UTF8')), 'hex'))
    THEN
        RAISE EXCEPTION 'only the seed committed to is revealed, once' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER before_the_deal BEFORE INSERT OR UPDATE OF text ON tables_clientseed
FOR EACH ROW EXECUTE FUNCTION tables_refuse_late_client_seed();

CREATE FUNCTION tables_refuse_early_or_other_seed() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM 1 FROM tables_deal AS d
    JOIN tables_table AS t ON t.id = d.table_id JOIN tables_ruleprofile AS r ON r.id = t.profile_id
    WHERE d.id = NEW.deal_id AND d.status IN ('settled', 'void')
        AND d.commitment = encode(sha256(decode(NEW.server_seed || r.sha256, 'hex')), 'hex');
    IF NOT FOUND THEN
        RAISE EXCEPTION 'only the committed seed of a finished deal is revealed'
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER after_the_deal BEFORE INSERT ON tables_reveal
FOR EACH ROW EXECUTE FUNCTION tables_refuse_early_or_other_seed();

SELECT core_change_only('tables_clientseed', '{text}', 'history is append-only');
SELECT core_append_only('tables_reveal', 'history is append-only');

SELECT core_change_only('tables_dispute', '{status, assignee_id, answer, answered_at, closed_at}',
    'a dispute keeps what it was opened with');
