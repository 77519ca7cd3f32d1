import '../built.js'
import { execFileSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** What npm tells of a package that it has packed. */
export interface Packed {
  readonly name: string
  /** Bytes of the tarball. */
  readonly size: number
  readonly files: readonly { readonly path: string }[]
}

/** A fresh machine for npm: its cache is empty, and no registry answers. `folder` has the package's tarball. */
export function freshMachine() {
  const folder = mkdtempSync(join(tmpdir(), 'install-'))
  const env = {
    ...process.env,
    npm_config_cache: join(folder, 'cache'),
    npm_config_registry: 'http://127.0.0.1:9/',
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
    LOG_LEVEL: 'info',
  }
  const npm = (cwd: string, ...given: string[]) =>
    execFileSync('npm', given, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  // Without its scripts: the other tests read dist at the same time.
  const packed = npm(ROOT, 'pack', '--ignore-scripts', '--json', '--pack-destination', folder)
  const [facts] = JSON.parse(packed)
  return { folder, env, npm, tarball: facts.filename as string, facts: facts as Packed }
}
