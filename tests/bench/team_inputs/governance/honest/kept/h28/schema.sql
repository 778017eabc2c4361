CREATE TABLE loyalty_members (
    member_no    VARCHAR2(10) PRIMARY KEY,
    name         VARCHAR2(100) NOT NULL,
    email        VARCHAR2(200),
    passport_no  VARCHAR2(200),
    card_no      VARCHAR2(200),
    miles        NUMBER(9),
    last_flight  DATE
);
COMMENT ON TABLE loyalty_members IS 'Members of Skylark Miles, retention 36 months after the last flight';
COMMENT ON COLUMN loyalty_members.passport_no IS 'passport number, encrypted by Vault (aes256-gcm96)';
COMMENT ON COLUMN loyalty_members.card_no IS 'payment card number, encrypted by Vault (aes256-gcm96)';
