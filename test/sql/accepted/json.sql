--- arrows
SELECT j->'a' AS a, j->>'b' AS b, j->'$.c.d' AS c, j->'l'->0 AS d, j->>'$.l[1]' AS e FROM (SELECT '{"a":1,"b":"x","c":{"d":true},"l":[1,2]}'::JSON AS j)
-- = {"a":1,"b":"x","c":true,"d":1,"e":"2"}
--- of-a-column
SELECT meta->>'source' AS source, count(*) AS n FROM risk_rows GROUP BY ALL ORDER BY source
-- = {"source":"satellite","n":45}
-- = {"source":"survey","n":45}
--- typed
SELECT sum((meta->>'n')::INTEGER) AS total, sum((meta->>'$.steps[2]')::INTEGER) AS last FROM risk_rows
-- = {"total":4005,"last":4005}
--- dotted
SELECT meta.source AS s, meta.steps[0] AS f FROM risk_rows WHERE row_id = 0
--- wildcards
SELECT json_extract('{"a":[{"b":1},{"b":2}]}', '$.a[*].b') AS a, json_extract('[1,2]', '$[*]') AS b
-- = {"a":[1,2],"b":[1,2]}
--- inspection
SELECT json_type('[1]') AS a, json_array_length('[1,2]') AS b, json_keys('{"x":1}') AS c, json_valid('{') AS d, json_exists('{"a":1}', '$.a') AS e, json_type('{"a":null}', '$.a') AS f
-- = {"a":"ARRAY","b":2,"c":["x"],"d":false,"e":true,"f":"NULL"}
--- casts
SELECT '[1,2]'::JSON::INTEGER[] AS a, '{"a":1}'::JSON::STRUCT(a INTEGER) AS b, ('{"x":1.5}'::JSON->'x')::DOUBLE AS c, '"x"'::JSON AS d, CAST('{"k":1}' AS JSON)::MAP(VARCHAR, INTEGER) AS e
-- = {"a":[1,2],"b":{"a":1},"c":1.5,"d":"x","e":{"k":1}}
--- each
SELECT key, value FROM json_each('{"a":1,"b":"x"}') ORDER BY key
-- = {"key":"a","value":1}
-- = {"key":"b","value":"x"}
--- each-of-a-column
SELECT count(*) AS n FROM risk_rows r, json_each(r.meta, '$.steps') e
-- = {"n":270}
--- tree
SELECT fullkey, type FROM json_tree('{"a":[1]}') ORDER BY id
-- = {"fullkey":"$","type":"OBJECT"}
-- = {"fullkey":"$.a","type":"ARRAY"}
-- = {"fullkey":"$.a[0]","type":"UBIGINT"}
--- seven-arrows
SELECT j->'a'->'b'->'c'->'d'->'e'->'f'->>'g' AS g FROM (SELECT '{"a":{"b":{"c":{"d":{"e":{"f":{"g":"deep"}}}}}}}'::JSON AS j)
-- = {"g":"deep"}
--- lag-over-json
SELECT lag(j, 1, '{"none": true}') OVER (ORDER BY i) AS before FROM (SELECT i, ('[' || i || ']')::JSON AS j FROM range(2) t(i))
-- = {"before":{"none":true}}
-- = {"before":[0]}
--- numbers-that-json-does-not-have
SELECT '[-NaN, nan, 1,]'::JSON AS a, '{"NaN": -Infinity}'::JSON AS b, '"a NaN, ]"'::JSON AS c
-- = {"a":["NaN","NaN",1],"b":{"NaN":"-Infinity"},"c":"a NaN, ]"}
