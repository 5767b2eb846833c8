-- Guards of registered bank accounts: immutable, and removed once.

SELECT core_change_only('wallet_registeredpayee', '{removed_at}',
    'a registered bank account is immutable');
CREATE TRIGGER removed_once BEFORE UPDATE ON wallet_registeredpayee
    FOR EACH ROW WHEN (OLD.removed_at IS NOT NULL AND NEW.removed_at IS DISTINCT FROM OLD.removed_at)
    EXECUTE FUNCTION core_refuse_rewriting('a removed bank account stays removed');
