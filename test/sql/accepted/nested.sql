--- lists
SELECT [1, 2, 3] AS a, [1, 2, 3][2] AS b, [1, 2, 3][-1] AS c, [1, 2, 3, 4][2:3] AS d, [1, 2, 3, 4][1:4:2] AS e, len([1, 2]) AS f, [] AS g, list_value(1, 2) AS h
-- = {"a":[1,2,3],"b":2,"c":3,"d":[2,3],"e":[1,3],"f":2,"g":[],"h":[1,2]}
--- list-functions
SELECT list_sort([3, 1, 2]) AS a, list_reverse_sort([3, 1, 2]) AS b, list_distinct([1, 1]) AS c, list_contains([1, 2], 2) AS d, list_position(['a', 'b'], 'b') AS e, list_concat([1], [2]) AS f, [1] || [2] AS g, flatten([[1], [2, 3]]) AS h, list_slice([1, 2, 3], 2, 3) AS i, array_to_string([1, 2], '-') AS j
-- = {"a":[1,2,3],"b":[3,2,1],"c":[1],"d":true,"e":2,"f":[1,2],"g":[1,2],"h":[1,2,3],"i":[2,3],"j":"1-2"}
--- list-sets
SELECT list_has_any([1, 2], [2]) AS a, list_has_all([1, 2], [1]) AS b, [1, 2] && [2, 3] AS c, [1, 2] @> [1] AS d, list_intersect([1, 2], [2]) AS e, [1] <@ [1, 2] AS f
-- = {"a":true,"b":true,"c":true,"d":true,"e":[2],"f":true}
--- lambdas
SELECT list_transform([1, 2], lambda x: x * 10) AS a, list_filter([1, 2, 3], lambda x: x % 2 = 1) AS b, list_reduce([1, 2, 3], lambda x, y: x + y) AS c, list_transform(['a', 'b'], lambda x, i: x || i) AS d
-- = {"a":[10,20],"b":[1,3],"c":6,"d":["a1","b2"]}
--- arrow-lambdas
SELECT list_transform([1, 2], x -> x + 1) AS a, list_filter([1, 2], (x, i) -> i = 2) AS b, apply([1], x -> -x) AS c, filter([1, 2], x -> x > 1) AS d, reduce([1, 2], (x, y) -> x * y, 10) AS e
-- = {"a":[2,3],"b":[2],"c":[-1],"d":[2],"e":20}
--- nested-lambdas
SELECT list_transform([[1, 2], [3]], lambda l: list_transform(l, lambda x: x + len(l))) AS a
-- = {"a":[[3,4],[4]]}
--- lambda-reads-a-column
SELECT list_transform([1, 2], lambda f: f * value) AS scaled FROM dash_ipbes WHERE value > 40
-- = {"scaled":[41.5,83]}
--- comprehension
SELECT [x * 2 FOR x IN [1, 2, 3]] AS a, [x FOR x IN [1, 2, 3] IF x > 1] AS b, [upper(t) FOR t IN tags] AS c FROM fold_risks WHERE value = 0
-- = {"a":[2,4,6],"b":[2,3],"c":["HIGH","NEW"]}
--- comprehension-of-comprehensions
SELECT [[y * 2 FOR y IN x] FOR x IN [[1], [2, 3]]] AS a
-- = {"a":[[2],[4,6]]}
--- unnest-in-select
SELECT unnest([1, 2]) AS x, 'k' AS k
-- = {"x":1,"k":"k"}
-- = {"x":2,"k":"k"}
--- unnest-of-a-struct
SELECT unnest({'a': 1, 'b': 'x'})
-- = {"a":1,"b":"x"}
--- unnest-recursive
SELECT unnest([{'a': 1}, {'a': 2}], recursive := true)
-- = {"a":1}
-- = {"a":2}
--- unnest-of-tags
SELECT DISTINCT unnest(tags) AS tag FROM fold_risks ORDER BY tag
-- = {"tag":"high"}
-- = {"tag":"low"}
-- = {"tag":"new"}
--- structs
SELECT {'a': 1, 'b': {'c': 'x'}} AS s, {'a': 1}.a AS a, struct_pack(k := 1, v := 'y') AS p, ({'b': {'c': 'x'}}).b.c AS c, {'a': 1}['a'] AS i, struct_extract({'z': 5}, 'z') AS z
-- = {"s":{"a":1,"b":{"c":"x"}},"a":1,"p":{"k":1,"v":"y"},"c":"x","i":1,"z":5}
--- struct-column
SELECT details.level AS level, sum(details.weight) AS w FROM fold_risks GROUP BY ALL HAVING level = 'A'
--- struct-column-star
SELECT details.* FROM fold_risks WHERE value = 0
-- = {"level":"A","weight":0}
--- struct-column-qualified
SELECT f.details.level AS a, fold.details['level'] AS b FROM fold_risks f JOIN fold_risks fold USING (value) WHERE value = 12.5
-- = {"a":"B","b":"B"}
--- rows
SELECT row(1, 'a') IS NOT NULL AS a, (1, 2) AS b, row(1, 'x')::STRUCT(n INTEGER, t VARCHAR) AS c
--- maps
SELECT MAP {'a': 1, 'b': 2} AS m, MAP {'a': 1}['a'] AS a, map_keys(MAP {'k': 1}) AS k, map_values(MAP {'k': 1}) AS v, cardinality(MAP {'k': 1}) AS n, map_contains(MAP {'k': 1}, 'k') AS has, map([1], ['x']) AS numbered
-- = {"m":{"a":1,"b":2},"a":1,"k":["k"],"v":[1],"n":1,"has":true,"numbered":[{"key":1,"value":"x"}]}
--- map-column
SELECT attrs['likelihood'] AS l, map_extract(attrs, 'none') AS none, element_at(attrs, 'severity')[1] AS s FROM fold_risks WHERE value = 12.5
-- = {"l":0.1,"none":[],"s":1}
--- map-entries
SELECT map_from_entries([('x', 1)]) AS a, map_entries(MAP {'x': 1}) AS b, map_concat(MAP {'x': 1}, MAP {'y': 2}) AS c
-- = {"a":{"x":1},"b":[{"key":"x","value":1}],"c":{"x":1,"y":2}}
--- list-of-structs
SELECT l[2].v AS v, list_transform(l, lambda s: s.v) AS vs, list_filter(l, lambda s: s.k = 'a')[1].v AS w FROM (SELECT [{'k': 'a', 'v': 1}, {'k': 'b', 'v': 2}] AS l)
-- = {"v":2,"vs":[1,2],"w":1}
--- cast-of-nested
SELECT [1, 2]::VARCHAR[] AS a, {'x': 1}::STRUCT(x VARCHAR) AS b, MAP {1: 2}::MAP(VARCHAR, DOUBLE) AS c, [[1]]::DOUBLE[][] AS d
-- = {"a":["1","2"],"b":{"x":"1"},"c":{"1":2},"d":[[1]]}
--- method-chain
SELECT ipbes_pressure.upper().substring(1, 4) AS a, [3, 1, 2].list_sort()[1] AS b, ('x y').string_split(' ') AS c, value.round()::INTEGER AS d FROM dash_ipbes WHERE value > 40
-- = {"a":"LAND","b":1,"c":["x","y"],"d":42}
--- method-on-a-struct-field
SELECT (details.level).lower() AS l FROM fold_risks WHERE value = 0
-- = {"l":"a"}
--- method-on-a-table-column
SELECT d.ipbes_pressure.upper().length() AS n, d.ipbes_pressure.lpad(3, ' ') AS p, ipbes_pressure.rpad(16, '.') AS q, d.ipbes_pressure.repeat(2).length() AS r FROM dash_ipbes d WHERE value > 40
-- = {"n":15,"p":"lan","q":"land use change.","r":30}
--- method-with-a-pattern
SELECT ipbes_pressure.like_escape('land$_%', '$') AS a, ipbes_pressure.regexp_matches('use') AS b, ipbes_pressure.starts_with('land') AS c FROM dash_ipbes WHERE value > 40
-- = {"a":false,"b":true,"c":true}
--- list-of-lists-twenty-deep
SELECT len(⟦20|[⟧1⟦20|]⟧) AS n
-- = {"n":1}
--- range-of-a-column
SELECT scope, range(scope) AS r, scope.range() AS m, [x * x FOR x IN range(scope)] AS squares FROM fold_pressures GROUP BY scope ORDER BY scope LIMIT 2
-- = {"scope":1,"r":[0],"m":[0],"squares":[0]}
-- = {"scope":2,"r":[0,1],"m":[0,1],"squares":[0,1]}
--- arrays
SELECT [1, 2]::INTEGER[2] AS a, array_value(1.5, 2.5)[2] AS b, array_inner_product([1.0, 2.0]::DOUBLE[2], [3.0, 4.0]::DOUBLE[2]) AS c, array_distance([0, 0]::FLOAT[2], [3, 4]::FLOAT[2]) AS d, list_cosine_similarity([1.0, 0.0], [1.0, 0.0]) AS e
-- = {"a":[1,2],"b":2.5,"c":11,"d":5,"e":1}
--- vectors
SELECT [3.0, 0.0] <-> [0.0, 4.0] AS a, [1.0, 0.0] <=> [0.0, 1.0] AS b, list_distance([1.0], [4.0]) AS c, list_dot_product([1.0, 2.0], [3.0, 4.0]) AS d, list_negative_inner_product([1.0], [3.0]) AS e, array_cross_product([1, 0, 0]::DOUBLE[3], [0, 1, 0]::DOUBLE[3]) AS f
-- = {"a":5,"b":1,"c":3,"d":11,"e":-3,"f":[0,0,1]}
--- places-in-structs
SELECT struct_contains(row(1, 2), 2) AS a, struct_position(row('x', 'y'), 'y') AS b, struct_has(row(1, NULL), 3) AS c, struct_indexof(row(1, 2), 3) AS d
-- = {"a":true,"b":2,"c":false,"d":null}
--- counts-of-members
SELECT list_histogram(['a', 'b', 'a', NULL])['a'] AS h, list_histogram([]::INTEGER[]) AS e
-- = {"h":2,"e":null}
