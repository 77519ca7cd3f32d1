import { readdirSync, readFileSync } from 'node:fs'
import { parse } from 'yaml'

export const ROOT = new URL('../../docker/kubernetes/', import.meta.url)

interface Probe {
  readonly httpGet: { path: string; port: string | number }
}

/** The fields of a container that a test reads. */
export interface Container {
  readonly name: string
  readonly image: string
  readonly command?: readonly string[]
  readonly ports?: readonly { name?: string; containerPort: number }[]
  readonly env?: readonly { name: string; value?: string }[]
  readonly resources: Record<'requests' | 'limits', Record<'cpu' | 'memory', string>>
  readonly securityContext: object
  readonly lifecycle?: object
  readonly startupProbe?: Probe
  readonly livenessProbe?: Probe
  readonly readinessProbe?: Probe
}

/** Every YAML file below docker/kubernetes, by its path there. A key that stands twice is an error. */
export const FILES = new Map(
  readdirSync(ROOT, { recursive: true })
    .map(String)
    .filter((path) => path.endsWith('.yaml'))
    .sort()
    .map((path) => [path, parse(readFileSync(new URL(path, ROOT), 'utf8'))]),
)

/** Each container of a file: of a Deployment, a patch of one, or a ServingRuntime. */
export function containersOf(file: { kind?: string; spec?: Record<string, unknown> }): Container[] {
  const spec = (file.spec?.template as { spec: Record<string, Container[]> } | undefined)?.spec ?? file.spec
  if (spec === undefined) return []
  return [...((spec.initContainers as Container[]) ?? []), ...((spec.containers as Container[]) ?? [])]
}
