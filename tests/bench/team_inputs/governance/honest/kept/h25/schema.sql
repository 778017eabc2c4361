CREATE TABLE member (
  member_no    INTEGER PRIMARY KEY,
  full_name    VARCHAR(80) NOT NULL,
  birth_date   DATE NOT NULL,
  mobile       VARCHAR(20),
  weight_kg    DECIMAL(5,1),
  joined_on    DATE
);
COMMENT ON TABLE member IS 'Members of the studio; retention: 1 year after the membership ends';
COMMENT ON COLUMN member.birth_date IS 'date of birth';
COMMENT ON COLUMN member.mobile IS 'mobile phone number';
COMMENT ON COLUMN member.weight_kg IS 'body weight, for the training plan';
