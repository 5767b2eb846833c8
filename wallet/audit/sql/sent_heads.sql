-- Sent heads are kept.
SELECT core_append_only('wallet_senthead', 'heads that were sent stay on record');
SELECT wallet_watch('wallet_senthead');
