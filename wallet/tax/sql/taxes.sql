-- Guards of tax rows: rates begin in the future and are immutable; withholdings and charges are kept.

SELECT core_append_only('wallet_taxrate', 'rates are kept; append another');
SELECT core_append_only('wallet_withholding', 'withholdings are kept');
SELECT core_append_only('wallet_gstcharge', 'GST charges are kept');

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

-- A declaration is immutable, and decided once.
SELECT core_change_only('wallet_taxresidence', '{state, decided_by_id, decided_at, reason}',
    'a declaration is decided once and never rewritten', 'OLD.state <> ''declared''');
