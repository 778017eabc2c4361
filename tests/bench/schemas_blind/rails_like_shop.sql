-- Written by an author who has seen neither the rules nor the examples of the team; truth taken from the standard by script where it says so.
CREATE TABLE users (
    id bigserial PRIMARY KEY,
    email_addr varchar(255) NOT NULL UNIQUE,
    encrypted_password varchar(128) NOT NULL DEFAULT '',
    first_name varchar,
    last_name varchar,
    phone_number varchar(20),
    birth_date date,
    sign_in_count integer DEFAULT 0 NOT NULL,
    last_sign_in_at timestamptz,
    last_sign_in_ip inet,
    admin boolean DEFAULT false,
    created_at timestamp(6) NOT NULL,
    updated_at timestamp(6) NOT NULL
);

CREATE TABLE addresses (
    id bigserial PRIMARY KEY,
    user_id bigint NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    street text, city text, state varchar(2), zip_code varchar(10),
    country_code char(2) DEFAULT 'US',
    is_default boolean NOT NULL DEFAULT false
);

CREATE TABLE products (
    id bigserial PRIMARY KEY,
    sku varchar(40) NOT NULL,
    name varchar(200) NOT NULL,
    description text,          -- markdown, may be long
    unit_price numeric(10,2) NOT NULL CHECK (unit_price >= 0),
    stock_qty int DEFAULT 0,
    category_id bigint,
    metadata jsonb DEFAULT '{"a": [1, 2]}'::jsonb,
    discontinued_at timestamptz
);

CREATE TABLE orders (
    id bigserial PRIMARY KEY,
    user_id bigint REFERENCES users,
    order_no varchar(30) NOT NULL,
    status varchar(20) DEFAULT 'pending' NOT NULL,
    ordered_at timestamptz,
    ship_address_id bigint REFERENCES addresses(id),
    subtotal numeric(12,2), tax_amount numeric(12,2), shipping_fee numeric(12,2), total_amount numeric(12,2),
    coupon_code varchar(32),
    paid_at timestamptz,
    cancelled_at timestamptz,
    cancel_reason text,
    CONSTRAINT uq_order_no UNIQUE (order_no)
);

CREATE TABLE order_items (
    order_id bigint NOT NULL REFERENCES orders(id),
    product_id bigint NOT NULL REFERENCES products(id),
    quantity int NOT NULL DEFAULT 1,
    price_each numeric(10,2),
    discount_rate numeric(5,2),
    created_at timestamp(6), updated_at timestamp(6),
    PRIMARY KEY (order_id, product_id)
);

CREATE TABLE schema_migrations ( version varchar NOT NULL );

CREATE INDEX index_orders_on_user_id ON orders (user_id);
CREATE UNIQUE INDEX index_products_on_sku ON products (sku) WHERE discontinued_at IS NULL;
