-- The first schema. Times are milliseconds since 1970 (…_ms) where a decision wrote them and
-- timestamptz where only housekeeping reads them. Nested values are `json`, not `jsonb`: it keeps
-- the exact text and every string JSON can hold. Ids of users' making may be long, so what is unique
-- in them is their md5.

-- One row: the fence of the loop's commits (core/master/commit.h).
CREATE TABLE loop_state (
  id integer PRIMARY KEY CHECK (id = 1),
  batch bigint NOT NULL,
  incarnation text NOT NULL
);
INSERT INTO loop_state (id, batch, incarnation) VALUES (1, 0, '');

-- One row: identity and counters.
CREATE TABLE cluster (
  id integer PRIMARY KEY CHECK (id = 1),
  cluster_id text NOT NULL,
  cluster_epoch bigint NOT NULL,
  last_experiment bigint NOT NULL,
  last_trial bigint NOT NULL,
  last_allocation bigint NOT NULL,
  last_session bigint NOT NULL,
  last_change bigint NOT NULL
);
INSERT INTO cluster (id, cluster_id, cluster_epoch, last_experiment, last_trial, last_allocation,
                     last_session, last_change)
VALUES (1, gen_random_uuid()::text, 1, 0, 0, 0, 0, 0);

CREATE TABLE experiments (
  id bigint PRIMARY KEY,
  kind text NOT NULL DEFAULT 'search' CHECK (kind IN ('search', 'tracked')),
  owner text NOT NULL,
  name text NOT NULL,
  state text NOT NULL,
  terminal boolean NOT NULL,  -- by state
  config json NOT NULL,       -- resolved
  config_text text NOT NULL,  -- as submitted
  context text NOT NULL,      -- hash; empty: no files
  priority integer NOT NULL,
  created_ms bigint NOT NULL,
  ended_ms bigint NOT NULL,   -- 0: not yet
  progress double precision NOT NULL,
  searcher_events bigint NOT NULL,
  searcher_done boolean NOT NULL,
  best_trial bigint NOT NULL,  -- 0: none
  best_metric double precision,
  message text NOT NULL,
  -- Of config, for ingest, which reads them with every batch of records.
  searcher_metric text NOT NULL,
  time_metric text NOT NULL
);
CREATE INDEX experiments_live ON experiments (id) WHERE NOT terminal;

CREATE TABLE trials (
  id bigint PRIMARY KEY,
  experiment_id bigint NOT NULL REFERENCES experiments,
  number integer NOT NULL,
  request_id text NOT NULL,
  seed bigint NOT NULL,
  hparams json NOT NULL,
  state text NOT NULL,
  attempts integer NOT NULL,
  restarts integer NOT NULL,
  stopped_by_searcher boolean NOT NULL,
  exit_told boolean NOT NULL,
  latest_checkpoint text NOT NULL,  -- empty: none
  latest_step bigint NOT NULL,
  latest_metric double precision,
  best_metric double precision,
  best_step bigint NOT NULL,
  progress double precision NOT NULL,
  created_ms bigint NOT NULL,
  ended_ms bigint NOT NULL,
  message text NOT NULL
);
CREATE INDEX trials_by_number ON trials (experiment_id, number);

CREATE TABLE allocations (
  epoch bigint NOT NULL,
  number bigint NOT NULL,
  trial_id bigint NOT NULL REFERENCES trials,
  experiment_id bigint NOT NULL REFERENCES experiments,
  attempt integer NOT NULL,
  size integer NOT NULL,
  state text NOT NULL,
  ended boolean NOT NULL,  -- by state
  nodes json NOT NULL,
  resumed_from text NOT NULL,  -- checkpoint; empty: none
  last_order text NOT NULL,
  preempt_deadline_ms bigint NOT NULL,
  created_ms bigint NOT NULL,
  started_ms bigint NOT NULL,
  ended_ms bigint NOT NULL,
  outcome text NOT NULL,
  PRIMARY KEY (epoch, number)
);
CREATE INDEX allocations_by_trial ON allocations (trial_id, attempt);
CREATE INDEX allocations_live ON allocations (epoch, number) WHERE NOT ended;

CREATE TABLE checkpoints (
  id text NOT NULL,
  trial_id bigint NOT NULL REFERENCES trials,
  epoch bigint NOT NULL,  -- with number: the allocation
  number bigint NOT NULL,
  step bigint NOT NULL,
  parts integer NOT NULL,
  parts_announced integer[] NOT NULL,
  parts_stored integer[] NOT NULL,
  files json NOT NULL,
  state text NOT NULL,
  metadata json NOT NULL,
  created_ms bigint NOT NULL
);
CREATE UNIQUE INDEX checkpoints_by_id ON checkpoints (md5(id));
CREATE INDEX checkpoints_by_trial ON checkpoints (trial_id);

CREATE TABLE agents (
  id text NOT NULL,
  machine_id text NOT NULL,
  boot_id text NOT NULL,
  name text NOT NULL,
  address text NOT NULL,
  pool text NOT NULL,
  slots json NOT NULL,
  version text NOT NULL,
  session bigint NOT NULL,
  connected boolean NOT NULL,
  forgotten boolean NOT NULL,
  joined_ms bigint NOT NULL
);
CREATE UNIQUE INDEX agents_by_id ON agents (md5(id));

CREATE TABLE searcher_events (
  experiment_id bigint NOT NULL REFERENCES experiments,
  number bigint NOT NULL,
  event json NOT NULL,
  PRIMARY KEY (experiment_id, number)
);

CREATE TABLE searcher_snapshots (
  experiment_id bigint PRIMARY KEY REFERENCES experiments,
  number bigint NOT NULL,
  snapshot json NOT NULL
);

-- Answers to changing calls, kept 24 h so that a repeat gets the same one.
CREATE TABLE requests (
  request_id text NOT NULL,
  user_name text NOT NULL,
  request_digest text NOT NULL,
  response json NOT NULL,
  created_ms bigint NOT NULL
);
CREATE UNIQUE INDEX requests_by_id ON requests (md5(request_id));
CREATE INDEX requests_by_time ON requests (created_ms);

-- What Watch tells, kept 1 h.
CREATE TABLE changes (
  sequence bigint PRIMARY KEY,
  kind text NOT NULL,
  thing_id text NOT NULL,
  experiment_id bigint NOT NULL,
  written_at timestamptz NOT NULL DEFAULT now()
);

-- Records that a decision needs, until the loop's batch that consumed them.
CREATE TABLE inbox (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  epoch bigint NOT NULL,
  number bigint NOT NULL,
  stream integer NOT NULL,
  seq bigint NOT NULL,
  kind text NOT NULL,
  part_stored boolean NOT NULL,
  body json NOT NULL
);

-- Per stream of an allocation, the highest record that is stored.
CREATE TABLE marks (
  epoch bigint NOT NULL,
  number bigint NOT NULL,
  stream integer NOT NULL,
  seq bigint NOT NULL,
  PRIMARY KEY (epoch, number, stream)
);

-- Hello, artifact and environment records, as they came.
CREATE TABLE records_other (
  epoch bigint NOT NULL,
  number bigint NOT NULL,
  stream integer NOT NULL,
  seq bigint NOT NULL,
  kind text NOT NULL,
  time_ms bigint NOT NULL,
  body json NOT NULL,
  PRIMARY KEY (epoch, number, stream, seq)
);

CREATE TABLE users (
  name text NOT NULL,
  admin boolean NOT NULL,
  password_hash text NOT NULL,  -- Argon2id; empty: no password
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX users_by_name ON users (md5(name));

CREATE TABLE tokens (
  token_hash text PRIMARY KEY,  -- BLAKE2b of 256 random bits
  user_name text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE contexts (
  hash text PRIMARY KEY,
  total_bytes bigint NOT NULL,
  files bigint NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

-- An attempt that said hello or sent a point. It hides earlier attempts' points with a step above
-- where it started: by its own word, else by the checkpoint it resumed from; with neither, all.
CREATE TABLE attempts (
  trial_id bigint NOT NULL REFERENCES trials,
  attempt integer NOT NULL,
  hello_step bigint,
  checkpoint_step bigint,
  PRIMARY KEY (trial_id, attempt)
);

CREATE TABLE series (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  trial_id bigint NOT NULL REFERENCES trials,
  rank integer NOT NULL,
  metric_group text NOT NULL,
  name text NOT NULL,
  points bigint NOT NULL  -- all that were ever stored
) WITH (fillfactor = 80);
CREATE UNIQUE INDEX series_by_name ON series (trial_id, rank, md5(metric_group), md5(name));

-- Points of one series and one attempt, in the order of their writing. The first element of a delta
-- array is the value itself; deltas never overflow (a point that would starts a new chunk). Chunks
-- of an attempt are in order of id, and merging keeps that order.
CREATE TABLE metric_chunks (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  series_id bigint NOT NULL REFERENCES series,
  attempt integer NOT NULL,
  points integer NOT NULL,
  first_step bigint NOT NULL,
  last_step bigint NOT NULL,
  min_step bigint NOT NULL,
  max_step bigint NOT NULL,
  rising boolean NOT NULL,  -- each step is larger than the one before
  finite integer NOT NULL,  -- how many values are; the next three are of those, else 0
  min_value double precision NOT NULL,
  max_value double precision NOT NULL,
  sum_value double precision NOT NULL,
  last_value double precision NOT NULL,
  step_deltas bigint[] NOT NULL,
  time_deltas bigint[] NOT NULL,
  point_values double precision[] NOT NULL,
  epochs double precision[]  -- null: no point has one
);
CREATE INDEX metric_chunks_by_series ON metric_chunks (series_id, attempt, id);

-- Lines of one stream of an attempt, compressed (master/store/log_chunk.h). A position is a line's
-- place among all lines of the trial, in order of arrival.
CREATE TABLE log_chunks (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  trial_id bigint NOT NULL REFERENCES trials,
  attempt integer NOT NULL,
  stream integer NOT NULL,
  first_position bigint NOT NULL,
  last_position bigint NOT NULL,
  line_count integer NOT NULL,
  min_time_ms bigint NOT NULL,
  max_time_ms bigint NOT NULL,
  lines bytea NOT NULL
);
CREATE INDEX log_chunks_by_position ON log_chunks (trial_id, last_position);

CREATE TABLE log_positions (
  trial_id bigint PRIMARY KEY REFERENCES trials,
  last_position bigint NOT NULL
);

-- Compression inside PostgreSQL: lz4 where the server has it (14 and later, if built in). Log lines
-- are compressed already.
DO $$
BEGIN
  IF current_setting('server_version_num')::integer >= 140000 THEN
    EXECUTE 'ALTER TABLE metric_chunks '
            'ALTER COLUMN step_deltas SET COMPRESSION lz4, '
            'ALTER COLUMN time_deltas SET COMPRESSION lz4, '
            'ALTER COLUMN point_values SET COMPRESSION lz4, '
            'ALTER COLUMN epochs SET COMPRESSION lz4';
  END IF;
EXCEPTION WHEN feature_not_supported THEN
  NULL;  -- pglz then
END $$;
ALTER TABLE log_chunks ALTER COLUMN lines SET STORAGE EXTERNAL;

-- How far down later attempts let an attempt's points be seen; null: nothing hides them.
CREATE VIEW attempt_limits AS
SELECT a.trial_id,
       a.attempt,
       (SELECT min(coalesce(b.hello_step, b.checkpoint_step))
        FROM attempts b WHERE b.trial_id = a.trial_id AND b.attempt > a.attempt) AS last_step,
       EXISTS (SELECT 1 FROM attempts b
               WHERE b.trial_id = a.trial_id AND b.attempt > a.attempt
                 AND b.hello_step IS NULL AND b.checkpoint_step IS NULL) AS all_hidden
FROM attempts a;

-- Every point ever stored.
CREATE VIEW metric_points_raw AS
SELECT s.trial_id,
       c.attempt,
       s.rank,
       s.metric_group,
       s.name,
       p.step,
       to_timestamp(least(greatest(p.time_ms, -62135596800000), 253402300799000) / 1000.0) AS time,
       p.value
FROM series s
JOIN metric_chunks c ON c.series_id = s.id
CROSS JOIN LATERAL (
  SELECT u.value,
         (sum(u.step_delta) OVER (ORDER BY u.place))::bigint AS step,
         (sum(u.time_delta) OVER (ORDER BY u.place))::bigint AS time_ms
  FROM unnest(c.point_values, c.step_deltas, c.time_deltas)
       WITH ORDINALITY AS u (value, step_delta, time_delta, place)
) p;

-- The points that count: not hidden by a later attempt, one for each step of a series: the latest
-- attempt's, and within an attempt the last one written. Filters on series reach their index.
CREATE VIEW metric_points AS
SELECT s.trial_id,
       e.attempt,
       s.rank,
       s.metric_group,
       s.name,
       e.step,
       to_timestamp(least(greatest(e.time_ms, -62135596800000), 253402300799000) / 1000.0) AS time,
       e.value
FROM series s
CROSS JOIN LATERAL (
  SELECT DISTINCT ON (p.step) c.attempt, p.step, p.time_ms, p.value
  FROM metric_chunks c
  JOIN attempt_limits l ON l.trial_id = s.trial_id AND l.attempt = c.attempt
  CROSS JOIN LATERAL (
    SELECT u.value,
           u.place,
           (sum(u.step_delta) OVER (ORDER BY u.place))::bigint AS step,
           (sum(u.time_delta) OVER (ORDER BY u.place))::bigint AS time_ms
    FROM unnest(c.point_values, c.step_deltas, c.time_deltas)
         WITH ORDINALITY AS u (value, step_delta, time_delta, place)
  ) p
  WHERE c.series_id = s.id
    AND NOT l.all_hidden
    AND (l.last_step IS NULL OR p.step <= l.last_step)
  ORDER BY p.step, c.attempt DESC, c.id DESC, p.place DESC
) e;
