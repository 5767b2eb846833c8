-- Guards of registered bank accounts: immutable, and removed once.

REVOKE UPDATE, DELETE, TRUNCATE ON wallet_registeredpayee FROM rummy_app;
GRANT UPDATE (removed_at) ON wallet_registeredpayee TO rummy_app;

CREATE TRIGGER as_registered BEFORE UPDATE ON wallet_registeredpayee
    FOR EACH ROW WHEN (
        (OLD.id, OLD.public_id, OLD.player_id, OLD.encrypted_payee, OLD.bank, OLD.account_end, OLD.payee_hash,
         OLD.registered_at, OLD.usable_from)
        IS DISTINCT FROM
        (NEW.id, NEW.public_id, NEW.player_id, NEW.encrypted_payee, NEW.bank, NEW.account_end, NEW.payee_hash,
         NEW.registered_at, NEW.usable_from))
    EXECUTE FUNCTION wallet_refuse_rewriting('a registered bank account is immutable');
CREATE TRIGGER removed_once BEFORE UPDATE ON wallet_registeredpayee
    FOR EACH ROW WHEN (OLD.removed_at IS NOT NULL AND NEW.removed_at IS DISTINCT FROM OLD.removed_at)
    EXECUTE FUNCTION wallet_refuse_rewriting('a removed bank account stays removed');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_registeredpayee
    EXECUTE FUNCTION wallet_refuse_rewriting('registered bank accounts are kept');
CREATE TRIGGER kept BEFORE DELETE ON wallet_registeredpayee
    FOR EACH ROW EXECUTE FUNCTION wallet_refuse_rewriting('registered bank accounts are kept');
