-- Guards of payments, refunds and disputes: what the gateway reported is immutable, and postings are final.
REVOKE UPDATE, DELETE, TRUNCATE ON wallet_gatewaypayment, wallet_paymentreturn FROM rummy_app;
GRANT UPDATE (order_reference, currency, amount_minor, deposit_id, transfer_id)
    ON wallet_gatewaypayment TO rummy_app;
GRANT UPDATE (status, reported, player_id, transfer_id, closed_at, closed_by_id, remark)
    ON wallet_paymentreturn TO rummy_app;

CREATE OR REPLACE TRIGGER as_booked BEFORE UPDATE ON wallet_gatewaypayment
    FOR EACH ROW WHEN (
        OLD.transfer_id IS NOT NULL
        OR (OLD.id, OLD.provider, OLD.reference) IS DISTINCT FROM (NEW.id, NEW.provider, NEW.reference))
    EXECUTE FUNCTION wallet_refuse_rewriting('a booked payment is immutable');
CREATE OR REPLACE TRIGGER kept BEFORE DELETE ON wallet_gatewaypayment
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('payments are kept');
CREATE OR REPLACE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_gatewaypayment
    EXECUTE FUNCTION wallet_refuse_rewriting('payments are kept');

CREATE OR REPLACE TRIGGER as_reported BEFORE UPDATE ON wallet_paymentreturn
    FOR EACH ROW WHEN (
        OLD.status = 'taken'
        OR (OLD.id, OLD.payment_id, OLD.provider, OLD.reference, OLD.what, OLD.currency,
            OLD.amount_minor, OLD.opened_at)
        IS DISTINCT FROM
           (NEW.id, NEW.payment_id, NEW.provider, NEW.reference, NEW.what, NEW.currency,
            NEW.amount_minor, NEW.opened_at))
    EXECUTE FUNCTION wallet_refuse_rewriting('a refund or dispute is immutable');
CREATE OR REPLACE TRIGGER kept BEFORE DELETE ON wallet_paymentreturn
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('refunds and disputes are kept');
CREATE OR REPLACE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_paymentreturn
    EXECUTE FUNCTION wallet_refuse_rewriting('refunds and disputes are kept');

SELECT wallet_watch(name::regclass)
FROM unnest(ARRAY['wallet_gatewaypayment', 'wallet_paymentreturn']) AS name;
