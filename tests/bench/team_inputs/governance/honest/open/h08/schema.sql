CREATE TABLE Guest (
    GuestId     INTEGER PRIMARY KEY,
    GuestName   VARCHAR(120) NOT NULL,
    PassportNo  VARCHAR(200),
    CardNumber  VARCHAR(32),
    RoomType    CHAR(3),
    CheckIn     DATE
);
COMMENT ON COLUMN Guest.PassportNo IS 'Passport number, encrypted (Fernet, AES-128-CBC with HMAC)';
COMMENT ON COLUMN Guest.CardNumber IS 'Card for the deposit';
