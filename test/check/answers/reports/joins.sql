-- 25819: two parts of a UNION ALL with the same joins, of which each shows other columns.
-- right: [[0,"acc0"],[1,"acc1"],[0,"acc0 to acc1"],[1,"acc1 to acc2"]]
SELECT t.id, a.name AS who FROM transfers t JOIN accounts a ON a.id = t.src JOIN accounts b ON b.id = t.dst WHERE t.id < 2
UNION ALL
SELECT t.id, a.name || ' to ' || b.name
FROM transfers t JOIN accounts a ON a.id = t.src JOIN accounts b ON b.id = t.dst WHERE t.id < 2

-- 23691: two scalar subqueries over one table that differ in their conditions. 13 numbers below 169 have g = 1.
-- right: [[13],[24]]
SELECT * FROM (VALUES ((SELECT count(*) FROM numbers WHERE g = 1 AND id < 169)),
  ((SELECT count(*) FROM numbers WHERE id % 7 = 1 AND id < 169 AND g < 13))) s(v)

-- 23688: a filter that is true for two NULLs, above a LEFT JOIN. Row 1 has no partner, and n is NULL.
-- right: [[1,null],[2,2],[4,4]]
SELECT l.id, r.id AS r FROM left_side l LEFT JOIN right_side r ON l.id = r.id WHERE l.n IS NOT DISTINCT FROM r.n

-- 24542: a filter above the LIMIT of a LEFT JOIN. The two first rows have no partner, so that none passes.
-- right: []
SELECT * FROM (SELECT l.id AS a, r.id AS b FROM left_side l LEFT JOIN right_side r ON l.s = r.s
  ORDER BY b DESC NULLS FIRST, a LIMIT 2) q WHERE b <= 20

-- 22924: a join above an OFFSET, which keeps the last ten numbers.
-- right: [[5]]
SELECT count(*) AS c FROM (SELECT id FROM numbers ORDER BY id OFFSET 299990) a
JOIN (SELECT id FROM numbers WHERE id >= 299995) b USING (id)

-- 22924: a join above a LIMIT. The first three k are those of 0, 38 and so on; k = 0, 1 and 2 have these ids.
-- right: [[0]]
SELECT a.id FROM (SELECT id, k FROM numbers ORDER BY k LIMIT 3) a JOIN (SELECT id FROM numbers WHERE id < 100) b ON a.id = b.id

-- 21757: a DISTINCT before a LEFT JOIN with nothing.
-- rows: 13
SELECT w.id, r.id AS r FROM (SELECT DISTINCT id, name FROM accounts) w
LEFT JOIN (SELECT * FROM right_side WHERE id > 100) r ON w.id = r.id

-- 17046: a condition on the left side alone, in ON of ASOF.
-- right: [[1,null],[2,null],[3,3],[4,null]]
-- may be refused
SELECT l.id, r.id AS r FROM left_side l ASOF LEFT JOIN right_side r ON l.id >= r.id AND l.id = 3

-- 21514: ASOF LEFT JOIN with nothing.
-- right: [[1,null],[2,null],[3,null],[4,null]]
-- may be refused
SELECT l.id, r.id AS r FROM left_side l ASOF LEFT JOIN (SELECT * FROM right_side WHERE id > 100) r ON l.id >= r.id

-- 23933: NULL equals NULL in ON of ASOF. The engine is wrong without its optimizer too.
-- right: [[1,null],[2,null],[3,2],[4,4]]
-- may be refused
SELECT l.id, r.id AS r FROM left_side l ASOF LEFT JOIN right_side r ON l.s IS NOT DISTINCT FROM r.s AND l.id >= r.id

-- 16863: a filter for NULL above a RIGHT JOIN with every row.
-- right: [[1],[1],[4],[4]]
SELECT l.id FROM left_side l RIGHT JOIN (SELECT id FROM tags WHERE id < 2) t ON true WHERE l.n IS NULL

-- 11294: a set operation whose second part is empty still removes duplicates.
-- right: [[1],[2],[3]]
SELECT id FROM tags EXCEPT SELECT 1 WHERE false

-- INTERSECT ALL keeps as many of a row as both sides have.
-- right: [[1],[1],[2]]
SELECT id FROM tags INTERSECT ALL (SELECT 1 UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 2)

-- EXCEPT ALL takes away one NULL for another.
-- right: [["a"],["a"],["b"]]
SELECT tag FROM tags EXCEPT ALL SELECT NULL

-- 6061: a filter above DISTINCT ON is no filter below it.
-- right: [[2,"a"]]
SELECT * FROM (SELECT DISTINCT ON (id) id, tag FROM tags ORDER BY id, tag DESC) q WHERE tag = 'a'

-- 17175: groups that are equal in every row, but not in every grouping set.
-- right: [[2,2,2,1],[2,2,null,1],[2,null,null,1],[null,null,null,1]]
SELECT l.id, l.n, r.id AS r, count(*) AS c FROM left_side l JOIN right_side r ON l.id = r.id AND l.n = r.n
GROUP BY ROLLUP (l.id, l.n, r.id)

-- 25046: a LEFT JOIN by an inequality, with a condition that is none. Only row 3 has a partner.
-- right: [[1,null],[2,null],[3,2],[4,null]]
SELECT l.id, r.id AS r FROM left_side l LEFT JOIN right_side r
ON l.id > r.id AND l.s = r.s AND (CASE WHEN l.n = 3 THEN true END)

-- 21609: a filter above a LEFT JOIN LATERAL.
-- right: [[1],[2]]
SELECT f.id FROM flags f LEFT JOIN LATERAL (SELECT n AS k FROM right_side r WHERE r.id = f.id) l ON true WHERE l.k IS NULL OR f.id = 2

-- ASOF with an equality: NULL in the column of the inequality is before and after nothing. The engine is wrong without
-- its optimizer too.
-- right: [[1,1],[2,2],[3,null]]
-- may be refused
SELECT f.id, s.id AS s FROM (SELECT id, 1 AS g, CASE WHEN c IS NULL OR c THEN id END AS t FROM flags) f
ASOF LEFT JOIN (SELECT id, 1 AS g FROM shares) s ON f.g = s.g AND f.t >= s.id
