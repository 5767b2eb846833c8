-- Guards of tax filing rows: append-only, and invoices numbered without gaps.
REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON wallet_invoice FROM rummy_app;

SELECT core_append_only('wallet_taxform', 'names of forms are kept; append another');
SELECT core_append_only('wallet_registration', 'registrations are kept; append another');
SELECT core_append_only('wallet_invoice', 'invoices are kept');

-- Return the year in which the financial year of a day begins.
CREATE OR REPLACE FUNCTION wallet_financial_year(p_day date) RETURNS integer
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT extract(year FROM p_day - interval '3 months')::integer
$$;

-- Each invoice has the number after the last of its year.
CREATE OR REPLACE FUNCTION wallet_invoice_follows() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    charged date;
    last_number bigint;
BEGIN
    SELECT charged_on INTO STRICT charged FROM wallet_gstcharge WHERE id = NEW.charge_id;
    SELECT max(number) INTO last_number FROM wallet_invoice WHERE year = NEW.year;
    IF NEW.year <> wallet_financial_year(charged) OR NEW.number <> coalesce(last_number, 0) + 1 THEN
        RAISE EXCEPTION 'invoice % of % does not follow %', NEW.number, NEW.year, last_number
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER follows BEFORE INSERT ON wallet_invoice
    FOR EACH ROW EXECUTE FUNCTION wallet_invoice_follows();

-- Issue missing invoices of all charges of closed days; return how many.
--
-- They are numbered in the order of days and database transactions, so the numbers do not depend on when this
-- runs. A closed day gets no more charges, so the order never changes.
CREATE OR REPLACE FUNCTION wallet_issue_invoices() RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    issued bigint;
BEGIN
    LOCK TABLE wallet_invoice IN SHARE ROW EXCLUSIVE MODE;
    INSERT INTO wallet_invoice (charge_id, year, number, registration_id, issued_at)
    SELECT c.id, c.year,
        coalesce((SELECT max(i.number) FROM wallet_invoice AS i WHERE i.year = c.year), 0)
            + row_number() OVER (PARTITION BY c.year ORDER BY c.charged_on, c.xid, c.id),
        (SELECT r.id FROM wallet_registration AS r WHERE r.starts_on <= c.charged_on
            ORDER BY r.starts_on DESC, r.id DESC LIMIT 1),
        ledger_now()
    FROM (
        SELECT g.id, g.charged_on, t.xid, wallet_financial_year(g.charged_on) AS year
        FROM wallet_gstcharge AS g
        JOIN wallet_transfer AS t ON t.id = g.transfer_id
        JOIN wallet_bookedday AS d ON d.day = g.charged_on AND d.closed_at IS NOT NULL
        WHERE NOT EXISTS (SELECT FROM wallet_invoice AS i WHERE i.charge_id = g.id)
    ) AS c
    ORDER BY c.charged_on, c.xid, c.id;
    GET DIAGNOSTICS issued = ROW_COUNT;
    RETURN issued;
END
$$;

-- Forms and rates of booked days cannot change afterwards.
CREATE OR REPLACE FUNCTION wallet_refuse_late_start() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    booked date;
BEGIN
    IF NEW.tax = 'gst' THEN
        SELECT max(charged_on) INTO booked FROM wallet_gstcharge;
    ELSE
        SELECT max(deducted_on) INTO booked FROM wallet_withholding;
    END IF;
    IF booked >= NEW.starts_on THEN
        RAISE EXCEPTION 'a row cannot begin on %, because % is already booked', NEW.starts_on, booked
            USING ERRCODE = 'check_violation', CONSTRAINT = 'wallet_starts_before_something_booked';
    END IF;
    RETURN NEW;
END
$$;
-- Checked again at COMMIT, because of bookings in between.
CREATE CONSTRAINT TRIGGER starts_later AFTER INSERT ON wallet_taxrate DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_late_start();
CREATE TRIGGER starts_after_booked BEFORE INSERT ON wallet_taxrate
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_late_start();
CREATE TRIGGER starts_after_booked BEFORE INSERT ON wallet_taxform
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_late_start();

GRANT EXECUTE ON FUNCTION wallet_issue_invoices(), wallet_financial_year(date) TO rummy_app;
GRANT SELECT ON wallet_invoice TO rummy_app;

SELECT wallet_watch(name::regclass) FROM unnest(ARRAY[
    'wallet_taxform', 'wallet_registration', 'wallet_invoice']) AS name;
