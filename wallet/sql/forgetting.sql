-- Answers to money requests are forgotten in the end, but never one that may still be asked for.
GRANT DELETE ON wallet_idempotentrequest TO rummy_app;
CREATE TRIGGER kept_a_day BEFORE DELETE ON wallet_idempotentrequest
    FOR EACH ROW WHEN (OLD.status IS NULL OR OLD.created_at > clock_timestamp() - interval '1 day')
    EXECUTE FUNCTION wallet_refuse_rewriting('an answer is kept for a day at least');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_idempotentrequest
    EXECUTE FUNCTION wallet_refuse_rewriting('answers are forgotten one by one, and not before their time');
