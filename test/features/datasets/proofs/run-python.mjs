import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { end, flagsOf } from '../../../attacks/harness/script.mjs'
import { startService } from '../../../attacks/harness/service.mjs'
import { findPython } from '../../../bench/harness/python.mjs'

/**
 * Runs Python scripts of this folder against a service and ends the process.
 *
 * @param modules what their Python must have
 * @param calls flags → a list of [script, …arguments]; each script gets the service's address first
 */
export async function runPython(help, modules, defaults, calls) {
  const flags = flagsOf(help, defaults)
  const python = findPython(...modules)
  if (python.absent) {
    console.log(`not run: ${python.absent}`)
    process.exit(2)
  }
  const service = await startService()
  const failures = []
  for (const [script, ...args] of await calls(flags)) {
    const path = fileURLToPath(new URL(script, import.meta.url))
    const started = performance.now()
    const { status } = spawnSync(python.path, [path, `http://127.0.0.1:${service.port}`, ...args], {
      stdio: 'inherit',
    })
    console.log(`${script}: ${Math.round((performance.now() - started) / 1000)} s`)
    if (status !== 0) failures.push(script)
  }
  service.kill()
  await service.exited
  end(failures)
}
