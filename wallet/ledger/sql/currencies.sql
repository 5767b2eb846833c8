-- Registered currencies: every account and entry uses one of them. The exponent is the number of digits of the
-- minor unit. Play points (PTS) have two; the others are the ISO 4217 codes that `moneyed` also knows. The
-- setting CASH_CURRENCIES lists those that can be deposited and withdrawn.
CREATE TABLE IF NOT EXISTS wallet_currency (
    code varchar(3) PRIMARY KEY CHECK (code ~ '^[A-Z]{3}$'),
    exponent smallint NOT NULL CHECK (exponent BETWEEN 0 AND 4)
);
REVOKE ALL ON wallet_currency FROM PUBLIC, rummy_app;
GRANT SELECT ON wallet_currency TO rummy_app;

INSERT INTO wallet_currency (code, exponent)
SELECT regexp_split_to_table(listed.codes, '\s+'), listed.exponent
FROM (VALUES
    (0, 'ADP ALK AON AOR BIF BYR CLE CLP CSK DDM DJF ECS ESA ESB ESP GNF ISK ITL JPY KMF KRW MGF MLF PEI PTE
        PYG ROL RWF TJR TPE TRL UGX UYI VND VNN VUV XAF XAG XAU XBA XBB XBC XBD XDR XEU XOF XPD XPF
        XPT XSU XUA YDD'),
    (2, 'AED AFA AFN ALL AMD ANG AOA ARA ARP ARS ATS AUD AWG AZM AZN BAD BAM BBD BDT BEF BGL BGN BMD BND BOB
        BOV BRC BRE BRL BRN BRR BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CNY COP COU CRC CSD CUC CUP
        CVE CYP CZK DEM DKK DOP DZD ECV EEK EGP ERN ETB EUR FIM FJD FKP FRF GBP GEL GHC GHS GIP GMD
        GRD GTQ GWP GYD HKD HNL HRD HRK HTG HUF IDR IEP ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK
        LBP LKR LRD LSL LTL LUF LVL MAD MDL MGA MKD MMK MNT MOP MRO MTL MUR MVR MWK MXN MXV MYR MZM
        MZN NAD NGN NIO NLG NOK NPR NZD PAB PEN PGK PHP PKR PLN PLZ PTS QAR RON RSD RUB RUR SAR SBD
        SCR SDD SDG SEK SGD SHP SIT SKK SLE SLL SOS SRD SRG SSP STD SVC SYP SZL THB TJS TMM TMT TOP
        TRY TTD TWD TZS UAH UAK USD USN USS UYU UZS VEB VED VEF WST XCD YER YUM YUN ZAL ZAR ZMK ZMW
        ZRN ZRZ ZWD ZWL ZWN ZWR'),
    (3, 'BHD IQD JOD KWD LYD OMR TND'),
    (4, 'CLF')
) AS listed (exponent, codes)
ON CONFLICT DO NOTHING;

ALTER TABLE wallet_account DROP CONSTRAINT IF EXISTS wallet_account_currency_registered;
ALTER TABLE wallet_account ADD CONSTRAINT wallet_account_currency_registered
    FOREIGN KEY (currency) REFERENCES wallet_currency (code);
