-- Conditions on rows of the ledger. PostgreSQL parses the text of each CHECK constraint of a table in every statement
-- that writes it, and a posting writes three tables; it keeps the conditions of a domain parsed. So conditions on one
-- column are domains (guards.sql gives the columns their types), and the long lists of kinds are functions.
CREATE DOMAIN wallet_date AS date
    CONSTRAINT is_finite CHECK (VALUE BETWEEN '1000-01-01' AND '9000-01-01');
CREATE DOMAIN wallet_moment AS timestamptz
    CONSTRAINT is_finite CHECK (VALUE BETWEEN '1000-01-01 00:00+00' AND '9000-01-01 00:00+00');
CREATE DOMAIN wallet_key AS varchar(160)
    CONSTRAINT wallet_transfer_has_a_key CHECK (VALUE <> '');
CREATE DOMAIN wallet_entry_count AS smallint
    CONSTRAINT wallet_transfer_two_sides_or_more CHECK (VALUE >= 2);
CREATE DOMAIN wallet_amount AS bigint
    CONSTRAINT wallet_entry_moves_something CHECK (VALUE <> 0);

-- Return whether an account of this kind may have this owner, ref and floor, and its balance is not below the floor, not
-- above zero if it is a debt, and zero if it is closed. For triggers of guards.sql.
CREATE OR REPLACE FUNCTION wallet_account_fits_its_kind(
    p_kind text, p_player bigint, p_ref text, p_floor bigint, p_balance bigint, p_status text
) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RETURN p_balance >= coalesce(p_floor, p_balance)
    AND (p_status IN ('open', 'frozen') OR p_status = 'closed' AND p_balance = 0)
    AND CASE
        WHEN p_kind IN ('bonus', 'deposit', 'winnings', 'withdrawal_hold', 'locked_bonus')
            THEN p_player IS NOT NULL AND p_ref = '' AND p_floor IS NOT NULL AND p_floor >= 0
        WHEN p_kind = 'ticket'
            THEN p_player IS NOT NULL AND p_ref <> '' AND p_floor IS NOT NULL AND p_floor >= 0
        WHEN p_kind = 'receivable'
            THEN p_player IS NOT NULL AND p_ref = '' AND p_floor IS NULL AND p_balance <= 0
        WHEN p_kind = 'escrow'
            THEN p_player IS NULL AND p_ref <> '' AND p_floor IS NOT NULL AND p_floor >= 0
        WHEN p_kind IN ('rake', 'promotions', 'guarantee', 'gateway_clearing', 'tds_payable',
                        'gst_payable', 'suspense', 'gateway_fees', 'input_tax')
            THEN p_player IS NULL
        ELSE false
    END;
END
$$;

-- Return whether a reversal, and no other kind, names the transfer it reverses.
CREATE OR REPLACE FUNCTION wallet_transfer_fits_its_kind(p_kind text, p_reverses bigint) RETURNS boolean
LANGUAGE sql IMMUTABLE
RETURN CASE
    WHEN p_kind = 'reversal' THEN p_reverses IS NOT NULL
    ELSE p_reverses IS NULL AND p_kind IN (
        'grant', 'buy_in', 'prize', 'refund', 'tax', 'deposit', 'withdrawal', 'adjustment', 'bonus', 'release', 'expiry',
        'rake', 'cash_out', 'chargeback', 'restitution', 'fee')
    END;
