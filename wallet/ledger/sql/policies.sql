-- What each kind of transfer may move: one row per kind and document. A posting without a row here, or between
-- other accounts, is refused (RL016); document_rules.sql defines its document. A new kind of
-- transfer needs one more row.
CREATE TABLE wallet_policy (
    kind text NOT NULL,
    document text NOT NULL,
    -- Kinds of accounts that may be debited and credited; null allows all.
    gives text[],
    takes text[],
    -- All players' accounts in the transfer belong to the same player.
    of_one_player boolean NOT NULL,
    -- 'points' or 'cash'; null allows both.
    money text CHECK (money IN ('points', 'cash')),
    -- The most that one transfer may move, in minor units.
    most_minor numeric,
    -- The kind of process whose login may post it (core/db/sql/login_kinds.sql); null allows all.
    login text CHECK (login IN ('web', 'settle')),
    name text GENERATED ALWAYS AS (kind || ':' || document) STORED,
    PRIMARY KEY (kind, document)
);
REVOKE ALL ON wallet_policy FROM PUBLIC, rummy_app;
GRANT SELECT ON wallet_policy TO rummy_app;

INSERT INTO wallet_policy (kind, document, gives, takes, of_one_player, money, most_minor) VALUES
    -- Money in: a paid order; a payment without a known order; and its placement by staff.
    -- A fee that the payer bears on top of the order is credited apart.
    ('deposit', 'order', '{gateway_clearing}', '{deposit,gst_payable,receivable,gateway_fees,input_tax}',
        true, 'cash', NULL),
    ('deposit', 'payment', '{gateway_clearing}', '{suspense,gateway_fees,input_tax}', true, 'cash', NULL),
    ('deposit', 'task', '{suspense}', '{deposit,gst_payable,gateway_clearing,receivable}', true, 'cash', NULL),
    -- A refund or a lost dispute: what the player does not hold becomes a debt. Deposits pay it first; other
    -- credits pay it by a transfer that follows.
    ('chargeback', 'payment_return', '{deposit,winnings,receivable,gateway_fees}', '{gateway_clearing}',
        true, 'cash', NULL),
    ('chargeback', 'debt', '{deposit,winnings}', '{receivable}', true, 'cash', NULL),
    -- Money out: set aside with its tax, paid by the bank, or returned.
    ('withdrawal', 'withdrawal', '{deposit,winnings}', '{withdrawal_hold,tds_payable}', true, 'cash', NULL),
    ('withdrawal', 'payout', '{withdrawal_hold}', '{gateway_clearing}', true, 'cash', NULL),
    ('reversal', 'withdrawal', '{withdrawal_hold,tds_payable}', '{deposit,winnings}', true, 'cash', NULL),
    ('tax', 'withholding', '{winnings,deposit}', '{tds_payable}', true, 'cash', NULL),
    -- Games: payments by one player, and payouts to players of the same game.
    ('buy_in', 'stake', '{bonus,deposit,winnings,ticket}', '{escrow}', true, NULL, NULL),
    ('prize', 'game', '{escrow}', '{winnings,ticket,rake}', false, NULL, NULL),
    ('refund', 'game', '{escrow}', '{bonus,deposit,winnings,ticket,rake}', false, NULL, NULL),
    ('refund', 'stakes', '{escrow}', '{bonus,deposit,winnings,ticket}', false, NULL, NULL),
    ('cash_out', 'stack', '{escrow}', '{bonus,deposit,winnings,ticket}', true, NULL, NULL),
    ('rake', 'deal', '{escrow}', '{rake}', true, NULL, NULL),
    ('refund', 'ticket', '{ticket}', '{winnings}', true, NULL, NULL),
    ('grant', 'guarantee', '{guarantee}', '{escrow}', true, NULL, 10000000000),
    ('refund', 'guarantee', '{escrow}', '{guarantee}', true, NULL, 10000000000),
    -- Promotions: play points, and bonuses with their lots.
    ('grant', 'sign_up', '{promotions}', '{deposit}', true, 'points', 100000000),
    ('grant', 'refill', '{promotions}', '{deposit}', true, 'points', 100000000),
    ('grant', 'bot', '{promotions}', '{deposit}', true, 'points', 10000000000),
    ('bonus', 'lot', '{promotions}', '{bonus,locked_bonus}', true, 'cash', 100000000),
    ('release', 'stake', '{locked_bonus}', '{winnings}', true, 'cash', NULL),
    ('expiry', 'lot', '{bonus,locked_bonus}', '{promotions}', true, 'cash', NULL),
    -- Corrections by two members of staff; accounts that stakes, withdrawals, lots and tickets explain are excluded.
    ('adjustment', 'adjustment',
        '{deposit,winnings,receivable,rake,promotions,guarantee,gateway_clearing,tds_payable,gst_payable,suspense,gateway_fees,input_tax}',
        '{deposit,winnings,receivable,rake,promotions,guarantee,gateway_clearing,tds_payable,gst_payable,suspense,gateway_fees,input_tax}',
        false, NULL, NULL),
    -- Void prizes, from those who won by foul play to those who lost; what is no longer there becomes a debt.
    ('restitution', 'restitution', '{winnings,deposit,receivable}', '{winnings}', false, 'cash', NULL),
    -- Fees a gateway deducts from a settlement; unexplained differences go to suspense.
    ('fee', 'settlement', '{gateway_fees,input_tax,gateway_clearing,suspense}', '{gateway_clearing,suspense}',
        true, 'cash', NULL);

-- Settlement workers alone post what credits players for the actions of others (gateways, games): processes that
-- handle games or orders credit nothing. Stakes, cash-outs of the remainder and staff actions are posted by the
-- process that handles the request.
UPDATE wallet_policy SET login = 'settle'
WHERE name IN ('deposit:order', 'deposit:payment', 'chargeback:payment_return', 'prize:game', 'refund:game',
    'rake:deal', 'release:stake');

-- Return whether this is a trial database, which accepts transfers without a document (the tests and
-- `bench.ledger` add such policies), escrows without a table and bonuses without a request.
CREATE OR REPLACE FUNCTION ledger_is_trial() RETURNS boolean
LANGUAGE sql STABLE
RETURN EXISTS (SELECT FROM wallet_policy WHERE document = '');
GRANT EXECUTE ON FUNCTION ledger_is_trial() TO rummy_app;
