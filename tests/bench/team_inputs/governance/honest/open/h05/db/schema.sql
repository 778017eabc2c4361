CREATE TABLE shipment (
    shipment_id        uuid PRIMARY KEY,
    recipient_name     text NOT NULL,
    recipient_phone    bytea NOT NULL,
    recipient_address  bytea NOT NULL,
    depot_code         char(4) NOT NULL,
    weight_g           integer,
    delivered_at       timestamptz
);
COMMENT ON COLUMN shipment.recipient_phone IS 'encrypted (AES-256, pgp_sym_encrypt)';
COMMENT ON COLUMN shipment.recipient_address IS 'encrypted (AES-256, pgp_sym_encrypt)';
