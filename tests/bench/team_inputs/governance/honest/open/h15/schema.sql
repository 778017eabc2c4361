CREATE TABLE players (
  player_id      bigint PRIMARY KEY,
  nickname       varchar(40) NOT NULL,
  email          varchar(254) NOT NULL,
  country        char(2),
  payment_token  varchar(120)
);
COMMENT ON COLUMN players.payment_token IS 'token of the payment provider, encrypted with AES-256-GCM';
