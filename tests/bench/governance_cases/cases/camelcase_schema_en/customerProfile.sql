CREATE TABLE customerProfile (
  customerId       BIGINT       NOT NULL PRIMARY KEY,
  fullName         VARCHAR(100) NOT NULL,
  socialSecurityNo CHAR(14)     NOT NULL COMMENT '주민등록번호 (평문 저장)',
  passportNumber   VARCHAR(9),
  cardPan          CHAR(16)     COMMENT 'full card number',
  residentNoEnc    VARCHAR(255),
  createdAt        TIMESTAMP    DEFAULT CURRENT_TIMESTAMP
);
