--- month-over-month | the growth of each month
WITH monthly AS (SELECT date_trunc('month', d) AS m, sum(v) AS total FROM (VALUES (DATE '2025-01-05', 40), (DATE '2025-01-20', 60), (DATE '2025-02-03', 150)) t(d, v) GROUP BY 1) SELECT strftime(m, '%Y-%m') AS month, total, round(100.0 * (total - lag(total) OVER (ORDER BY m)) / lag(total) OVER (ORDER BY m), 1) AS growth FROM monthly ORDER BY m
-- = {"month":"2025-01","total":100,"growth":null}
-- = {"month":"2025-02","total":150,"growth":50}
--- running-share | a running total, and its share of the whole (Pareto)
SELECT k, sum(v) OVER (ORDER BY v DESC ROWS UNBOUNDED PRECEDING) AS running, 100 * sum(v) OVER (ORDER BY v DESC ROWS UNBOUNDED PRECEDING) / sum(v) OVER () AS share FROM (VALUES ('a', 50), ('b', 30), ('c', 20)) t(k, v) ORDER BY v DESC
-- = {"k":"a","running":50,"share":50}
-- = {"k":"b","running":80,"share":80}
-- = {"k":"c","running":100,"share":100}
--- top-of-each-group | the largest row of each group
SELECT g, k FROM (VALUES ('x', 'a', 1), ('x', 'b', 3), ('y', 'c', 2)) t(g, k, v) QUALIFY row_number() OVER (PARTITION BY g ORDER BY v DESC) = 1 ORDER BY g
-- = {"g":"x","k":"b"}
-- = {"g":"y","k":"c"}
--- moving-average-of-days | by a range of time
SELECT d::VARCHAR AS d, avg(v) OVER (ORDER BY d RANGE BETWEEN INTERVAL 2 DAYS PRECEDING AND CURRENT ROW) AS a FROM (VALUES (DATE '2025-01-01', 2), (DATE '2025-01-02', 4), (DATE '2025-01-05', 8)) t(d, v) ORDER BY d
-- = {"d":"2025-01-01","a":2}
-- = {"d":"2025-01-02","a":3}
-- = {"d":"2025-01-05","a":8}
--- percentiles-of-groups
SELECT g, quantile_cont(v, 0.5) AS median, quantile_disc(v, 0.9) AS p90 FROM (VALUES ('a', 1), ('a', 2), ('a', 3), ('b', 5)) t(g, v) GROUP BY g ORDER BY g
-- = {"g":"a","median":2,"p90":3}
-- = {"g":"b","median":5,"p90":5}
--- percentile-within-group | as standard SQL writes it
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY v) AS m FROM (VALUES (1), (2), (4), (9)) t(v)
-- = {"m":3}
--- calendar | days without rows have zero
SELECT c.d::DATE::VARCHAR AS d, coalesce(sum(v), 0) AS n FROM generate_series(DATE '2025-03-01', DATE '2025-03-03', INTERVAL 1 DAY) c(d) LEFT JOIN (VALUES (DATE '2025-03-02', 7)) t(d, v) ON t.d = c.d GROUP BY 1 ORDER BY 1
-- = {"d":"2025-03-01","n":0}
-- = {"d":"2025-03-02","n":7}
-- = {"d":"2025-03-03","n":0}
--- age-in-days-and-quarters
SELECT date_diff('day', DATE '2025-01-31', DATE '2025-03-01') AS days, 'Q' || quarter(DATE '2025-05-01') AS q, last_day(DATE '2024-02-10')::VARCHAR AS l, extract(isodow FROM DATE '2025-01-05') AS w
-- = {"days":29,"q":"Q2","l":"2024-02-29","w":7}
--- cohorts | the first month of each user, and how many came back
WITH firsts AS (SELECT u, min(m) AS cohort FROM (VALUES ('a', 1), ('a', 2), ('b', 1), ('c', 2)) t(u, m) GROUP BY u) SELECT cohort, m - cohort AS later, count(DISTINCT u) AS users FROM (VALUES ('a', 1), ('a', 2), ('b', 1), ('c', 2)) t(u, m) JOIN firsts USING (u) GROUP BY ALL ORDER BY ALL
-- = {"cohort":1,"later":0,"users":2}
-- = {"cohort":1,"later":1,"users":1}
-- = {"cohort":2,"later":0,"users":1}
--- sessions | a gap of more than 30 minutes begins one
SELECT max(s) AS sessions FROM (SELECT sum(CASE WHEN t - before > INTERVAL 30 MINUTES THEN 1 ELSE 0 END) OVER (ORDER BY t) + 1 AS s FROM (SELECT t, lag(t) OVER (ORDER BY t) AS before FROM (VALUES (TIMESTAMP '2025-01-01 10:00:00'), (TIMESTAMP '2025-01-01 10:10:00'), (TIMESTAMP '2025-01-01 11:00:00')) e(t)))
-- = {"sessions":2}
--- gaps-and-islands | runs of numbers that follow each other
SELECT min(i) AS a, max(i) AS b FROM (SELECT i, i - row_number() OVER (ORDER BY i) AS run FROM (VALUES (1), (2), (3), (7), (8)) t(i)) GROUP BY run ORDER BY a
-- = {"a":1,"b":3}
-- = {"a":7,"b":8}
--- funnel | users that reach each step
SELECT count(*) FILTER (WHERE seen) AS seen, count(*) FILTER (WHERE bought) AS bought, round(100.0 * count(*) FILTER (WHERE bought) / nullif(count(*) FILTER (WHERE seen), 0), 1) AS rate FROM (VALUES (true, true), (true, false), (false, false)) t(seen, bought)
-- = {"seen":2,"bought":1,"rate":50}
--- pivot-of-cases
SELECT k, sum(CASE WHEN y = 2024 THEN v ELSE 0 END) AS y24, sum(CASE WHEN y = 2025 THEN v ELSE 0 END) AS y25 FROM (VALUES ('a', 2024, 1), ('a', 2025, 2), ('b', 2025, 4)) t(k, y, v) GROUP BY k ORDER BY k
-- = {"k":"a","y24":1,"y25":2}
-- = {"k":"b","y24":0,"y25":4}
--- pivot-in-sql
SELECT * FROM (SELECT * FROM (VALUES ('a', 'x', 1), ('a', 'y', 2), ('b', 'x', 3)) t(k, c, v)) PIVOT (sum(v) FOR c IN ('x', 'y')) ORDER BY k
-- = {"k":"a","x":1,"y":2}
-- = {"k":"b","x":3,"y":null}
--- json-paths | fields, elements and lengths
SELECT j->>'$.name' AS name, CAST(j->>'$.tags[0]' AS VARCHAR) AS tag, json_array_length(j, '$.tags') AS n, CAST(j->'$.a.b' AS INTEGER) AS b FROM (VALUES ('{"name":"x","tags":["p","q"],"a":{"b":5}}'::JSON)) t(j)
-- = {"name":"x","tag":"p","n":2,"b":5}
--- json-elements | an array as rows
SELECT e.value->>'$.k' AS k FROM json_each('[{"k":"a"},{"k":"b"}]') e ORDER BY k
-- = {"k":"a"}
-- = {"k":"b"}
--- regular-expressions | domains of addresses, and their cleaning
SELECT regexp_extract(a, '@([\w.-]+)$', 1) AS domain, regexp_replace(a, '[^a-z]', '', 'g') AS letters, regexp_matches(a, '^[a-z]+@') AS plain FROM (VALUES ('ada@example.org'), ('b2@x.io')) t(a) ORDER BY domain
-- = {"domain":"example.org","letters":"adaexampleorg","plain":true}
-- = {"domain":"x.io","letters":"bxio","plain":false}
--- recursive-tree | paths in a hierarchy
WITH RECURSIVE tree(id, path) AS (SELECT id, name FROM (VALUES (1, NULL, 'a'), (2, 1, 'b'), (3, 2, 'c')) t(id, parent, name) WHERE parent IS NULL UNION ALL SELECT t.id, tree.path || '/' || t.name FROM (VALUES (1, NULL, 'a'), (2, 1, 'b'), (3, 2, 'c')) t(id, parent, name) JOIN tree ON t.parent = tree.id) SELECT path FROM tree ORDER BY id
-- = {"path":"a"}
-- = {"path":"a/b"}
-- = {"path":"a/b/c"}
--- buckets | a histogram by width
SELECT floor(v / 10) * 10 AS bucket, count(*) AS n, repeat('#', count(*)::INTEGER) AS bar FROM (VALUES (1), (5), (12)) t(v) GROUP BY 1 ORDER BY 1
-- = {"bucket":0,"n":2,"bar":"##"}
-- = {"bucket":10,"n":1,"bar":"#"}
--- anomalies | standard scores
SELECT v FROM (SELECT v, (v - avg(v) OVER ()) / nullif(stddev_pop(v) OVER (), 0) AS z FROM (VALUES (1), (1), (1), (1), (11)) t(v)) WHERE abs(z) > 1.5
-- = {"v":11}
--- rollup-of-totals
SELECT coalesce(g, 'all') AS g, sum(v) AS n FROM (VALUES ('a', 1), ('b', 2)) t(g, v) GROUP BY ROLLUP (g) ORDER BY n
-- = {"g":"a","n":1}
-- = {"g":"b","n":2}
-- = {"g":"all","n":3}
