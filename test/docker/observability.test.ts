import { existsSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { MODEL_STATES } from '../../src/models/entry.js'
import { type ServerProcess, startServer } from '../service/server-process.js'

const ROOT = new URL('../../docker/', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8')

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly for?: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary: string }
}
interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number }
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[]
}

const rules: readonly Rule[] = parse(read('observability/alerts.yaml')).groups.flatMap(
  ({ rules }: { rules: Rule[] }) => rules,
)
const prometheus = parse(read('observability/prometheus.yaml'))
const dashboard = JSON.parse(read('observability/grafana/inlet.json'))
const panels: readonly Panel[] = dashboard.panels
const compose = parse(read('compose.yaml'))

const KEY = 'a-key-of-this-test'

/** Metric → label → its values, as a service with keys shows them. */
const shown = new Map<string, Map<string, Set<string>>>()
let server: ServerProcess
beforeAll(async () => {
  server = startServer({
    EMBEDDING_DIM: '8',
    THREADS: '2',
    API_KEYS: `ann:${KEY}`,
  })
  await server.allServe()
  const url = `http://127.0.0.1:${await server.port()}`
  const authorization = `Bearer ${KEY}`
  const headers = { 'content-type': 'application/json', authorization }
  // A route has its durations from its first request on.
  const body = JSON.stringify({ text: 'a' })
  await fetch(`${url}/v1/input-embeddings`, { method: 'POST', headers, body })
  const quiet = ['/health/live', '/v2/health/live', '/v2/models/default/ready', '/metrics']
  for (const route of quiet) await fetch(`${url}${route}`, { headers: { authorization } })
  let text = ''
  const routes = ['/v1/input-embeddings', '/health/', '/v2/health/', '/v2/models/', '/metrics']
  const isThere = (route: string) => text.includes(`duration_seconds_bucket{le="0.005",route="${route}`)
  while (!text.includes('inlet_model_tokens_total{') || !routes.every(isThere)) {
    text = await (await fetch(`${url}/metrics`, { headers: { authorization } })).text()
  }
  for (const [, name, labels = ''] of text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    const known = shown.get(name) ?? new Map<string, Set<string>>()
    shown.set(name, known)
    for (const [, label, value] of labels.matchAll(/(\w+)="([^"]*)"/g)) {
      known.set(label, (known.get(label) ?? new Set()).add(value))
    }
  }
})
afterAll(async () => {
  server.kill()
  await server.exited
})

/** Labels that Prometheus itself adds. */
const OF_PROMETHEUS = ['job', 'instance']
/** Values that a service shows when they have been. */
const STATUS = Array.from({ length: 500 }, (_, i) => String(100 + i))

const expressions = [
  ...rules.map(({ alert, expr }) => [`alert ${alert}`, expr] as const),
  ...panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => [`panel ${title}`, expr] as const),
  ),
]

describe.each(expressions)('%s', (_, expr) => {
  const selectors = Array.from(
    expr.matchAll(/\b((?:inlet|process|nodejs)_\w+|up)(?:\{([^}]*)\})?/g),
    ([, name, matchers = '']) => ({
      name,
      matchers: Array.from(matchers.matchAll(/(\w+)(=~|!~|!=|=)"([^"]*)"/g), ([, ...each]) => each),
    }),
  )

  it('names metrics that the service has, with their labels and values', () => {
    expect(selectors.length).toBeGreaterThan(0)
    for (const { name, matchers } of selectors) {
      expect(matchers.find(([label]) => label === 'job')?.slice(1), name).toEqual(['=', 'inlet'])
      if (name === 'up') continue
      expect([...shown.keys()]).toContain(name)
      for (const [label, operator, value] of matchers) {
        if (OF_PROMETHEUS.includes(label)) continue
        const values = shown.get(name)?.get(label)
        expect(values, `${name}{${label}}`).toBeDefined()
        const isStatus = label === 'status' && !values!.has('none')
        const all = isStatus ? STATUS : label === 'state' ? MODEL_STATES : [...values!]
        const alternatives = operator.endsWith('~') ? value.split('|') : [value]
        for (const each of alternatives) {
          const pattern = new RegExp(`^(?:${operator.endsWith('~') ? each : each.replaceAll('.', '\\.')})$`)
          expect(
            all.some((known) => pattern.test(known)),
            `${name}{${label}: ${each}}`,
          ).toBe(true)
        }
      }
    }
  })

  it('groups by labels that these metrics have', () => {
    const known = [...OF_PROMETHEUS, ...selectors.flatMap(({ name }) => [...(shown.get(name)?.keys() ?? [])])]
    for (const [, labels] of expr.matchAll(/\bby \(([^)]*)\)/g)) {
      for (const label of labels.split(',')) expect(known).toContain(label.trim())
    }
  })
})

describe('the alerts', () => {
  it('give severity and summary, each by labels that its expression keeps', () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length)
    for (const { alert, expr, labels, annotations } of rules) {
      expect(['critical', 'warning'], alert).toContain(labels.severity)
      const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, each]) => each.split(/, */))
      const kept = grouped.length === 0 ? OF_PROMETHEUS : grouped
      for (const [, label] of annotations.summary.matchAll(/\$labels\.(\w+)/g)) {
        expect(kept, alert).toContain(label)
      }
    }
  })

  it('count no answer to a probe among the errors', () => {
    const { expr } = rules.find(({ alert }) => alert === 'InletErrors')!
    const left = Array.from(expr.matchAll(/route!~"([^"]*)"/g), ([, routes]) => new RegExp(`^(?:${routes})$`))
    expect(left).toHaveLength(2)
    const routes = [...shown.get('inlet_http_requests_total')!.get('route')!]
    const probes = routes.filter((route) => /\/(live|ready)$/.test(route))
    expect(probes.length).toBeGreaterThanOrEqual(6)
    for (const pattern of left) expect(routes.filter((route) => pattern.test(route))).toEqual(probes)
  })

  it('have a section each in docs/operations.md, and no section is left over', () => {
    const page = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8')
    const sections = Array.from(page.matchAll(/^### (Inlet\w+)$/gm), ([, name]) => name)
    expect(sections).toEqual(rules.map(({ alert }) => alert))
  })
})

describe('the dashboard', () => {
  it('lays its panels side by side, each with another number', () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    const cells = new Set<string>()
    for (const { title, gridPos } of panels) {
      expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24)
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(cells.has(`${x} ${y}`), title).toBe(false)
          cells.add(`${x} ${y}`)
        }
      }
    }
  })

  it('shows every metric of the service’s own', () => {
    const text = expressions.map(([, expr]) => expr).join('\n')
    const families = [...shown.keys()].map((name) => name.replace(/_(bucket|sum|count)$/, ''))
    const own = families.filter((name) => name.startsWith('inlet_'))
    const NOT_FOR_SIGHT = ['inlet_tensors', 'inlet_backend_info']
    for (const name of new Set(own)) if (!NOT_FOR_SIGHT.includes(name)) expect(text).toContain(name)
  })
})

describe('docker/compose.yaml', () => {
  const others = ['prometheus', 'grafana'] as const

  it('starts Prometheus and Grafana where the profile asks for them, with no rights, on this machine alone', () => {
    expect(Object.keys(compose.services)).toEqual(['inlet', ...others])
    expect(compose.services.inlet.profiles).toBeUndefined()
    for (const name of others) {
      const service = compose.services[name]
      expect(service.profiles).toEqual(['observability'])
      expect(service.image).toMatch(/:v?\d+\.\d+\.\d+$/)
      expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'] })
      expect(service.security_opt).toEqual(['no-new-privileges:true'])
      for (const port of service.ports) expect(port).toMatch(/^127\.0\.0\.1:/)
    }
  })

  it('mounts files that exist, read-only, at the paths that the services read', () => {
    const own = ['../models:/models:ro', 'data:/data']
    expect(compose.services.inlet.volumes).toEqual(own)
    expect(compose.services.inlet.environment).toMatchObject({ MODELS_DIR: '/models', DATA_DIR: '/data' })
    const mounts = others.flatMap((name) => compose.services[name].volumes as string[])
    const files = mounts.filter((mount) => mount.startsWith('./')).map((mount) => mount.split(':'))
    for (const [from, , mode] of files) {
      expect(existsSync(new URL(from, ROOT)), from).toBe(true)
      expect(mode).toBe('ro')
    }
    const volumes = mounts.filter((mount) => !mount.startsWith('./')).map((mount) => mount.split(':')[0])
    expect(volumes).toEqual(Object.keys(compose.volumes).filter((name) => name !== 'data'))
    const at = Object.fromEntries(files.map(([from, to]) => [to, from]))
    const config = compose.services.prometheus.command.find((each: string) => each.startsWith('--config'))
    const path = config.split('=')[1]
    expect(at[path]).toBe('./observability/prometheus.yaml')
    for (const file of prometheus.rule_files) {
      expect(at[posix.join(posix.dirname(path), file)]).toBe('./observability/alerts.yaml')
    }
    const provider = parse(read('observability/grafana/provisioning/dashboards/inlet.yaml')).providers[0]
    const home = compose.services.grafana.environment.GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH
    expect(at[home]).toBe('./observability/grafana/inlet.json')
    expect(posix.dirname(home)).toBe(provider.options.path)
  })

  it('lets Prometheus find the service, and Grafana find Prometheus', () => {
    const [job] = prometheus.scrape_configs
    expect(job).toMatchObject({ job_name: 'inlet', metrics_path: '/metrics' })
    expect(job.static_configs[0].targets).toEqual(['inlet:8000'])
    const [source] = parse(read('observability/grafana/provisioning/datasources/prometheus.yaml')).datasources
    expect(source.url).toBe('http://prometheus:9090')
    expect(dashboard.templating.list[0]).toMatchObject({ type: 'datasource', query: source.type })
  })
})
