import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, posix } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig, VARIABLES } from '../../src/service/features.js'
import { type TestService, testService } from '../helper.js'
import { type Container, containersOf, FILES, ROOT } from './manifests.js'
import { readStages } from './stages.js'

const NAME = { 'app.kubernetes.io/name': 'inlet' }
const FOLDERS = [...new Set([...FILES.keys()].map((path) => dirname(path)))]
const deployment = FILES.get('base/deployment.yaml')
const [service, budget, autoscaler, policy] = [
  'service',
  'disruption-budget',
  'autoscaler',
  'network-policy',
].map((name) => FILES.get(`base/${name}.yaml`))
const pod = deployment.spec.template.spec
const container = pod.containers[0] as Container
const variable = (name: string) => VARIABLES.find((each) => each.name === name)

const stages = readStages(new URL('../../Dockerfile', import.meta.url))
const last = stages[stages.length - 1].instructions
const dockerfile = (keyword: string) => last.find((each) => each.keyword === keyword)?.text

let inlet: TestService
beforeAll(async () => {
  inlet = await testService()
})
afterAll(() => inlet.close())

describe.each(FOLDERS)('docker/kubernetes/%s', (folder) => {
  const kustomization = FILES.get(posix.join(folder, 'kustomization.yaml'))
  const named = [
    ...(kustomization.resources ?? []),
    ...(kustomization.components ?? []),
    ...(kustomization.patches ?? []).map(({ path }: { path: string }) => path),
  ] as string[]

  it('names what exists', () => {
    for (const path of named) expect(existsSync(new URL(posix.join(folder, path), ROOT)), path).toBe(true)
  })

  it('leaves no object out', () => {
    const isObject = (file: unknown) => Array.isArray(file) || (file as { kind?: string }).kind !== undefined
    const here = readdirSync(new URL(folder, ROOT)).filter(
      (name) => name.endsWith('.yaml') && isObject(FILES.get(posix.join(folder, name))),
    )
    expect(named.filter((path) => !path.startsWith('..')).sort()).toEqual(
      here.filter((name) => name !== 'kustomization.yaml').sort(),
    )
  })
})

describe('the objects of docker/kubernetes/base', () => {
  it('have one name and one label, by which they find the pods', () => {
    for (const object of [deployment, service, budget, autoscaler, policy]) {
      expect(object.metadata).toEqual({ name: 'inlet', labels: NAME })
    }
    expect(deployment.spec.template.metadata.labels).toEqual(NAME)
    expect(service.spec.selector).toEqual(NAME)
    for (const selector of [deployment.spec.selector, budget.spec.selector, policy.spec.podSelector])
      expect(selector).toEqual({ matchLabels: NAME })
    for (const { labelSelector } of pod.topologySpreadConstraints)
      expect(labelSelector).toEqual({ matchLabels: NAME })
    const { apiVersion, kind, metadata } = deployment
    expect(autoscaler.spec.scaleTargetRef).toEqual({ apiVersion, kind, name: metadata.name })
  })

  it('use the port of the image and of the configuration', () => {
    expect(container.ports).toEqual([{ name: 'http', containerPort: 8000 }])
    expect(dockerfile('EXPOSE')).toBe('8000')
    expect(variable('PORT')?.default).toBe('8000')
    expect(service.spec.ports.map(({ targetPort }: { targetPort: string }) => targetPort)).toEqual(['http'])
    expect(policy.spec.ingress[0].ports).toEqual([{ port: 'http' }])
    expect(deployment.spec.template.metadata.annotations['prometheus.io/port']).toBe('8000')
  })

  it('wait longer for the end of a pod than the service takes', () => {
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(Number(variable('SHUTDOWN_SECONDS')?.default))
    expect(container.lifecycle).toBeUndefined()
  })

  it('let a pod leave only when another one serves, and keep one on a node that is drained', () => {
    expect(deployment.spec.strategy.rollingUpdate).toEqual({ maxSurge: 1, maxUnavailable: 0 })
    expect(autoscaler.spec.minReplicas).toBeGreaterThan(budget.spec.maxUnavailable)
    expect(deployment.spec).not.toHaveProperty('replicas')
  })

  it('let nothing of the service out', () => {
    expect(policy.spec).toMatchObject({ policyTypes: ['Ingress', 'Egress'], egress: [] })
    expect(pod.automountServiceAccountToken).toBe(false)
  })
})

describe('the images of docker/kubernetes', () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))

  it('are of this version', () => {
    expect(FILES.get('base/kustomization.yaml').images).toEqual([{ name: 'inlet', newTag: version }])
    for (const path of ['kserve/serving-runtime.yaml', 'models-pulled/deployment.yaml'])
      expect(containersOf(FILES.get(path))[0].image, path).toBe(`inlet:${version}`)
  })
})

const containers = [...FILES].flatMap(([path, file]) => containersOf(file).map((each) => ({ path, ...each })))

describe.each(containers)('the container $name of docker/kubernetes/$path', (own) => {
  it('has only variables that the service reads, and values that it takes', () => {
    const isPull = own.command?.includes('pull')
    const env = (own.env ?? []).filter(
      ({ name }) => name !== 'TZ' && !(isPull && ['HOME', 'HF_TOKEN'].includes(name)),
    )
    for (const { name } of env) {
      if (!name.startsWith('OTEL_')) expect(variable(name), name).toBeDefined() // OpenTelemetry's SDK reads its own
    }
    const given = env.flatMap(({ name, value }) => {
      const isFile = name.endsWith('_FILE') || name === 'REQUIRE_KEYS'
      return value === undefined || isFile ? [] : [[name, value.replaceAll('{{.Name}}', 'gpt2-first-layer')]]
    })
    expect(() => readConfig(Object.fromEntries(given))).not.toThrow()
  })

  it('is probed at routes that answer', async () => {
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'] as const) {
      const { path, port } = own[probe]?.httpGet ?? { path: '/health/live', port: 'http' }
      expect(['http', 8000, 'operators']).toContain(port)
      expect((await inlet.app.inject(path)).statusCode, path).toBe(200)
    }
  })

  it('has only the rights that it needs, if it is defined', () => {
    if (own.image === undefined) return // a patch of a container that has them
    expect(own.securityContext).toMatchObject({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    expect(own.resources.limits).toHaveProperty('memory')
  })
})

describe('docker/kubernetes/by-bytes-in-flight', () => {
  it('names metrics that the service has', async () => {
    const [rule] = FILES.get('by-bytes-in-flight/adapter-rules.yaml').rules.custom
    const [patch] = FILES.get('by-bytes-in-flight/autoscaler.yaml')
    const { body: shown } = await inlet.app.inject('/metrics')
    const metrics = [...`${rule.seriesQuery} ${rule.metricsQuery}`.matchAll(/\binlet_\w+/g)].map(
      ([name]) => name,
    )
    expect(new Set(metrics)).toEqual(new Set(['inlet_bytes_in_flight', 'inlet_bytes_in_flight_limit']))
    for (const name of metrics) expect(shown).toContain(`\n${name} `)
    expect(patch.value.pods.metric.name).toBe(rule.name.as)
  })
})

describe('docker/kubernetes/operators-port', () => {
  it('moves probes and scrapes to the port that it opens, and lets operators reach it', () => {
    const patch = FILES.get('operators-port/deployment.yaml')
    const [own] = containersOf(patch)
    const [port] = own.ports ?? []
    expect(own.env).toEqual([{ name: 'ADMIN_PORT', value: String(port.containerPort) }])
    expect(patch.spec.template.metadata.annotations['prometheus.io/port']).toBe(String(port.containerPort))
    const { spec, metadata } = FILES.get('operators-port/network-policy.yaml')
    expect(metadata.name).not.toBe(policy.metadata.name)
    expect(spec.podSelector).toEqual(policy.spec.podSelector)
    expect(spec.ingress[0].ports).toEqual([{ port: port.name }])
    expect(spec.policyTypes).toEqual(['Ingress']) // the other policy still lets nothing out
  })
})

describe('docker/kubernetes/models-from-volume', () => {
  it('is used with the ConfigMap that it names, of models in the folder that it mounts', () => {
    const [own] = containersOf(FILES.get('models-from-volume/deployment.yaml')) as unknown as {
      envFrom: { configMapRef: { name: string } }[]
      volumeMounts: { mountPath: string; readOnly: boolean }[]
    }[]
    expect(own.volumeMounts).toMatchObject([{ mountPath: '/models', readOnly: true }])
    for (const folder of ['local/two-models', 'local/exchanged-model']) {
      const [map] = FILES.get(`${folder}/kustomization.yaml`).configMapGenerator
      expect(map.name).toBe(own.envFrom[0].configMapRef.name)
      const config = readConfig(Object.fromEntries(map.literals.map((each: string) => each.split(/=(.*)/s))))
      for (const { path } of config.MODELS ?? []) expect(path).toMatch(/^\/models\//)
      expect(config.MODELS).toHaveLength(2)
    }
  })
})

describe('docker/kubernetes/kserve', () => {
  it('has an InferenceService of the runtime beside it, in a format and a protocol of its', () => {
    const runtime = FILES.get('kserve/serving-runtime.yaml')
    const { model } = FILES.get('kserve/inference-service.yaml').spec.predictor
    expect(model.runtime).toBe(runtime.metadata.name)
    expect(runtime.spec.supportedModelFormats.map(({ name }: { name: string }) => name)).toContain(
      model.modelFormat.name,
    )
    expect(runtime.spec.protocolVersions).toContain(model.protocolVersion)
  })
})
