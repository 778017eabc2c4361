CREATE TABLE Booking (
    BookingId       INTEGER PRIMARY KEY,
    GuestName       VARCHAR(120) NOT NULL,
    GuestEmail      VARCHAR(200) NOT NULL,
    GuestPhone      VARCHAR(30),
    DocumentNumber  VARCHAR(200),
    ArrivalDate     DATE NOT NULL,
    Nights          INTEGER NOT NULL
);
COMMENT ON COLUMN Booking.DocumentNumber IS 'passport or identity card number, encrypted (AES-256-GCM, envelope key in KMS)';
