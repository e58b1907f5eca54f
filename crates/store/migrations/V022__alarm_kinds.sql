-- Alarms: the kinds with that of an infeed without voltage.

COMMENT ON COLUMN alarm.kind IS 'Kind of the condition: high, low, high_high, low_low, state, trip, opened, infeed, command, comm or data.';
COMMENT ON COLUMN alarm_event.kind IS 'Kind of the condition: high, low, high_high, low_low, state, trip, opened, infeed, command, comm or data.';
