-- Guards of withdrawals: the request is immutable, and the status only moves forwards.

REVOKE UPDATE, DELETE, TRUNCATE ON wallet_payoutbatch FROM rummy_app;
-- The bank account is one that the player has registered.
ALTER TABLE wallet_withdrawal ADD CONSTRAINT wallet_withdrawal_to_its_player
    FOREIGN KEY (payee_id, player_id) REFERENCES wallet_registeredpayee (id, player_id);

-- Amount, player and bank account are immutable, also for the schema's owner.
SELECT core_change_only('wallet_withdrawal', '{status, due_at, decided_by_id, decided_at, batch_id, closed_at, remark, bank_reference}',
    'the request of a withdrawal is immutable');

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
