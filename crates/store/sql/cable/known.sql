-- The sections to which a row of conditions or faults can refer.
SELECT id, code, installed FROM cable_section WHERE client_id = $1
