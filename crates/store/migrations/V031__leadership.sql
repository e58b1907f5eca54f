-- The term of each leadership. A process that takes the advisory lock of a name increases its term; transactions of a leader check it (sql/lead).
CREATE TABLE leadership (
    name text   PRIMARY KEY,
    term bigint NOT NULL CHECK (term > 0)
);
-- It belongs to no utility: queries of one see nothing of it.
ALTER TABLE leadership ENABLE ROW LEVEL SECURITY;
ALTER TABLE leadership FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON leadership USING ((SELECT bound_to_every()));
