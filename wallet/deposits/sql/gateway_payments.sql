-- Guards of payments, refunds and disputes: what the gateway reported is immutable, and postings are final.
SELECT core_change_only('wallet_gatewaypayment', '{order_reference, currency, amount_minor, deposit_id, transfer_id}',
    'a booked payment is immutable', 'OLD.transfer_id IS NOT NULL');

SELECT core_change_only('wallet_paymentreturn', '{status, reported, moved_minor, player_id, transfer_id, closed_at, closed_by_id, remark}',
    'a refund or dispute is immutable', 'OLD.status = ''taken''');

SELECT wallet_watch(name::regclass)
FROM unnest(ARRAY['wallet_gatewaypayment', 'wallet_paymentreturn']) AS name;
