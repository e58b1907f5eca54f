-- Devices (bays) of which their gateway has said that they are gone, or that they are back. A device without a row is as its gateway is.

CREATE TABLE device (
    client_id  bigint      NOT NULL REFERENCES client,
    gateway_id bigint      NOT NULL,
    code       text        NOT NULL,
    online     boolean     NOT NULL,
    since      timestamptz NOT NULL,
    PRIMARY KEY (gateway_id, code),
    FOREIGN KEY (client_id, gateway_id) REFERENCES gateway (client_id, id)
);

ALTER TABLE device ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON device USING (client_id = nullif(current_setting('app.client_id', true), '')::bigint);
