-- 24994: a BLOB that a dictionary has in Parquet. Every seventh row has the digest of 5.
-- right: [[1000]]
SELECT count(*) AS c FROM digests WHERE d = 'a digest of some length 5'::BLOB

-- 24994: a join by it.
-- right: [[1000]]
SELECT count(*) AS c FROM digests a JOIN (SELECT d FROM digests WHERE id = 5) b ON a.d = b.d

-- 24994: the same by IN.
-- right: [[2000]]
SELECT count(*) AS c FROM digests WHERE d IN (SELECT d FROM digests WHERE id < 2)
