import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** What is wrong with `dist/`; null where it is as new as its sources. */
    staleBuild: string | null
  }
}

const KERNELS = 'src/first-layer/kernels/assembly'

/** Each project of the tests calls this. */
let isTold = false

/**
 * Looks before any test whether `dist/` was built from the sources as they stand. Every test runs its kernels, so
 * that old ones stop the run; the service and the commands in it are used by some (`built.ts`), which fail alone.
 */
export default function setup(project: TestProject): void {
  const kernels = staleness('dist/kernels', [KERNELS])
  if (kernels !== null) throw new Error(kernels)
  const stale = staleness('dist/server.js', ['src', 'rolldown.config.ts'])
  project.provide('staleBuild', stale)
  if (stale !== null && !isTold) process.stderr.write(`${stale} Tests of what is built will fail.\n`)
  isTold = true
}

/** `dist/server.js is older than src/app.ts: run npm run build.` */
function staleness(built: string, sources: readonly string[]): string | null {
  const builtAt = oldest(built)
  const [newest] = sources.flatMap(filesIn).sort((a, b) => b.changed - a.changed)
  if (builtAt !== undefined && builtAt >= newest.changed) return null
  const reason = builtAt === undefined ? 'is not built' : `is older than ${newest.path}`
  return `${built} ${reason}: run npm run build.`
}

interface SourceFile {
  readonly path: string
  readonly changed: number
}

function filesIn(path: string): SourceFile[] {
  const stat = statSync(path)
  if (!stat.isDirectory()) return [{ path, changed: stat.mtimeMs }]
  return readdirSync(path).flatMap((name) => filesIn(join(path, name)))
}

function oldest(path: string): number | undefined {
  try {
    return Math.min(...filesIn(path).map(({ changed }) => changed))
  } catch {
    return undefined
  }
}
