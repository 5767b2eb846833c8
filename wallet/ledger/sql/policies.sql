-- What each kind of transfer may move: one row for each kind and the document behind it. A posting that
-- names no row here, or moves money between other accounts, is refused (RL016); that the document stands
-- behind it is asked at COMMIT (documents.sql). A new kind of transfer is one more row.
CREATE TABLE wallet_policy (
    kind text NOT NULL,
    document text NOT NULL,
    -- Kinds of accounts that may give and take; null allows all.
    gives text[],
    takes text[],
    -- All players' accounts belong to one and the same player.
    of_one_player boolean NOT NULL,
    -- 'points' or 'cash'; null allows both.
    money text CHECK (money IN ('points', 'cash')),
    -- The most that one transfer moves, in minor units.
    most_minor numeric,
    -- The one kind of process whose login may post it (core/db/sql/login_kinds.sql); null allows all.
    login text CHECK (login IN ('web', 'settle')),
    name text GENERATED ALWAYS AS (kind || ':' || document) STORED,
    PRIMARY KEY (kind, document)
);
REVOKE ALL ON wallet_policy FROM PUBLIC, rummy_app;
GRANT SELECT ON wallet_policy TO rummy_app;

INSERT INTO wallet_policy (kind, document, gives, takes, of_one_player, money, most_minor) VALUES
    -- Money in: an order that was paid; a payment nobody can place; and what staff do with that one.
    ('deposit', 'order', '{gateway_clearing}', '{deposit,gst_payable,receivable}', true, 'cash', NULL),
    ('deposit', 'payment', '{gateway_clearing}', '{suspense}', true, 'cash', NULL),
    ('deposit', 'task', '{suspense}', '{deposit,gst_payable,gateway_clearing,receivable}', true, 'cash', NULL),
    -- A refund or a lost dispute: what the player does not hold is owed. Deposits pay it first, and so does
    -- whatever else comes into their wallet, by a transfer that follows.
    ('chargeback', 'payment_return', '{deposit,winnings,receivable}', '{gateway_clearing}', true, 'cash', NULL),
    ('chargeback', 'debt', '{deposit,winnings}', '{receivable}', true, 'cash', NULL),
    -- Money out: set aside with its tax, paid by the bank, or given back.
    ('withdrawal', 'withdrawal', '{deposit,winnings}', '{withdrawal_hold,tds_payable}', true, 'cash', NULL),
    ('withdrawal', 'payout', '{withdrawal_hold}', '{gateway_clearing}', true, 'cash', NULL),
    ('reversal', 'withdrawal', '{withdrawal_hold,tds_payable}', '{deposit,winnings}', true, 'cash', NULL),
    ('tax', 'withholding', '{winnings,deposit}', '{tds_payable}', true, 'cash', NULL),
    -- Games: what one player pays, and what players of the same game are paid.
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
    -- Corrections by two members of staff; what stakes, withdrawals, lots and tickets explain is not theirs.
    ('adjustment', 'adjustment',
        '{deposit,winnings,receivable,rake,promotions,guarantee,gateway_clearing,tds_payable,gst_payable,suspense,gateway_fees,input_tax}',
        '{deposit,winnings,receivable,rake,promotions,guarantee,gateway_clearing,tds_payable,gst_payable,suspense,gateway_fees,input_tax}',
        false, NULL, NULL),
    -- Void prizes, from those who won them by foul play to those who lost; what is no longer there is owed.
    ('restitution', 'restitution', '{winnings,deposit,receivable}', '{winnings}', false, 'cash', NULL),
    -- What a gateway keeps of a payment to the bank; what it adds or deducts without a word goes to suspense.
    ('fee', 'settlement', '{gateway_fees,input_tax,gateway_clearing,suspense}', '{gateway_clearing,suspense}',
        true, 'cash', NULL);

-- What brings money to players by what others did, a gateway or a game, is posted by settlement workers alone: who
-- plays a game or opens an order credits nothing. Stakes, cash-outs of what is left of them and acts of staff are
-- posted where they are asked for.
UPDATE wallet_policy SET login = 'settle'
WHERE name IN ('deposit:order', 'deposit:payment', 'chargeback:payment_return', 'prize:game', 'refund:game',
    'rake:deal', 'release:stake');

-- A database for trials posts what no document stands behind (the tests and `bench.ledger` add such rows). There
-- games need no table either, and bonuses no request.
CREATE OR REPLACE FUNCTION ledger_is_trial() RETURNS boolean
LANGUAGE sql STABLE
RETURN EXISTS (SELECT FROM wallet_policy WHERE document = '');
REVOKE ALL ON FUNCTION ledger_is_trial() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION ledger_is_trial() TO rummy_app;
