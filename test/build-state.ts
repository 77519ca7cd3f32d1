import type { TestProject } from 'vitest/node'
// @ts-expect-error a module without types
import { olderParts } from '../build.mjs'

declare module 'vitest' {
  interface ProvidedContext {
    /** The fault of `dist/`; null if it is as new as its sources. */
    staleBuild: string | null
  }
}

/** Each project of the tests calls this. */
let isTold = false

/**
 * Looks before any test whether `dist/` was built from the sources as they stand. Every test runs its kernels, so
 * that old ones stop the run; the service and the commands in it are used by some (`built.ts`), which fail alone.
 */
export default function setup(project: TestProject): void {
  const older: string[] = olderParts()
  const stale = older.length === 0 ? null : `dist is older than its sources (${older}): run npm run build.`
  if (stale !== null && older.includes('kernels')) throw new Error(stale)
  project.provide('staleBuild', stale)
  if (stale !== null && !isTold) process.stderr.write(`${stale} Tests of what is built will fail.\n`)
  isTold = true
}
