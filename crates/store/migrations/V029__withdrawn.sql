-- The day from which a section or plant is out of service; NULL while it is in use. Of a section a file may also say the year alone (removed).
ALTER TABLE cable_section
    ADD COLUMN withdrawn date,
    ADD CHECK (extract(year FROM withdrawn) BETWEEN installed AND 2200);
ALTER TABLE plant_state
    ADD COLUMN withdrawn date,
    ADD CHECK (extract(year FROM withdrawn) BETWEEN made AND 2200);
