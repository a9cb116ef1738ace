--- variant | rule: type
SELECT 1::VARIANT
--- variant-in-a-list | rule: type
SELECT [1]::VARIANT[]
--- variant-in-a-struct | rule: type
SELECT {'a': 1}::STRUCT(a VARIANT)
--- variant-in-a-map | rule: type
SELECT MAP {1: 2}::MAP(INTEGER, VARIANT)
--- variant-in-a-union | rule: type
SELECT 1::UNION(a VARIANT)
--- variant-by-cast | rule: type
SELECT CAST('1' AS VARIANT)
--- variant-by-try-cast | rule: type
SELECT TRY_CAST('1' AS "variant")
--- variant-literal | rule: type
SELECT VARIANT '1'
--- geometry | rule: type
SELECT 'POINT(1 2)'::GEOMETRY
--- geometry-with-a-system | rule: type
SELECT NULL::GEOMETRY('OGC:CRS84')
--- bignum | rule: type
SELECT 1::BIGNUM
--- varint | rule: type
SELECT 1::VARINT
--- type-of-types | rule: type
SELECT 'INTEGER'::TYPE
--- pointer | rule: type
SELECT 0::POINTER
--- time-in-nanoseconds | rule: type
SELECT '10:00'::TIME_NS
--- regclass | rule: type
SELECT 'fold_risks'::regclass
--- regproc | rule: type
SELECT 'now'::regproc
--- oid-vector | rule: type
SELECT '1'::oidvector
--- money | rule: type
SELECT 1::MONEY
--- user-defined | rule: type
SELECT 1::mood
--- relation-as-a-type | rule: type
SELECT NULL::fold_risks
--- any | rule: type
SELECT NULL::"ANY"
--- table | rule: type
SELECT NULL::"TABLE"
--- lambda | rule: type
SELECT NULL::"LAMBDA"
--- aggregate-state | rule: type
SELECT NULL::AGGREGATE_STATE
--- null-type-in-quotes | rule: type
SELECT 1::"null "
--- type-with-kelvin-sign | rule: type
SELECT 1::"INT⟦U+212A⟧"
