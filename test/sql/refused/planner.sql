--- planner-bomb-03 | nested lambdas, 2^n
SELECT⟦25| list_transform([1], lambda x:⟧ 1)))))))))))))))))))))))))
--- planner-bomb-05 | alias doubling: hangs the binder and grows RSS past memory_limit
SELECT 1 AS a0⟦1..22|, a{i-1} + a{i-1} AS a{i}⟧ FROM dash_ipbes
--- planner-bomb-07 | deep literal: quadratic to cubic binding, 2 GB RSS at 900
SELECT ⟦400|[⟧1⟦400|]⟧
--- planner-bomb-12 | deep scalar subqueries
⟦100|SELECT (⟧SELECT 1⟦100|)⟧
--- planner-bomb-14 | deep FROM nesting
⟦200|SELECT * FROM (⟧SELECT * FROM dash_ipbes⟦200|)⟧
--- planner-bomb-16 | parser expands each interval to six nodes
SELECT ⟦120|interval (⟧1⟦120|) day⟧
--- planner-bomb-18 | statement over the size limit
SELECT '⟦70000|x⟧' FROM dash_ipbes
--- planner-bomb-19 | long identifier (edit distance against every candidate)
SELECT "⟦5000|a⟧" FROM dash_ipbes
--- deep-parentheses | rule: complexity
SELECT ⟦20000|(⟧1⟦20000|)⟧
--- deep-subqueries | rule: complexity
SELECT 1 FROM ⟦4000|(SELECT * FROM ⟧dash_ipbes⟦4000|)⟧
--- deep-sums | rule: complexity
SELECT 1⟦2000| + 1⟧
--- row-of-signs | rule: complexity
SELECT ⟦2000|+-⟧1
--- row-of-comments | rule: complexity
SELECT 1⟦4000|/**/⟧
--- row-of-bars | rule: complexity
SELECT 1 ⟦65|||⟧ 2
--- row-of-signs-behind-a-string | rule: complexity
SELECT 1E'\' ' ⟦2000|+-⟧ '
--- huge-in-list | rule: complexity
SELECT 1 IN (⟦32000|1,⟧1)
--- nested-arrows | rule: complexity
SELECT meta⟦9|->'a'⟧ FROM risk_rows
--- nested-lambdas | rule: complexity
SELECT ⟦9|list_transform([1], lambda x: ⟧1⟦9|)⟧
--- nested-comprehensions | rule: complexity
SELECT ⟦9|[⟧1⟦9| FOR x IN [1]]⟧
--- nested-scalars | rule: complexity
SELECT ⟦9|(SELECT ⟧1⟦9|)⟧
--- nested-exists | rule: complexity
SELECT ⟦9|EXISTS (SELECT 1 WHERE ⟧true⟦9|)⟧
--- nested-in | rule: complexity
SELECT ⟦9|1 IN (SELECT ⟧1⟦9|)⟧
--- nested-lists | rule: complexity
SELECT ⟦210|[⟧1⟦210|]⟧
--- nested-structs | rule: complexity
SELECT ⟦210|{'a': ⟧1⟦210|}⟧
--- nested-calls | rule: complexity
SELECT ⟦210|abs(⟧1⟦210|)⟧
--- nested-not | rule: complexity
SELECT ⟦210|NOT ⟧true
--- nested-sums | rule: complexity
SELECT 1⟦250| + 1⟧
--- nested-concatenations | rule: complexity
SELECT 'a'⟦250| || 'a'⟧
--- nested-case | rule: complexity
SELECT ⟦210|CASE WHEN true THEN ⟧1⟦210| END⟧
--- nested-casts | rule: complexity
SELECT 1⟦200|::INTEGER⟧
--- nested-joins | rule: complexity
SELECT 1 FROM dash_ipbes t0⟦1..260|, dash_ipbes t{i}⟧
--- nested-unions | rule: complexity
SELECT 1⟦300| UNION ALL SELECT * FROM dash_ipbes⟧
--- doubling-ctes | rule: complexity
WITH t0 AS (SELECT 1 AS x)⟦1..20|, t{i} AS NOT MATERIALIZED (SELECT a.x FROM t{i-1} a, t{i-1} b)⟧ SELECT * FROM t20
--- nested-macros | rule: complexity | each copies its argument three times in the binder, which ignores interrupts
SELECT ⟦20|round_even(⟧9.5⟦20|, 1)⟧
--- nested-fmod | rule: complexity
SELECT ⟦20|fmod(⟧9.5⟦20|, 7)⟧
--- nested-fmod-on-the-right | rule: complexity
SELECT ⟦16|fmod(7, ⟧9.5⟦16|)⟧
--- nested-split-part | rule: complexity
SELECT ⟦16|split_part(⟧'a'⟦16|, 'b', 1)⟧
--- nested-array-pop-back | rule: complexity
SELECT ⟦16|array_pop_back(⟧[1, 2]⟦16|)⟧
--- nested-array-to-string | rule: complexity
SELECT ⟦16|array_to_string([⟧'a'⟦16|], ',')⟧
--- nested-nullif | rule: complexity
SELECT ⟦16|nullif(⟧1⟦16|, 2)⟧
--- nested-macros-in-an-order | rule: complexity
SELECT 1 AS a ORDER BY ⟦16|fmod(⟧9.5⟦16|, 7)⟧
--- nested-macros-in-values | rule: complexity
VALUES (⟦16|fmod(⟧9.5⟦16|, 7)⟧)
--- nested-macros-in-a-join | rule: complexity
SELECT 1 FROM fold_risks a JOIN fold_risks b ON ⟦16|fmod(⟧a.value⟦16|, 7)⟧ = b.value
--- nested-macros-of-aliases | rule: complexity
SELECT value AS a0, ⟦1..12|fmod(a{i-1}, 7) AS a{i}, ⟧1 AS b FROM fold_risks
--- nested-macros-in-a-subquery | rule: complexity
SELECT * FROM (SELECT 1 WHERE ⟦16|fmod(⟧9.5⟦16|, 7)⟧ > 1) AS t
--- doubling-aliases | rule: complexity
SELECT 1 AS a0⟦1..20|, a{i-1} + a{i-1} AS a{i}⟧
--- doubling-aliases-in-a-subquery | rule: complexity
SELECT * FROM (SELECT value AS a0⟦1..20|, a{i-1} * a{i-1} AS a{i}⟧ FROM dash_ipbes)
--- doubling-aliases-in-where | rule: complexity
SELECT value AS a0⟦1..14|, a{i-1} + a{i-1} AS a{i}⟧ FROM dash_ipbes WHERE a14 > 1
--- many-parts | rule: complexity
SELECT ⟦21000|1,⟧2
--- many-series | rule: complexity
SELECT 1 FROM range(1) t0⟦1..260|, range(1) t{i}⟧
--- number-out-of-range | rule: syntax
SELECT 1e999
--- number-out-of-range-in-a-filter | rule: syntax
SELECT 1 WHERE 1 < 1e400
--- over-64-kib | rule: text
SELECT '⟦65536|x⟧'
--- over-64-kib-of-multibyte-characters | rule: text
SELECT '⟦33000|é⟧'
--- over-64-kib-of-blanks | rule: text
SELECT 1⟦66000| ⟧
--- nul | rule: text
SELECT 1⟦U+0000⟧
--- nul-in-a-string | rule: text
SELECT 'a⟦U+0000⟧b'
--- nul-before-a-second-statement | rule: text
SELECT 1 ⟦U+0000⟧; DROP TABLE dash_ipbes
--- empty | rule: text
⟦0|x⟧
