-- Up to where the alarm service has taken the utility's commands, beside its events: committed with all that follows from them. Null until its first look at
-- them; it begins at their end then.
ALTER TABLE alarm_cursor ADD COLUMN command_epoch text;
ALTER TABLE alarm_cursor ADD COLUMN command_through bigint CHECK (command_through >= 0);
ALTER TABLE alarm_cursor ADD CHECK ((command_epoch IS NULL) = (command_through IS NULL));
