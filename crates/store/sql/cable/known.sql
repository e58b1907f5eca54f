-- The sections that a row of condition or faults may be about.
SELECT id, code, installed FROM cable_section WHERE client_id = $1
