-- A run is what its schedule was when it was entered, to the last: what the schedule becomes while it waits neither names it otherwise nor sends it to others.
ALTER TABLE report_run
    ADD COLUMN name        text,
    ADD COLUMN format      text CHECK (format IN ('pdf', 'xlsx', 'xls', 'csv')),
    ADD COLUMN mail_to     text[] CHECK (cardinality(mail_to) <= 20),
    ADD COLUMN keep_days   smallint CHECK (keep_days BETWEEN 1 AND 365),
    -- Made while the clock was ahead of the time that had passed. If it goes back behind the end of its days, it is made anew when they are over.
    ADD COLUMN is_doubtful boolean NOT NULL DEFAULT false;

SET LOCAL app.client_id = 'every';
UPDATE report_run r SET name = s.name, format = s.format, mail_to = s.mail_to, keep_days = s.keep_days
FROM report_schedule s
WHERE s.client_id = r.client_id AND s.id = r.schedule_id;

ALTER TABLE report_run
    ALTER COLUMN name SET NOT NULL,
    ALTER COLUMN format SET NOT NULL,
    ALTER COLUMN mail_to SET NOT NULL,
    ALTER COLUMN keep_days SET NOT NULL;

CREATE INDEX report_run_doubtful ON report_run (id) WHERE is_doubtful;

-- Who acknowledged a point's alarms, and who did what of a utility's people, is asked for by time.
CREATE INDEX audit_at ON audit (chain, at, seq);
CREATE INDEX audit_sign_out ON audit (chain, subject) WHERE action = 'sign_out';
CREATE INDEX alarm_event_acknowledged ON alarm_event (point_id, at) WHERE change = 'acknowledged';
