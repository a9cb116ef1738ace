-- The schema of a vendor whose customers are tenants, with made-up rows: forty tenants of a hundred orders each.
CREATE SCHEMA shop;

CREATE TABLE shop.tenants (
  tenant_id integer PRIMARY KEY,
  project_id uuid NOT NULL UNIQUE,
  name text NOT NULL
);

-- No table has foreign keys, as in many databases that have grown: sealing finds the rows that refer to nothing.
CREATE TABLE shop.customers (
  tenant_id integer NOT NULL,
  customer_id bigint NOT NULL,
  name text NOT NULL,
  country text NOT NULL,
  joined_on date NOT NULL,
  email text NOT NULL,
  PRIMARY KEY (tenant_id, customer_id)
);

CREATE TABLE shop.orders (
  tenant_id integer NOT NULL,
  order_id bigint NOT NULL,
  customer_id bigint NOT NULL,
  placed_at timestamptz NOT NULL,
  state text NOT NULL,
  PRIMARY KEY (tenant_id, order_id)
);

CREATE TABLE shop.order_lines (
  tenant_id integer NOT NULL,
  order_id bigint NOT NULL,
  line integer NOT NULL,
  product text NOT NULL,
  quantity integer NOT NULL,
  price numeric(10,2) NOT NULL,
  PRIMARY KEY (tenant_id, order_id, line)
);

INSERT INTO shop.tenants
SELECT t, format('5a0b0e52-6f3c-4d0e-9a57-%s', lpad(t::text, 12, '0'))::uuid, 'Tenant ' || t
FROM generate_series(1, 40) t;

INSERT INTO shop.customers
SELECT tenant_id, c, 'Customer ' || c, (ARRAY['DE', 'FR', 'IT', 'PL'])[1 + c % 4], date '2025-01-01' + c::integer,
  format('customer%s@tenant%s.example', c, tenant_id)
FROM shop.tenants, generate_series(1, 20) c;

INSERT INTO shop.orders
SELECT tenant_id, o, 1 + o % 20, timestamptz '2026-01-01 00:00+00' + o * interval '7 hours',
  CASE WHEN o % 10 = 0 THEN 'cancelled' ELSE 'paid' END
FROM shop.tenants, generate_series(1, 100) o;

INSERT INTO shop.order_lines
SELECT tenant_id, order_id, line, 'Product ' || (order_id + line) % 12, 1 + (order_id + line) % 3, 2.5 * line + tenant_id
FROM shop.orders, generate_series(1, 2) line;
