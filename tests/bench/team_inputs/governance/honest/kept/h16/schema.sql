CREATE TABLE patients (
    patient_id      INT AUTO_INCREMENT PRIMARY KEY,
    last_name       VARCHAR(60) NOT NULL,
    first_name      VARCHAR(60) NOT NULL,
    ssn_cipher      VARCHAR(160) COMMENT 'social security number, encrypted by Vault transit (AES-256-GCM)',
    insurance_plan  VARCHAR(40),
    next_appt       DATE
) COMMENT='patients of the practice';
