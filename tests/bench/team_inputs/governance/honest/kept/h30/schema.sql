CREATE TABLE visits (
  visit_id            BIGINT PRIMARY KEY,
  clinic              CHAR(1),
  patient_name        VARCHAR(120) NOT NULL,
  national_health_no  VARCHAR(160) NOT NULL,
  visit_type          VARCHAR(8),
  minutes             INT,
  rating              INT,
  language            CHAR(2),
  device              VARCHAR(10),
  prescribed          CHAR(1),
  fee_cents           INT,
  visit_date          DATE
);
COMMENT ON TABLE visits IS 'Video visits of patients; retention 5 years after the visit';
COMMENT ON COLUMN visits.national_health_no IS 'national health number of the patient, encrypted (AES-256-GCM)';
