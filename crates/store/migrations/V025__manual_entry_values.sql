-- Manual entries of measurements and of single phases, also for points, with the time of the observation and the rule by which they yield to telemetry.

ALTER TABLE manual_entry ALTER COLUMN equipment DROP NOT NULL;
ALTER TABLE manual_entry ALTER COLUMN version DROP NOT NULL;
ALTER TABLE manual_entry ADD COLUMN point_id bigint;
ALTER TABLE manual_entry ADD COLUMN phases text NOT NULL DEFAULT '' CHECK (phases ~ '^A?B?C?$');
ALTER TABLE manual_entry ADD COLUMN observed timestamptz;
ALTER TABLE manual_entry ADD COLUMN rule text NOT NULL DEFAULT 'untilReported' CHECK (rule IN ('untilReported', 'untilWithdrawn'));
ALTER TABLE manual_entry ADD CHECK ((equipment IS NULL) <> (point_id IS NULL));
ALTER TABLE manual_entry ADD CHECK ((equipment IS NULL) = (version IS NULL));
ALTER TABLE manual_entry ADD FOREIGN KEY (client_id, point_id) REFERENCES point (client_id, id) ON DELETE CASCADE;
COMMENT ON TABLE manual_entry IS 'Values that users have entered: positions and measurements of equipment of the network, and values of points. The rule of an entry says when telemetry counts instead. The row remains when the entry is withdrawn.';
COMMENT ON COLUMN manual_entry.equipment IS 'Id of the equipment in the network. Found by its id in the active version; an entry without such equipment does not count. NULL for a value of a point.';
COMMENT ON COLUMN manual_entry.version IS 'Version of the network that was active at the entry; NULL for a value of a point.';
COMMENT ON COLUMN manual_entry.point_id IS 'The point whose value was entered; NULL for equipment. The entries of a point that is deleted are deleted.';
COMMENT ON COLUMN manual_entry.phases IS 'The phases of a position, such as B for one blown fuse; empty for all phases.';
COMMENT ON COLUMN manual_entry.observed IS 'Time of the observation, as the user states it; NULL for entries of earlier releases, which count from the time of the entry.';
COMMENT ON COLUMN manual_entry.rule IS 'untilReported: a report that is newer counts instead. untilWithdrawn: it counts until a user withdraws it.';
DROP INDEX manual_entry_current;
CREATE UNIQUE INDEX manual_entry_current ON manual_entry (client_id, equipment, quantity, phases) WHERE withdrawn IS NULL AND equipment IS NOT NULL;
COMMENT ON INDEX manual_entry_current IS 'The current entries of equipment, one for each quantity and set of phases (manual_entry/current, manual_entry/current_of_all, manual_entry/replace).';
CREATE UNIQUE INDEX manual_entry_current_of_point ON manual_entry (client_id, point_id) WHERE withdrawn IS NULL AND point_id IS NOT NULL;
COMMENT ON INDEX manual_entry_current_of_point IS 'The current entry of a point (manual_entry/current, manual_entry/replace); foreign key of point.';
