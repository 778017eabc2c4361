CREATE TABLE accounts_user (
    id            bigserial PRIMARY KEY,
    display_name  varchar(80) NOT NULL,
    email         varchar(254) NOT NULL UNIQUE,
    timezone      varchar(40),
    last_login    timestamptz
);
COMMENT ON TABLE accounts_user IS 'users; retention 12 months after the account is closed';
