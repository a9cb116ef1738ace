-- 22267: EXISTS over a derived table with a column of the query around it. Posts 2 and 5 have more likes than another
-- post whose views are not their likes.
-- right: [[2],[5]]
SELECT id FROM posts AS o WHERE EXISTS (SELECT 1 FROM (SELECT o.id AS c0, p.views AS c1 FROM posts p
  WHERE o.likes > p.likes) q WHERE q.c1 != o.likes)

-- 22267: EXISTS with ranges that overlap, and are not those of the same row.
-- right: [[1],[2]]
SELECT id FROM posts AS o WHERE EXISTS (SELECT 1 FROM posts AS q
  WHERE q.likes < o.views AND q.views > o.likes AND q.id <> o.id)

-- 22267: EXISTS as a value, with several conditions that are <>. Post 5 has the views of none but itself.
-- right: [[1,true],[2,true],[3,false],[4,false],[5,true]]
SELECT id, EXISTS (SELECT 1 FROM posts AS q WHERE q.likes < o.likes AND q.id <> o.id AND q.likes <> o.views) AS e
FROM posts AS o

-- 22267: NOT EXISTS with a condition that is true for NULL. No post has an id above the views of post 5 but for NULLs.
-- right: [[1],[2],[3],[4],[5]]
SELECT id FROM posts AS o WHERE NOT EXISTS (SELECT 1 FROM posts AS q
  WHERE q.id > o.views AND q.views IS DISTINCT FROM o.id)

-- 22418, 24320: NULL in one of two columns decides nothing where the other one differs. The engine is wrong without its
-- optimizer too.
-- right: [[2,2]]
-- may be refused
SELECT i, j FROM pairs WHERE (i, j) NOT IN (SELECT i, j FROM some_pairs)

-- 16803: a condition that is NULL is true for no row.
-- right: [[4]]
SELECT id FROM left_side l WHERE NOT EXISTS (SELECT 1 FROM right_side r WHERE r.s <> l.s)

-- NOT IN with a NULL in the subquery is never true.
-- right: []
SELECT id FROM left_side WHERE s NOT IN (SELECT tag FROM tags)

-- 23639: a comparison of a window with a correlated aggregate, which are equal in each row.
-- right: []
WITH calc AS (SELECT sum(likes) OVER () AS w, (SELECT sum(i.likes) FROM posts i WHERE i.id >= o.id - 10) AS b FROM posts o)
SELECT * FROM calc WHERE w IS DISTINCT FROM b

-- 12582: grouping sets in LATERAL over no rows: the empty set has one row, the others none.
-- right: [[1,1],[1,1],[2,0]]
SELECT x, a FROM (VALUES (1), (2)) t(x),
  LATERAL (SELECT count(*) FROM (SELECT 1 WHERE 1 = x) t(b) GROUP BY GROUPING SETS ((), (b))) q(a)

-- A correlated count of no rows is 0, a maximum is NULL.
-- right: [[1,2,"b"],[2,1,"a"],[3,1,null],[4,0,null],[5,0,null]]
SELECT id, (SELECT count(*) FROM tags WHERE tags.id = p.id) AS c, (SELECT max(tag) FROM tags WHERE tags.id = p.id) AS m
FROM posts p

-- A correlated LIMIT takes a row for each row around it.
-- right: [[1,"b"],[2,"a"],[3,null]]
SELECT p.id, q.tag FROM posts p, LATERAL (SELECT tag FROM tags WHERE tags.id = p.id ORDER BY tag DESC LIMIT 1) q
