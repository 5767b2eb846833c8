-- Rights of the application's role on money: read tables and call the functions.
REVOKE ALL ON wallet_account, wallet_transfer, wallet_entry, wallet_bookedday FROM PUBLIC, rummy_app;
GRANT SELECT ON wallet_account, wallet_transfer, wallet_entry, wallet_bookedday TO rummy_app;
REVOKE ALL ON SEQUENCE wallet_account_id_seq, wallet_transfer_id_seq, wallet_entry_id_seq
FROM PUBLIC, rummy_app;

-- The application writes stakes itself, but their payer and amounts are immutable.
REVOKE UPDATE, DELETE, TRUNCATE ON wallet_stakepart FROM rummy_app;
GRANT UPDATE (consumed_minor, returned_minor) ON wallet_stakepart TO rummy_app;
REVOKE UPDATE, DELETE, TRUNCATE ON wallet_withdrawalfreeze FROM rummy_app;
GRANT UPDATE (lifted_at, lifted_by, cleared_by) ON wallet_withdrawalfreeze TO rummy_app;
CREATE TRIGGER lifted_once BEFORE UPDATE ON wallet_withdrawalfreeze
    FOR EACH ROW WHEN (OLD.lifted_at IS NOT NULL)
    EXECUTE FUNCTION core_refuse_rewriting('a lifted freeze is immutable');

GRANT EXECUTE ON FUNCTION
    ledger_open_account(text, bigint, text, text, integer, uuid),
    ledger_lock_accounts(bigint[]),
    ledger_freeze_account(bigint),
    ledger_thaw_account(bigint),
    ledger_post(
        text, text, bigint[], bigint[], text[], bigint[], text, text, timestamptz, uuid,
        text, bigint, text, integer),
    ledger_reverse(bigint, text, text, text, uuid)
TO rummy_app;
