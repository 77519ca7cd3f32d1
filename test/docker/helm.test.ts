import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import { describe as describeAlways, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { readConfig, VARIABLES } from '../../src/service/features.js'
import { type Container, containersOf, FILES } from './manifests.js'

const CHART = fileURLToPath(new URL('../../docker/helm/inlet/', import.meta.url))
const read = (path: string) => readFileSync(CHART + path, 'utf8')
const values = parse(read('values.yaml'))
const schema = JSON.parse(read('values.schema.json'))
const chart = parse(read('Chart.yaml'))
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))

/** An object of Kubernetes. */
type Manifest = {
  kind: string
  metadata: { name: string }
  spec: ReturnType<typeof parse>
  data?: Record<string, string>
}

/** A helm that `go install` has built knows no newer one than 1.20. */
const KUBERNETES = ['--kube-version', '1.33.0']
const helm = (...given: string[]) => spawnSync('helm', given, { encoding: 'utf8' })
const hasHelm = helm('version').status === 0
if (!hasHelm)
  console.warn('helm is not there: what the chart renders is not compared with docker/kubernetes/base')
const describe = describeAlways.skipIf(!hasHelm)

/** The objects of a release `inlet`, by kind, or by kind and name where there are two. */
function rendered(...flags: string[]): Record<string, Manifest> {
  const { status, stdout, stderr } = helm('template', 'inlet', CHART, '--skip-tests', ...KUBERNETES, ...flags)
  if (status !== 0) throw new Error(stderr)
  const objects = parseAllDocuments(stdout).flatMap((each) =>
    each.toJS() === null ? [] : [each.toJS() as Manifest],
  )
  return Object.fromEntries(
    objects.map((each) => [
      each.metadata.name === 'inlet' ? each.kind : `${each.kind} ${each.metadata.name}`,
      each,
    ]),
  )
}

/** Labels by which Helm knows its releases; the base has the name alone. */
const OF_HELM = [
  'helm.sh/chart',
  ...['instance', 'managed-by', 'version'].map((name) => `app.kubernetes.io/${name}`),
]

function withoutHelm<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutHelm) as T
  if (value === null || typeof value !== 'object') return value
  const own = Object.entries(value).filter(([key]) => !OF_HELM.includes(key))
  return Object.fromEntries(own.map(([key, inner]) => [key, withoutHelm(inner)])) as T
}

describeAlways('docker/helm/inlet', () => {
  it('has the version of the service', () => {
    expect([chart.version, chart.appVersion]).toEqual([version, version])
  })

  it('has a rule for each value, and values that follow the rules', () => {
    const validate = new Ajv({ strict: false }).compile(schema)
    for (const path of ['values.yaml', ...readdirSync(`${CHART}ci`).map((name) => `ci/${name}`)]) {
      const isRight = validate(parse(read(path)))
      expect([path, isRight, validate.errors]).toEqual([path, true, null])
    }
    const { global: _, ...own } = schema.properties
    expect(Object.keys(values).sort()).toEqual(Object.keys(own).sort())
  })

  it.each([
    ['env', { port: 8000 }],
    ['image', { name: 'inlet' }],
    ['service', { type: 'Cluster' }],
    ['data', { accessModes: [] }],
    ['operatorsPort', { port: 8000 }],
    ['ingress', { enabled: true, hosts: [] }],
    ['replica', 2],
  ])('refuses %s %j', (name, value) => {
    expect(new Ajv({ strict: false }).validate(schema, { [name]: value })).toBe(false)
  })
})

describe('the chart as helm renders it', () => {
  it('is docker/kubernetes/base if no value is given', () => {
    const objects = withoutHelm(rendered())
    for (const { kind } of Object.values(objects)) expect(objects[kind]).toBeDefined()
    const { resources, images } = FILES.get('base/kustomization.yaml')
    const base = Object.fromEntries(
      resources.map((path: string) => [
        FILES.get(`base/${path}`).kind,
        structuredClone(FILES.get(`base/${path}`)),
      ]),
    )
    for (const container of base.Deployment.spec.template.spec.containers)
      container.image = `${container.image}:${images[0].newTag}`
    expect(objects).toEqual(base)
  })

  it.each([
    ['with-keys', ['--set', 'keys.existingSecret=inlet-keys']],
    ['operators-port', ['--set', 'operatorsPort.enabled=true']],
    [
      'models-from-volume',
      ['--set', 'models.enabled=true', '--set', 'envFrom[0].configMapRef.name=inlet-models'],
    ],
  ])('has the parts of docker/kubernetes/%s', (folder, flags) => {
    const objects = rendered(...flags)
    const patch = FILES.get(`${folder}/deployment.yaml`)
    const [given] = containersOf(objects.Deployment)
    const [wanted] = containersOf(patch)
    const parts = ['env', 'envFrom', 'ports', 'volumeMounts'] as const
    for (const part of parts as readonly (keyof Container)[])
      expect(given[part] ?? []).toEqual(expect.arrayContaining((wanted[part] as unknown[]) ?? []))
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'] as const)
      expect(given[probe]).toMatchObject(wanted[probe] ?? {})
    const { volumes = [], securityContext = {} } = patch.spec.template.spec
    const pod = objects.Deployment.spec.template.spec
    expect(pod.volumes ?? []).toEqual(expect.arrayContaining(volumes))
    expect(pod.securityContext).toMatchObject(securityContext)
    const annotations = patch.spec.template.metadata?.annotations ?? {}
    expect(objects.Deployment.spec.template.metadata.annotations).toMatchObject(annotations)
    for (const path of (FILES.get(`${folder}/kustomization.yaml`).resources ?? []) as string[]) {
      const { kind, metadata, spec } = FILES.get(`${folder}/${path}`)
      expect(withoutHelm(objects[`${kind} ${metadata.name}`].spec)).toEqual(spec)
    }
  })

  it('has variables that the service takes, as they were given', () => {
    const file = `${CHART}ci/everything-values.yaml`
    const [{ env = [] }] = containersOf(rendered('-f', file).Deployment)
    for (const { name } of env) expect(VARIABLES.map((each) => each.name)).toContain(name)
    const given = Object.fromEntries(
      env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])),
    )
    expect(given).toMatchObject({
      MAX_BODY_BYTES: '67108864',
      LOG_LEVEL: 'warn',
      MODELS: 'gpt2=/models/gpt2-1',
    })
    const { API_KEYS_FILE: _, REQUIRE_KEYS: __, ...known } = given
    expect(() => readConfig(known)).not.toThrow()
  })

  it('has each part of everything, and keys as they were given', () => {
    const objects = rendered('-f', `${CHART}ci/everything-values.yaml`)
    expect(Object.keys(objects).sort()).toEqual(
      [
        ...[
          'Deployment',
          'HorizontalPodAutoscaler',
          'Ingress',
          'NetworkPolicy',
          'NetworkPolicy inlet-operators',
        ],
        ...['PersistentVolumeClaim inlet-data', 'PersistentVolumeClaim inlet-models', 'PodDisruptionBudget'],
        ...['PodMonitor', 'Secret inlet-keys', 'Service'],
      ].sort(),
    )
    const keys = Buffer.from(objects['Secret inlet-keys'].data!['api-keys'], 'base64').toString()
    expect(keys).toBe('ci:0123456789abcdef0123456789abcdef')
  })

  it('replaces a pod that learns, before the next one', () => {
    const { Deployment, ...rest } = rendered('-f', `${CHART}ci/one-pod-values.yaml`)
    expect(Deployment.spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } })
    expect(Deployment.spec.strategy).not.toHaveProperty('rollingUpdate')
    expect(Object.keys(rest)).toEqual(['Service'])
  })

  it('is nothing where a value is wrong: the rule and the value are named', () => {
    expect(() => rendered('--set', 'service.type=Cluster')).toThrow(/service.type/)
    expect(() => rendered('--set', 'replica=3')).toThrow(/replica/)
  })
})
