-- Conditions on kinds, as functions called by CHECK constraints: PostgreSQL parses a CHECK's text for every
-- posting, and the lists of kinds are long.

-- Return whether an account of this kind may have this owner, ref and floor, and its balance is not below the floor, not
-- above zero if it is a debt, and zero if it is closed. One constraint, because every posting evaluates it.
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
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RETURN CASE
        WHEN p_kind = 'reversal' THEN p_reverses IS NOT NULL
        WHEN p_kind IN ('grant', 'buy_in', 'prize', 'refund', 'tax', 'deposit', 'withdrawal',
                        'adjustment', 'bonus', 'release', 'expiry', 'rake', 'cash_out', 'chargeback',
                        'restitution', 'fee')
            THEN p_reverses IS NULL
        ELSE false
    END;
END
$$;
