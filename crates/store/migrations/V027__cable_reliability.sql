-- A year of which nobody said how a cable's make has done leaves what was known before as it is.

ALTER TABLE cable_condition ALTER COLUMN reliability DROP NOT NULL;
