-- What a clock that was ahead has had made: runs that are behind the present. There are none while clocks are right.
CREATE INDEX report_run_made ON report_run (coalesce(ready, due)) WHERE asked_by IS NULL AND NOT missed AND state <> 'waiting';
