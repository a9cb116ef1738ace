-- Streams: a join with itself, of several pipelines.
-- rows: 2599
SELECT a.id FROM few a JOIN few b ON a.id = b.id + 1 WHERE a.id < 2600

-- Streams: a UNION ALL of a table and two rows.
-- right: [[0],[1],[2],[-1],[-2]]
SELECT id FROM few WHERE id < 3 UNION ALL SELECT -1 UNION ALL SELECT -2

-- Streams: EXISTS, which the engine joins in a way of its own.
-- rows: 6996
SELECT id FROM few WHERE EXISTS (SELECT 1 FROM accounts WHERE accounts.id = few.g) AND id > 3

-- Streams: IN.
-- rows: 6462
SELECT id FROM few WHERE g IN (SELECT id FROM accounts WHERE id < 12)

-- Streams: a FULL JOIN, of which one side has rows that the other lacks.
-- rows: 7008
SELECT few.id, t.id AS t FROM few FULL JOIN (SELECT id + 6992 AS id FROM accounts UNION ALL SELECT id + 8000 FROM posts
  WHERE id < 4) t ON few.id = t.id

-- Streams: LATERAL.
-- rows: 7000
SELECT few.id, q.name FROM few, LATERAL (SELECT name FROM accounts WHERE accounts.id = few.g) q

-- Streams: a scalar subquery.
-- rows: 7000
SELECT id, (SELECT max(name) FROM accounts WHERE accounts.id = few.g) AS m FROM few
