import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const hook = fileURLToPath(new URL('turns.cjs', import.meta.url))
let files = 0

/** Watches the turns of a service's first thread: `env` is for the service, `longest()` tells of those since the last look. */
export function watchTurns() {
  const file = join(tmpdir(), `inlet-turns-${process.pid}-${files++}`)
  writeFileSync(file, '')
  let told = 0
  return {
    env: { NODE_OPTIONS: `--require ${hook}`, INLET_TURNS: file },
    /** Milliseconds of processor time of the longest turn; 0 where none was longer than 50. */
    longest() {
      const lines = readFileSync(file, 'latin1').split('\n')
      const longest = Math.max(0, ...lines.slice(told, -1).map(Number))
      told = lines.length - 1
      return longest
    },
    end: () => rmSync(file, { force: true }),
  }
}
