-- wallet.ledger.kinds
-- What a kind demands, as functions: PostgreSQL reads the text of a CHECK anew for every posting, and
-- lists of kinds are long. Both are asked by CHECK constraints, so they bind everybody.

-- Whose an account of this kind is, whether it is named, and that players and games cannot owe.
CREATE OR REPLACE FUNCTION wallet_account_fits_its_kind(
    p_kind text, p_player bigint, p_ref text, p_floor bigint
) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RETURN CASE
        WHEN p_kind IN ('bonus', 'deposit', 'winnings', 'withdrawal_hold', 'locked_bonus')
            THEN p_player IS NOT NULL AND p_ref = '' AND p_floor IS NOT NULL AND p_floor >= 0
        WHEN p_kind = 'ticket'
            THEN p_player IS NOT NULL AND p_ref <> '' AND p_floor IS NOT NULL AND p_floor >= 0
        WHEN p_kind = 'receivable'
            THEN p_player IS NOT NULL AND p_ref = '' AND p_floor IS NULL
        WHEN p_kind = 'escrow'
            THEN p_player IS NULL AND p_ref <> '' AND p_floor IS NOT NULL AND p_floor >= 0
        WHEN p_kind IN ('rake', 'promotions', 'guarantee', 'gateway_clearing', 'tds_payable',
                        'gst_payable', 'suspense', 'gateway_fees', 'input_tax')
            THEN p_player IS NULL
        ELSE false
    END;
END
$$;

-- A reversal names what it undoes, and no other kind does.
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
