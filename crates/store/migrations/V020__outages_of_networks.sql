-- Outages follow the network of the utility: the customers without supply of each outage, and how many activations of network versions were taken.
ALTER TABLE outage ADD COLUMN customers bigint CHECK (customers >= 0);
COMMENT ON COLUMN outage.customers IS 'Customers interrupted, by the network; NULL if the network does not have the customers of the feeder.';
ALTER TABLE outage ADD COLUMN customer_minutes float8 CHECK (customer_minutes >= 0);
COMMENT ON COLUMN outage.customer_minutes IS 'Minutes without supply of all these customers, by the derived times; NULL like customers, and while it lasts.';
ALTER TABLE outage ADD COLUMN customer_steps jsonb CHECK (jsonb_typeof(customer_steps) = 'array' AND jsonb_array_length(customer_steps) <= 64);
COMMENT ON COLUMN outage.customer_steps IS 'JSON array of [microseconds since 1970, customers without supply from then on], in order; NULL like customers.';
ALTER TABLE outage_cursor ADD COLUMN activations bigint NOT NULL DEFAULT 0 CHECK (activations >= 0);
COMMENT ON COLUMN outage_cursor.activations IS 'How many activations of network versions the outages have taken into account, oldest first.';
