-- Guards of deposits: the terms of an order are immutable, and a credited order stays credited.

REVOKE UPDATE, DELETE, TRUNCATE ON wallet_deposit, wallet_stafftask FROM rummy_app;
GRANT UPDATE (status, transfer_id) ON wallet_deposit TO rummy_app;
GRANT UPDATE (done_at, done_by_id) ON wallet_stafftask TO rummy_app;

-- The outcome of an event is written once, when it is applied.
SELECT core_change_only('wallet_gatewayevent', '{outcome}',
    'gateway events are kept', 'OLD.outcome <> ''received''');
-- Signatures are verified with the secrets valid at reception, so an event cannot be backdated to a retired one.
CREATE TRIGGER received_lately BEFORE INSERT ON wallet_gatewayevent
    FOR EACH ROW WHEN (NEW.received_at NOT BETWEEN ledger_now() - interval '7 days' AND ledger_now())
    EXECUTE FUNCTION core_refuse_rewriting('an event is kept when it is received');
-- Only the webhook intake stores signed events. Web processes store refunds and disputes from settlement files and
-- from staff (finance/matching/gateways/returns.py).
CREATE TRIGGER signed_by_intake BEFORE INSERT ON wallet_gatewayevent
    FOR EACH ROW WHEN (NEW.source = 'signed')
    EXECUTE FUNCTION core_refuse_other_logins('intake');
CREATE TRIGGER reported_by_pages BEFORE INSERT ON wallet_gatewayevent
    FOR EACH ROW WHEN (NEW.source <> 'signed')
    EXECUTE FUNCTION core_refuse_other_logins('web');
-- The order of money in suspense is stored by the process that put it there.
CREATE TRIGGER placed_by_settlement BEFORE INSERT ON wallet_stafftask
    FOR EACH ROW WHEN (NEW.deposit_id IS NOT NULL)
    EXECUTE FUNCTION core_refuse_other_logins('settle');
SELECT core_never_delete('wallet_deposit', 'orders are kept');
-- The order's amount and tax are what the player agreed to; immutable also for the owner.
CREATE TRIGGER tax_stays BEFORE UPDATE ON wallet_deposit
    FOR EACH ROW WHEN (
        (OLD.amount_minor, OLD.gst_minor, OLD.gst_bps, OLD.gst_treatment)
        IS DISTINCT FROM (NEW.amount_minor, NEW.gst_minor, NEW.gst_bps, NEW.gst_treatment))
    EXECUTE FUNCTION core_refuse_rewriting('the agreed amount and tax are kept');

-- An order is created once and cancelled only while pending; a credited one stays credited.
CREATE OR REPLACE FUNCTION wallet_deposit_stays_credited() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF OLD.status = 'paid' THEN
        RAISE EXCEPTION 'deposit % is credited', OLD.id USING ERRCODE = 'restrict_violation';
    ELSIF NEW.status = 'created' AND OLD.status <> 'created' THEN
        RAISE EXCEPTION 'deposit % is %, not new', OLD.id, OLD.status
            USING ERRCODE = 'restrict_violation';
    ELSIF NEW.status IN ('cancelled', 'closed')
        AND OLD.status NOT IN ('created', 'failed', NEW.status)
    THEN
        RAISE EXCEPTION 'deposit % is %, not unpaid', OLD.id, OLD.status
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER credited_once BEFORE UPDATE ON wallet_deposit
    FOR EACH ROW EXECUTE FUNCTION wallet_deposit_stays_credited();

-- A staff task is completed once.
CREATE TRIGGER done_once BEFORE UPDATE ON wallet_stafftask
    FOR EACH ROW WHEN (OLD.done_at IS NOT NULL AND OLD IS DISTINCT FROM NEW)
    EXECUTE FUNCTION core_refuse_rewriting('a staff task is done once');
