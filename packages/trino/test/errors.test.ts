import assert from 'node:assert/strict'
import { failureOf } from '#trino/protocol/trino-errors.js'

const LOCATION = 's3://analytics/foldgate/files/p/u/sites.parquet'
const SDK = 'software.amazon.awssdk'

/** An error as Trino 476 reports it when its client of S3 has thrown. */
const byS3 = (type: string, message: string) => ({
  errorName: 'ICEBERG_CANNOT_OPEN_SPLIT',
  errorType: 'EXTERNAL',
  message: `Error opening Iceberg split ${LOCATION}`,
  failureInfo: {
    type: 'io.trino.spi.TrinoException',
    cause: { type: 'java.io.IOException', message: LOCATION, cause: { type, message } },
  },
})

describe('an error of Trino', () => {
  for (const [what, type, message, why] of [
    ['credentials', `${SDK}.services.s3.model.S3Exception`, 'AKIASECRET (Service: S3, Status Code: 403, x)', /403/],
    ['a bucket', `${SDK}.services.s3.model.NoSuchBucketException`, '(Service: S3, Status Code: 404, x)', /404/],
    ['an endpoint', `${SDK}.core.exception.SdkClientException`, 'Connect to AKIASECRET failed', /SdkClientException/],
  ] as const)
    it(`tells the host to check ${what} of the catalog, and nothing that the client of S3 says`, () => {
      const { kind, message: told, cause } = failureOf(byS3(type, message))
      assert.equal(kind, 'disk')
      assert.match(
        String(cause),
        /cannot use the bucket \(.*\): check .*s3\.endpoint.*s3\.aws-secret-key of its catalog/,
      )
      assert.match(String(cause), why)
      assert.doesNotMatch(told + cause, /AKIASECRET|s3:\/\//)
    })

  it('tells the host of a catalog without a file system for buckets', () => {
    const message = `Failed to add files: No factory for location: ${LOCATION}`
    const { kind, cause } = failureOf({ errorName: 'ICEBERG_COMMIT_ERROR', errorType: 'EXTERNAL', message })
    assert.equal(kind, 'disk')
    assert.match(String(cause), /\(no file system\): check fs\.native-s3\.enabled/)
  })

  it('of a file that is gone is none of the bucket', () => {
    assert.equal(failureOf(byS3('java.io.FileNotFoundException', LOCATION)).kind, 'view')
  })

  it('of a statement that quotes such an error is of the statement', () => {
    const message = `Column 'No factory for location: ${LOCATION}' cannot be resolved`
    const failure = failureOf({ errorName: 'COLUMN_NOT_FOUND', errorType: 'USER_ERROR', message })
    assert.equal(failure.kind, 'query')
  })

  it('names relations as callers do, and no schema in any other place', () => {
    const told = (message: string) =>
      failureOf({ errorName: 'TABLE_NOT_FOUND', errorType: 'USER_ERROR', message }).message
    const schema = 'foldgate_s_0123456789abcdef'
    assert.equal(told(`line 1:15: Table 'lake.${schema}.sites' does not exist`), "Table 'sites' does not exist")
    assert.equal(told(`Column '"lake"."${schema}".sites.x' is ambiguous.`), "Column 'sites.x' is ambiguous")
    for (const message of [`Schema '${schema}' is gone`, `Cannot access lake.${schema}`])
      assert.equal(told(message), 'The engine cannot run this statement. Write it another way.')
  })
})
