-- Tax forms known to this release; staff append later ones (RB 11.4, 11.5). Payment codes: forms 140 and 144
-- use 1060, net winnings from online games, instead of a section (docs/finance.md).
-- GSTR-5A: CGST Rules, rule 64, for an operator outside India.
INSERT INTO wallet_taxform
    (tax, payee, starts_on, return_form, certificate_form, section, payment_code, large_above_minor, added_by,
    added_at)
VALUES
    ('tds', 'resident', '2023-04-01', '26Q', '16A', '194BA', '', NULL, 'release', now()),
    ('tds', 'non_resident', '2023-04-01', '27Q', '16A', '194BA', '', NULL, 'release', now()),
    ('tds', 'resident', '2026-04-01', '140', '131', '393(3)', '1060', NULL, 'release', now()),
    ('tds', 'non_resident', '2026-04-01', '144', '131', '393(3)', '1060', NULL, 'release', now()),
    ('gst', 'resident', '2023-10-01', 'GSTR-1', '', 'Rule 31B', '', 25000000, 'release', now()),
    ('gst', 'resident', '2024-08-01', 'GSTR-1', '', 'Rule 31B', '', 10000000, 'release', now()),
    ('gst', 'non_resident', '2023-10-01', 'GSTR-5A', '', 'Rule 31B', '', NULL, 'release', now());
