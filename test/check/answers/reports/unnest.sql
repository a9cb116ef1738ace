-- 25213: a LEFT JOIN with rows that DISTINCT made unique, before UNNEST made three of each.
-- right: [[11]]
SELECT count(*) AS c FROM posts p
LEFT JOIN (SELECT id, unnest([1, 2, 3]) AS e FROM (SELECT DISTINCT id FROM tags) d) t ON t.id = p.id

-- 25213: the same after GROUP BY.
-- right: [[1],[1],[2],[3],[4],[5]]
SELECT p.id FROM posts p LEFT JOIN (SELECT id, unnest(l) AS e FROM (SELECT id, list(tag) AS l FROM tags GROUP BY id) d) t
ON t.id = p.id

-- 17278: DISTINCT of the fields of a struct. All versions of the engine count the first field alone.
-- right: [["x",1],["x",2]]
-- may be refused
SELECT DISTINCT unnest(s) FROM (SELECT {'a': 'x', 'b': id} AS s FROM posts WHERE id < 3) q

-- 17278: the same with UNNEST in a subquery.
-- right: [["x",1],["x",2]]
SELECT DISTINCT * FROM (SELECT unnest(s) FROM (SELECT {'a': 'x', 'b': id} AS s FROM posts WHERE id < 3) q) u

-- EXISTS and IN over the elements of a list.
-- right: [[2,true],[3,false]]
SELECT id, 2 IN (SELECT unnest(l)) AS i FROM (SELECT id, [id, id + 1] AS l FROM posts WHERE id IN (2, 3)) q
WHERE EXISTS (SELECT 1 FROM unnest(l) AS u(x) WHERE x > 2)
