CREATE TABLE "Kunde" (
  "KundenNr"           INTEGER PRIMARY KEY,
  "Vorname"            VARCHAR(60) NOT NULL,
  "Nachname"           VARCHAR(60) NOT NULL,
  "Geburtsdatum"       DATE,
  "IBAN"               VARCHAR(34),
  "Kreditkartennummer" VARCHAR(19),  -- wie vom Kunden eingegeben
  "Reisepassnummer"    VARCHAR(9),
  "Umsatz"             DECIMAL(10,2)
);
