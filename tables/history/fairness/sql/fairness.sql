-- Client seeds are accepted only before the cards are dealt, a revealed seed only afterwards, and only the committed
-- one (RB 12.1). The facts with which a dispute was opened never change.
-- The triggers bind the owner too; the application's role has no privilege for these statements at all.
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
