-- Guards of tax rows: rates begin in the future and are immutable; withholdings and charges are kept.

REVOKE UPDATE, DELETE, TRUNCATE ON wallet_taxrate, wallet_withholding, wallet_gstcharge FROM rummy_app;

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON wallet_taxrate
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('rates are kept; append another');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_taxrate
    EXECUTE FUNCTION wallet_refuse_rewriting('rates are kept; append another');
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON wallet_withholding
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('withholdings are kept');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_withholding
    EXECUTE FUNCTION wallet_refuse_rewriting('withholdings are kept');
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON wallet_gstcharge
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('GST charges are kept');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_gstcharge
    EXECUTE FUNCTION wallet_refuse_rewriting('GST charges are kept');

-- A rate can begin tomorrow at the earliest, because people may have been taxed by today's.
CREATE OR REPLACE FUNCTION wallet_taxrate_begins_later() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF NEW.starts_on <= (ledger_now() AT TIME ZONE 'Asia/Kolkata')::date THEN
        RAISE EXCEPTION 'a rate can begin tomorrow at the earliest, not on %', NEW.starts_on
            USING ERRCODE = 'check_violation';
    END IF;
    IF EXISTS (
        SELECT FROM (
            SELECT (pair ->> 0)::bigint AS above, (pair ->> 1)::integer AS bps,
                lag((pair ->> 0)::bigint, 1, 0) OVER (ORDER BY n) AS before
            FROM jsonb_array_elements(NEW.surcharges) WITH ORDINALITY AS slab (pair, n)
        ) AS s
        WHERE (s.above > s.before AND s.bps BETWEEN 1 AND 9999) IS NOT TRUE
    ) THEN
        RAISE EXCEPTION 'surcharges must be pairs of an amount and basis points, ascending: %', NEW.surcharges
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER begins_later BEFORE INSERT ON wallet_taxrate
    FOR EACH ROW EXECUTE FUNCTION wallet_taxrate_begins_later();
REVOKE ALL ON FUNCTION wallet_taxrate_begins_later() FROM PUBLIC, rummy_app;

-- A declaration is immutable, and decided once.
REVOKE UPDATE, DELETE, TRUNCATE ON wallet_taxresidence FROM rummy_app;
GRANT UPDATE (state, decided_by_id, decided_at, reason) ON wallet_taxresidence TO rummy_app;
CREATE TRIGGER decided_once BEFORE UPDATE ON wallet_taxresidence
    FOR EACH ROW WHEN (
        OLD.state <> 'declared'
        OR (OLD.id, OLD.public_id, OLD.player_id, OLD.kind, OLD.country, OLD.from_year, OLD.declared_at)
        IS DISTINCT FROM
           (NEW.id, NEW.public_id, NEW.player_id, NEW.kind, NEW.country, NEW.from_year, NEW.declared_at))
    EXECUTE FUNCTION wallet_refuse_rewriting('a declaration is decided once and never rewritten');
CREATE TRIGGER kept BEFORE DELETE ON wallet_taxresidence
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('declarations of tax residence are kept');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_taxresidence
    EXECUTE FUNCTION wallet_refuse_rewriting('declarations of tax residence are kept');
