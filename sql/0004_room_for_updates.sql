-- Rows that change often while they are young: with room on its page a new version needs no new
-- entries in the indexes. Of pages that are written from now on.
ALTER TABLE experiments SET (fillfactor = 60);
ALTER TABLE trials SET (fillfactor = 60);
ALTER TABLE allocations SET (fillfactor = 50);
