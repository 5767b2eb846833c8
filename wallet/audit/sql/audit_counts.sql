-- The numbers of accounts, transfers, entries and stakes that an audit examines.
SELECT (
    SELECT count(*) FROM wallet_account
    WHERE id IN (SELECT key FROM wallet_new_accounts())  -- only new
), (
    SELECT count(*) FROM wallet_transfer
    WHERE id >= wallet_new_transfer()  -- only new
), (
    SELECT count(*) FROM wallet_entry
    WHERE transfer_id >= wallet_new_transfer()  -- only new
), (
    SELECT count(*) FROM wallet_stake
    WHERE escrow_id IN (SELECT key FROM wallet_new_escrows())  -- only new
)
