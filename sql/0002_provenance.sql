-- Where experiments came from: their parent, and what the submitting client saw of the code. Kept
-- apart from the experiment's row, which is written anew with every progress. The part of a
-- configuration that lists show, so that twenty thousand can be listed at once. And a name for each
-- token, so that people can tell machines' tokens apart.

ALTER TABLE experiments ADD COLUMN forked_from bigint NOT NULL DEFAULT 0;  -- 0: none

-- What lists show of the configuration; null (of rows from before): all of it.
ALTER TABLE experiments ADD COLUMN shown json;

CREATE TABLE experiment_provenance (
  experiment_id bigint PRIMARY KEY REFERENCES experiments,
  provenance json NOT NULL
);

ALTER TABLE tokens ADD COLUMN label text NOT NULL DEFAULT '';
