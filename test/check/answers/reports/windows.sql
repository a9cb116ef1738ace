-- 24629: two windows whose partitions differ, of which one names a column twice. The engine is wrong without its
-- optimizer too.
-- may be refused
-- right: [[1,3,1],[2,3,2]]
SELECT id, sum(id) OVER (PARTITION BY g, g) AS a, sum(id) OVER (PARTITION BY g, id) AS b
FROM (SELECT id, 1 AS g FROM posts WHERE id < 3) q

-- 24780: a partition by a column twice, with a NULL in it.
-- may be refused
-- right: [[1,2],[2,2],[4,2]]
SELECT id, bit_or(n) OVER (PARTITION BY m, m) AS b FROM (SELECT id, n, '' AS m FROM left_side WHERE id <> 3) q

-- 21592: a frame of rows is no whole partition.
-- right: [[1,1],[2,3],[3,6],[4,10],[5,15]]
SELECT id, sum(id) OVER (PARTITION BY id > 0 ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS c FROM posts

-- 23441: DISTINCT in a window over a whole partition. The sums are of 0 and 1.
-- right: [[1],[1],[1]]
SELECT sum(DISTINCT q) OVER (PARTITION BY 1 ORDER BY b ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS w
FROM (VALUES (1, 1), (2, 1), (3, 0)) v(b, q)

-- 22791: windows over windows over windows.
-- right: [[1,1],[2,2],[3,3],[4,4],[5,5]]
SELECT id, sum(id) OVER (PARTITION BY id) AS s FROM (SELECT id, lag(c, 1, 0) OVER (PARTITION BY id ORDER BY id) AS l
  FROM (SELECT id, count(*) OVER (PARTITION BY id) AS c FROM posts) a) b

-- The first two of an order by a column that is not shown, from a join with two rows.
-- right: [[1,1],[1,1]]
SELECT id, p FROM (SELECT l.id, l.p, r.s FROM (VALUES (1, 1, 'x')) l(id, p, k)
  JOIN (VALUES ('x', 20), ('x', 10)) r(k, s) ON l.k = r.k) AS src
QUALIFY row_number() OVER (ORDER BY s DESC NULLS LAST) <= 2

-- The first of an order by a TRY_CAST that is NULL.
-- right: [[3,null]]
SELECT id, tag FROM tags WHERE id = 3 QUALIFY row_number() OVER (ORDER BY try_cast(tag AS INTEGER)) = 1

-- 25306: a row that LEAD keeps for the end, behind UNNEST.
-- right: [[3000,21000]]
-- may be refused
SELECT count(*) AS c, sum(x) AS s FROM (SELECT unnest(range(3000)) AS u, x
  FROM (SELECT lead(id, 1, 7) OVER () AS x FROM posts WHERE id = 1) a) b

-- 25701, 25995: LEAD over a UNION ALL.
-- right: [[0,1],[1,-1]]
-- may be refused
SELECT i, lead(i, 1, -1) OVER () AS x FROM (SELECT 0 AS i UNION ALL SELECT 1) q

-- The same over a subquery that is joined. Every number but those below 4 has its g among the accounts.
-- right: [[6996,6995]]
-- may be refused
SELECT count(*) AS c, count(n) AS d FROM (SELECT lead(id) OVER () AS n FROM few
  WHERE EXISTS (SELECT 1 FROM accounts WHERE accounts.id = few.g) AND id > 3) q

-- 24458: the frame of a window without an order is one row.
-- right: [[1,1],[2,2],[3,3],[4,4],[5,5]]
-- may be refused
SELECT id, first_value(id) OVER (ROWS BETWEEN CURRENT ROW AND CURRENT ROW) AS f FROM posts

-- 23457: IGNORE NULLS in a partition of NULLs takes no value from another one.
-- right: [[1,null],[2,150],[3,null]]
-- may be refused
SELECT id, first_value(v ORDER BY id IGNORE NULLS) OVER (PARTITION BY v, id) AS f
FROM (SELECT id, CASE WHEN id = 2 THEN views END AS v FROM posts WHERE id < 4) q

-- 23664: a RANGE of 0 has all rows of the same key.
-- right: [[1,2],[1,2],[2,1],[3,1]]
SELECT id, count(*) OVER (ORDER BY id RANGE BETWEEN 0 PRECEDING AND 0 PRECEDING) AS c FROM tags

-- 24363: a window ordered by what is NULL in each row.
-- right: [[1,1],[1,2],[2,1]]
SELECT id, r FROM (SELECT id, row_number() OVER (PARTITION BY id ORDER BY NULL) AS r FROM tags) q WHERE r <= 7 AND id < 3
