-- Rates of Indian law known to this release; staff append later ones (RB 11.4, 11.5). Non-residents pay 4 % cess
-- and a surcharge by the net winnings of the year (docs/rulebook.md).
INSERT INTO wallet_taxrate
    (tax, currency, payee, starts_on, bps, cess_bps, surcharges, treatment, law, added_by, added_at)
VALUES
    ('tds', 'INR', 'resident', '2023-04-01', 3000, 0, '[]', 'withheld',
        'Income-tax Act 1961, section 194BA', 'release', now()),
    ('tds', 'INR', 'non_resident', '2023-04-01', 3000, 400,
        '[[500000000, 1000], [1000000000, 1500], [2000000000, 2500]]', 'withheld',
        'Income-tax Act 1961, section 194BA', 'release', now()),
    ('tds', 'INR', 'resident', '2026-04-01', 3000, 0, '[]', 'withheld',
        'Income-tax Act 2025, section 393(3)', 'release', now()),
    ('tds', 'INR', 'non_resident', '2026-04-01', 3000, 400,
        '[[500000000, 1000], [1000000000, 1500], [2000000000, 2500]]', 'withheld',
        'Income-tax Act 2025, section 393(3)', 'release', now()),
    ('gst', 'INR', 'resident', '2023-10-01', 2800, 0, '[]', 'exclusive', 'CGST Rules, rule 31B', 'release', now()),
    ('gst', 'INR', 'resident', '2025-09-22', 4000, 0, '[]', 'exclusive',
        'CGST Rules, rule 31B; 56th GST Council', 'release', now());
