-- What was asked of a withdrawal, whoever owns the schema: how much, for whom, to which bank account.
CREATE TRIGGER as_asked BEFORE UPDATE ON wallet_withdrawal
    FOR EACH ROW WHEN (
        (OLD.id, OLD.public_id, OLD.player_id, OLD.currency, OLD.deposit_minor, OLD.winnings_minor,
         OLD.tax_minor, OLD.hold_id, OLD.encrypted_payee, OLD.account_end, OLD.requested_by_id,
         OLD.requested_at)
        IS DISTINCT FROM
        (NEW.id, NEW.public_id, NEW.player_id, NEW.currency, NEW.deposit_minor, NEW.winnings_minor,
         NEW.tax_minor, NEW.hold_id, NEW.encrypted_payee, NEW.account_end, NEW.requested_by_id,
         NEW.requested_at))
    EXECUTE FUNCTION wallet_refuse_rewriting('a withdrawal stays as it was asked');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_withdrawal
    EXECUTE FUNCTION wallet_refuse_rewriting('withdrawals are kept');
