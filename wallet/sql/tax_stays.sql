-- An order's amount and tax stay what the player agreed to, for the owner too.
CREATE TRIGGER tax_stays BEFORE UPDATE ON wallet_deposit
    FOR EACH ROW WHEN (
        (OLD.amount_minor, OLD.gst_minor, OLD.gst_bps, OLD.gst_treatment)
        IS DISTINCT FROM (NEW.amount_minor, NEW.gst_minor, NEW.gst_bps, NEW.gst_treatment))
    EXECUTE FUNCTION wallet_refuse_rewriting('what was agreed to is kept');
