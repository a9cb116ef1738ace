import assert from 'node:assert/strict'
import { DeleteObjectCommand, ListObjectsV2Command, type S3Client } from '@aws-sdk/client-s3'
import { removeAbandoned } from '#s3/abandoned.js'
import { Bucket } from '#s3/bucket.js'

const { signal } = new AbortController()
const DAY_MS = 86_400_000
/** Objects of a page, so that listings have several. */
const PAGE = 3

/** A bucket whose store answers with this function. */
function bucketOf(answer: (command: unknown) => unknown): Bucket {
  const client = { send: async (command: unknown) => answer(command) } as unknown as S3Client
  return new Bucket({ client, bucket: 'analytics', prefix: 'a/' })
}

describe('the sweep of files without a manifest', () => {
  /** Sweeps a bucket of these objects by key, with the days since they changed; returns the keys that are left. */
  async function swept(objects: Record<string, number>, onList: (prefix: string) => object = () => ({})) {
    let left: Record<string, number> = { ...objects }
    const listed: string[] = []
    const bucket = bucketOf(command => {
      if (command instanceof DeleteObjectCommand) return delete left[command.input.Key?.slice(2) ?? '']
      assert.ok(command instanceof ListObjectsV2Command)
      const { Prefix = '', ContinuationToken: after = '' } = command.input
      if (after === '') listed.push(Prefix.slice(2))
      left = { ...left, ...onList(Prefix.slice(2)) }
      const all = Object.keys(left).map(key => `a/${key}`)
      const keys = all.filter(key => key.startsWith(Prefix) && key > after).sort()
      const page = keys.slice(0, PAGE)
      return {
        Contents: page.map(Key => ({ Key, Size: 1, LastModified: new Date(-(left[Key.slice(2)] ?? 0) * DAY_MS) })),
        ...(keys.length > PAGE ? { NextContinuationToken: page.at(-1) } : {}),
      }
    })
    await removeAbandoned(bucket, -DAY_MS, signal)
    return { left: Object.keys(left).sort(), listed }
  }
  /** The files of a snapshot with the uuid u, in as many objects as no page has. */
  const filesOf = (project: string, uuid: string, days: number) =>
    Object.fromEntries(['1', '2', '3', '4'].map(name => [`files/${project}/${uuid}/${name}.parquet`, days]))
  const manifest = (project: string, uuid: string) => ({ [`manifests/${project}/000001-${uuid}.json`]: 2 })

  it('removes those of snapshots that were never published, in the order of the store', async () => {
    const projects = ['B', 'a', 'a-b', 'a.b', 'ab', 'b', 'c']
    const published = projects.flatMap(project => [filesOf(project, 'kept', 2), manifest(project, 'kept')])
    const lost = ['a', 'ab', 'c'].map(project => filesOf(project, 'lost', 2))
    const young = filesOf('b', 'young', 0.5)
    const { left, listed } = await swept(Object.assign({}, ...published, ...lost, young, manifest('d', 'other')))
    assert.deepEqual(left, Object.keys(Object.assign({}, ...published, young, manifest('d', 'other'))).sort())
    const once = ['files/', 'linking/', 'removing/', 'tables/']
    assert.deepEqual(listed.filter(prefix => !prefix.startsWith('manifests/')).sort(), once)
    // Only projects that have such files are listed once more.
    const ofProjects = listed.filter(prefix => prefix.startsWith('manifests/') && prefix !== 'manifests/')
    assert.deepEqual(ofProjects.sort(), ['manifests/a/', 'manifests/ab/', 'manifests/c/'])
  })

  it('keeps all files of a snapshot of which one is younger', async () => {
    const files = { ...filesOf('a', 'slow', 3), 'files/a/slow/5.parquet': 0.5 }
    assert.deepEqual((await swept(files)).left, Object.keys(files).sort())
  })

  it('keeps those of a snapshot that is published while it sweeps', async () => {
    const files = filesOf('a', 'late', 2)
    const { left } = await swept(files, prefix => (prefix === 'manifests/a/' ? manifest('a', 'late') : {}))
    assert.deepEqual(left, Object.keys({ ...files, ...manifest('a', 'late') }).sort())
  })

  it('removes files of a project that has no manifest at all', async () => {
    assert.deepEqual((await swept(filesOf('a', 'lost', 2))).left, [])
  })
})
