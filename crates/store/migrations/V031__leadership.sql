-- Terms of all names come from one sequence: what an ingest says in a later term is newer, also of a gateway that another shard had before.
CREATE SEQUENCE leadership_term AS bigint;

-- The term of each leadership. A process that takes the advisory lock of a name begins the next term; transactions of a leader check it (sql/lead).
CREATE TABLE leadership (
    name text   PRIMARY KEY,
    term bigint NOT NULL CHECK (term > 0),
    -- How many terms have begun under this name. Terms themselves are not contiguous.
    begun bigint NOT NULL
);
-- It belongs to no utility: queries of one see nothing of it.
ALTER TABLE leadership ENABLE ROW LEVEL SECURITY;
ALTER TABLE leadership FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON leadership USING ((SELECT bound_to_every()));
