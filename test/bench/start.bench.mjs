import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { atMost } from './harness/floors.mjs'
import { median, takeTurns } from './harness/rounds.mjs'
import { freePort } from './harness/service.mjs'
import { SMOKE } from './harness/smoke.mjs'
import { figure } from './harness/text.mjs'

/** The service's own modules as they are written, before they are bundled with what they import. */
const MODULES = fileURLToPath(new URL('../../build', import.meta.url))
const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** From the process' start to the line that says `ready`, beside a process that imports the same packages. */
export async function bench({ rounds }) {
  const imports = packages()
  const script = `${imports.map((name) => `import ${JSON.stringify(name)}`).join(';')};console.log('ready')`
  const figures = await takeTurns(SMOKE ? 1 : rounds * 2 + 1, {
    Inlet: async () =>
      milliseconds(['dist/server.js'], {
        PORT: String(await freePort()),
        HOST: '127.0.0.1',
        LOG_LEVEL: 'info',
        TF_BACKEND: 'cpu',
      }),
    imports: () => milliseconds(['--input-type=module', '--eval', script], {}),
    node: () => milliseconds(['--eval', "console.log('ready')"], {}),
  })
  const more = median(figures.Inlet.map((taken, round) => taken - figures.imports[round]))
  return {
    title: 'Start to ready, milliseconds',
    notes: [`The service imports ${imports.length} modules of packages and of Node, as npm installs them.`],
    head: ['Inlet', 'a process with the same imports', 'between them', 'Node alone'],
    rows: [[median(figures.Inlet), median(figures.imports), more, median(figures.node)].map(figure)],
    floors: [
      atMost('start to ready beside the imports', more, 300, 'ms'),
      atMost('start to ready', median(figures.Inlet), 1000, 'ms'),
    ],
  }
}

/** The packages that the service imports at its start; it runs bundled with them. */
function packages() {
  const files = readdirSync(MODULES, { recursive: true }).filter((file) => file.endsWith('.js'))
  const names = files.flatMap((file) => {
    const source = readFileSync(join(MODULES, file), 'utf8')
    return [...source.matchAll(/^(?:import|export) (?:.*?from )?'([^.'][^']*)'/gm)].map(([, name]) => name)
  })
  return [...new Set(names), 'js-tiktoken/ranks/gpt2'].sort()
}

/** Until the process prints a line with `ready`. */
async function milliseconds(args, env) {
  const start = performance.now()
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const chunk of child.stdout) if (/\bready\b/.test(String(chunk))) break
  const taken = performance.now() - start
  child.kill('SIGKILL')
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  return taken
}
