-- What Indian law says, as far as this release knows; staff append what comes after (RB 11.4, 11.5).
INSERT INTO wallet_taxrate (tax, currency, starts_on, bps, treatment, law, added_by, added_at) VALUES
    ('tds', 'INR', '2023-04-01', 3000, 'withheld', 'Income-tax Act 1961, section 194BA', 'release', now()),
    ('gst', 'INR', '2023-10-01', 2800, 'exclusive', 'CGST Rules, rule 31B', 'release', now()),
    ('gst', 'INR', '2025-09-22', 4000, 'exclusive', 'CGST Rules, rule 31B; 56th GST Council', 'release', now());
