-- Guards of answers to money requests: each is given once.
REVOKE UPDATE, DELETE, TRUNCATE ON wallet_idempotentrequest FROM rummy_app;
GRANT UPDATE (status, answer) ON wallet_idempotentrequest TO rummy_app;

CREATE FUNCTION wallet_answer_stays() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF OLD.status IS NOT NULL THEN
        RAISE EXCEPTION 'request % is answered', OLD.id USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER answered_once BEFORE UPDATE ON wallet_idempotentrequest
    FOR EACH ROW EXECUTE FUNCTION wallet_answer_stays();

-- Answers are deleted after their retention, but never while a request may be repeated.
GRANT DELETE ON wallet_idempotentrequest TO rummy_app;
CREATE TRIGGER kept_a_day BEFORE DELETE ON wallet_idempotentrequest
    FOR EACH ROW WHEN (OLD.status IS NULL OR OLD.created_at > ledger_now() - interval '1 day')
    EXECUTE FUNCTION core_refuse_rewriting('an answer is kept for a day at least');
CREATE TRIGGER not_emptied BEFORE TRUNCATE ON wallet_idempotentrequest
    EXECUTE FUNCTION core_refuse_rewriting('answers are deleted one by one, after their retention');
