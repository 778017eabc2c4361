CREATE TABLE cards (
    card_id    serial PRIMARY KEY,
    holder     varchar(26) NOT NULL,
    pan        varchar(200) NOT NULL,
    expiry     char(5) NOT NULL,
    limit_eur  integer,
    issued_on  date
);
COMMENT ON TABLE cards IS 'Payment cards. Retention: 8 years after the card expires';
COMMENT ON COLUMN cards.pan IS 'card number, encrypted with AES-256 (Fernet), key rotated each quarter';
