-- What binds the cashier's rows: what was asked stays as it was asked, states go forwards only.

REVOKE UPDATE, DELETE, TRUNCATE ON
    wallet_deposit, wallet_gatewayevent, wallet_stafftask, wallet_payoutbatch,
    wallet_withdrawal, wallet_idempotentrequest
FROM rummy_app;
GRANT UPDATE (status, transfer_id) ON wallet_deposit TO rummy_app;
GRANT UPDATE (done_at, done_by_id) ON wallet_stafftask TO rummy_app;
GRANT UPDATE (status, due_at, decided_by_id, decided_at, batch_id, closed_at, remark)
    ON wallet_withdrawal TO rummy_app;
GRANT UPDATE (status, answer) ON wallet_idempotentrequest TO rummy_app;

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON wallet_gatewayevent
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('what a gateway said is kept');
CREATE TRIGGER kept BEFORE DELETE ON wallet_deposit
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('orders are kept');
CREATE TRIGGER kept BEFORE DELETE ON wallet_withdrawal
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('withdrawals are kept');

-- A credited deposit stays credited; what a withdrawal may become is in withdrawal_steps.sql.
CREATE TRIGGER forwards BEFORE UPDATE ON wallet_withdrawal
    FOR EACH ROW EXECUTE FUNCTION wallet_withdrawal_goes_forwards();

CREATE FUNCTION wallet_deposit_stays_credited() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF OLD.status = 'paid' THEN
        RAISE EXCEPTION 'deposit % is credited', OLD.id USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER credited_once BEFORE UPDATE ON wallet_deposit
    FOR EACH ROW EXECUTE FUNCTION wallet_deposit_stays_credited();

CREATE FUNCTION wallet_answer_stays() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF OLD.status IS NOT NULL THEN
        RAISE EXCEPTION 'request % is answered', OLD.id USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER answered_once BEFORE UPDATE ON wallet_idempotentrequest
    FOR EACH ROW EXECUTE FUNCTION wallet_answer_stays();

REVOKE ALL ON FUNCTION
    wallet_withdrawal_goes_forwards(), wallet_deposit_stays_credited(), wallet_answer_stays()
FROM PUBLIC, rummy_app;
