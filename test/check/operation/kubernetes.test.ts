import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { parseAllDocuments } from 'yaml'
import { scratchFolder } from '../../server/command.js'
import { type Built, build } from '../programs.js'

const run = promisify(execFile)
const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const DEPLOY = at('../../../deploy')
const SCORE = 'github.com/zegl/kube-score/cmd/kube-score'
/** A grade of kube-score: 10 is OK, 7 a hint, 5 a warning, 1 critical. */
const FINE = 7

/** What kube-score finds that stays as it is, and why. */
const ACCEPTED: Record<string, string> = {
  'container-security-context-user-group-id StatefulSet/foldgate': 'the image has the user node, 1000, and runs as it',
  'container-security-context-user-group-id Deployment/foldgate-proxy': 'the image has the user haproxy, 99',
  'container-resources StatefulSet/foldgate': 'a limit of cores would throttle every tenant at once',
  'container-resources Deployment/foldgate-proxy': 'a limit of cores would throttle every tenant at once',
  'container-image-pull-policy StatefulSet/foldgate': 'the tag is a version, which does not change',
  'container-image-pull-policy Deployment/foldgate-proxy': 'nodes would not start it while the registry is away',
  'statefulset-has-host-podantiaffinity StatefulSet/foldgate': 'topology spread does this, and allows fewer nodes',
  'deployment-has-host-podantiaffinity Deployment/foldgate-proxy': 'topology spread does this, and allows fewer nodes',
  'service-targets-pod Service/foldgate-1': 'selects by a label that the StatefulSet gives to its pods',
  'service-targets-pod Service/foldgate-2': 'selects by a label that the StatefulSet gives to its pods',
  'service-targets-pod Service/foldgate-3': 'selects by a label that the StatefulSet gives to its pods',
}

interface Scored {
  type_meta: { kind: string }
  object_meta: { name: string }
  checks: { check: { id: string }; grade: number; skipped: boolean }[]
}

interface Manifest {
  kind: string
  metadata: { name: string }
  data?: Record<string, string>
  spec: {
    replicas: number
    ordinals: { start: number }
    selector: Record<string, string>
    ports: { port: number }[]
  }
}

const scratch = scratchFolder()

describe('the manifests for Kubernetes', () => {
  let program: Built
  let rendered: string
  let manifests: Manifest[]
  const render = async (folder: string) => (await run(join(program.folder, 'render'), [folder])).stdout

  before(async function () {
    this.timeout(600_000)
    const built = await build({
      source: at('kubernetes'),
      fetch: [['go', 'mod', 'download']],
      compile: [
        ['go', 'build', '-o', 'render', '.'],
        ['go', 'build', '-o', 'score', SCORE],
      ],
      start: ['./render'],
    })
    if (!built) console.log('      left out: Go or its modules cannot be had')
    if (!built) return this.skip()
    program = built
    rendered = await render(DEPLOY)
    manifests = parseAllDocuments(rendered).map(document => document.toJS() as Manifest)
  })

  const named = (kind: string, name: string) =>
    manifests.find(manifest => manifest.kind === kind && manifest.metadata.name === name)

  it('have the fields of their types only', async () => {
    assert.ok(manifests.length > 10)
    const copy = join(scratch.path, 'deploy')
    for (const [from, to] of [
      ['readinessProbe:', 'readinesProbe:'],
      ['runAsNonRoot: true', 'runAsNonRoot: "true"'],
    ] as const) {
      await mkdir(copy, { recursive: true })
      await cp(DEPLOY, copy, { recursive: true })
      const file = join(copy, 'kubernetes/servers.yaml')
      await writeFile(file, (await readFile(file, 'utf8')).replace(from, to))
      const failed = await render(copy).catch(cause => cause)
      assert.match(String(failed.stderr), /StatefulSet.*foldgate.*(readinesProbe|runAsNonRoot)/s)
    }
  })

  it('have no findings of kube-score but the accepted ones', async () => {
    const file = join(scratch.path, 'rendered.yaml')
    await writeFile(file, rendered)
    // It ends with status 1 when it finds anything critical.
    const args = ['score', '--output-format', 'json', file]
    const { stdout } = await run(join(program.folder, 'score'), args).catch(cause => cause)
    const scored = JSON.parse(stdout) as Scored[]
    assert.equal(scored.length, manifests.filter(({ kind }) => kind !== 'ConfigMap').length)
    const found = scored.flatMap(({ type_meta: { kind }, object_meta: { name }, checks }) =>
      checks.filter(({ grade, skipped }) => !skipped && grade < FINE).map(({ check }) => `${check.id} ${kind}/${name}`),
    )
    assert.deepEqual(found.sort(), Object.keys(ACCEPTED).sort())
  })

  it('give HAProxy the configuration of deploy/, with a Service and a pod behind each of its servers', async () => {
    const configuration = await readFile(join(DEPLOY, 'haproxy.cfg'), 'utf8')
    const maps = manifests.filter(({ kind }) => kind === 'ConfigMap').flatMap(({ data }) => Object.entries(data ?? {}))
    assert.equal(Object.fromEntries(maps)['haproxy.cfg'], configuration)
    const { replicas, ordinals } = named('StatefulSet', 'foldgate')?.spec ?? assert.fail('no StatefulSet')
    const pods = Array.from({ length: replicas }, (_, number) => `foldgate-${ordinals.start + number}`)
    for (const backend of configuration.split(/^backend /m).slice(1)) {
      const servers = [...backend.matchAll(/^\tserver \S+ ([^:]+):(\d+)/gm)]
      assert.deepEqual(
        servers.map(([, host]) => host),
        pods,
      )
      for (const [, host = '', port] of servers) {
        const service = named('Service', host)
        assert.deepEqual(service?.spec.selector, { 'statefulset.kubernetes.io/pod-name': host })
        assert.ok(service.spec.ports.some(given => given.port === Number(port)))
      }
    }
  })

  it('contain no secret', () => {
    assert.ok(manifests.every(({ kind }) => kind !== 'Secret'))
    assert.doesNotMatch(rendered, /postgres:\/\/|AWS_SECRET_ACCESS_KEY:/)
  })
})
