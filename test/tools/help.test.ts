import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const TESTS = fileURLToPath(new URL('..', import.meta.url))
const attacks = readdirSync(`${TESTS}/attacks`).filter((name) => /^[\w-]+\.mjs$/.test(name))
const tools = [
  ...['bench/run.mjs', 'nightly.mjs', 'nodes/run.mjs', 'recorded/run.mjs', 'docker/compose.sh'],
  ...attacks.map((name) => `attacks/${name}`),
]

test.concurrent.for(tools)('%s --help prints a page and does nothing else', async (tool) => {
  const [command, file] = [tool.endsWith('.sh') ? 'bash' : process.execPath, `${TESTS}/${tool}`]
  const { stdout, stderr } = await promisify(execFile)(command, [file, '--help'], { timeout: 30_000 })
  expect([stdout.length > 80, stdout.length < 4000, stderr]).toEqual([true, true, ''])
})
