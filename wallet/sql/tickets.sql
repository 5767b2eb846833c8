-- A ticket is worth what lies in its account, and no less (RB 10.5).
CREATE OR REPLACE FUNCTION ledger_floor(p_kind text) RETURNS bigint
LANGUAGE sql IMMUTABLE
RETURN CASE WHEN p_kind IN (
    'bonus', 'deposit', 'winnings', 'withdrawal_hold', 'locked_bonus', 'ticket', 'escrow') THEN 0 END;
