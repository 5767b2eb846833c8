-- Guards of withdrawals: the request is immutable, and the status only moves forwards.

REVOKE UPDATE, DELETE, TRUNCATE ON wallet_withdrawal, wallet_payoutbatch FROM rummy_app;
GRANT UPDATE (status, due_at, decided_by_id, decided_at, batch_id, closed_at, remark, bank_reference)
    ON wallet_withdrawal TO rummy_app;

-- The bank account is one that the player has registered.
ALTER TABLE wallet_withdrawal ADD CONSTRAINT wallet_withdrawal_to_its_player
    FOREIGN KEY (payee_id, player_id) REFERENCES wallet_registeredpayee (id, player_id);

-- Amount, player and bank account are immutable, also for the schema's owner.
CREATE TRIGGER as_asked BEFORE UPDATE ON wallet_withdrawal
    FOR EACH ROW WHEN (
        (OLD.id, OLD.public_id, OLD.player_id, OLD.currency, OLD.deposit_minor, OLD.winnings_minor,
         OLD.tax_minor, OLD.hold_id, OLD.payee_id, OLD.requested_by_id,
         OLD.requested_at, OLD.account_new_until)
        IS DISTINCT FROM
        (NEW.id, NEW.public_id, NEW.player_id, NEW.currency, NEW.deposit_minor, NEW.winnings_minor,
         NEW.tax_minor, NEW.hold_id, NEW.payee_id, NEW.requested_by_id,
         NEW.requested_at, NEW.account_new_until))
    EXECUTE FUNCTION wallet_refuse_rewriting('the request of a withdrawal is immutable');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_withdrawal
    EXECUTE FUNCTION wallet_refuse_rewriting('withdrawals are kept');
CREATE TRIGGER kept BEFORE DELETE ON wallet_withdrawal
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('withdrawals are kept');

-- RB 11.2: requested -> approved -> paid or failed; or rejected, while it is in no payout file.
CREATE OR REPLACE FUNCTION wallet_withdrawal_goes_forwards() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF (OLD.status, NEW.status) NOT IN (
        ('requested', 'approved'), ('requested', 'rejected'),
        ('approved', 'approved'), ('approved', 'rejected'), ('approved', 'paid'),
        ('approved', 'failed'))
    THEN
        RAISE EXCEPTION 'a withdrawal cannot change from % to %', OLD.status, NEW.status
            USING ERRCODE = 'restrict_violation';
    ELSIF OLD.batch_id IS NOT NULL AND NEW.batch_id IS DISTINCT FROM OLD.batch_id THEN
        RAISE EXCEPTION 'withdrawal % is in another payout file', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER forwards BEFORE UPDATE ON wallet_withdrawal
    FOR EACH ROW EXECUTE FUNCTION wallet_withdrawal_goes_forwards();

REVOKE ALL ON FUNCTION wallet_withdrawal_goes_forwards() FROM PUBLIC, rummy_app;
