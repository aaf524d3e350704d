-- What people may do with experiments that have ended (archive, delete, continue) and write on them;
-- their turn in the queue, which a continued one gets anew; and what they order of agents, slots and
-- of the nodes that a trial keeps away from.

ALTER TABLE experiments ADD COLUMN archived boolean NOT NULL DEFAULT false;
ALTER TABLE experiments ADD COLUMN notes text NOT NULL DEFAULT '';
ALTER TABLE experiments ADD COLUMN queued_ms bigint NOT NULL DEFAULT 0;
ALTER TABLE experiments ADD COLUMN tidied boolean NOT NULL DEFAULT false;
UPDATE experiments SET queued_ms = created_ms, tidied = terminal;  -- what is there stays
CREATE INDEX experiments_untidy ON experiments (id) WHERE terminal AND NOT tidied;

ALTER TABLE trials ADD COLUMN excluded_agents json NOT NULL DEFAULT '[]';
ALTER TABLE trials ADD COLUMN log_policy text NOT NULL DEFAULT '';  -- the last that matched
ALTER TABLE trials ADD COLUMN retries_canceled boolean NOT NULL DEFAULT false;

ALTER TABLE agents ADD COLUMN state text NOT NULL DEFAULT 'enabled';  -- as people ordered
ALTER TABLE agents ADD COLUMN disabled_slots json NOT NULL DEFAULT '[]';

CREATE INDEX experiments_deleting ON experiments (id) WHERE state = 'DELETING';
