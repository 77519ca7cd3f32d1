import '../built.js'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { until } from '../until.js'
import { leash } from './leash.js'

const SERVER = fileURLToPath(new URL('../../dist/server.js', import.meta.url))

test('a terminal gets lines to read, and the address to open', async ({ skip }) => {
  skip(spawnSync('script', ['-qec', 'true', '/dev/null']).status !== 0, 'there is no script of util-linux')
  const variables = { THREADS: '1', VOCAB_SIZE: '1000', EMBEDDING_DIM: '8', PORT: '0', DRAIN_SECONDS: '0' }
  const child = spawn('script', ['-qec', `exec "${process.execPath}" "${SERVER}"`, '/dev/null'], {
    env: { PATH: process.env.PATH, SHELL: '/bin/sh', ...variables },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  leash(child)
  let shown = ''
  child.stdout.on('data', (chunk) => (shown += chunk))
  const ended = once(child, 'exit')
  await until(
    () => shown.includes('all threads serve') || child.exitCode !== null,
    'the service at a terminal',
  )
  const [, port] = /^\d\d:\d\d:\d\d Server listening at http:\/\/127\.0\.0\.1:(\d+)\r$/m.exec(shown) ?? []
  expect(shown).toMatch(new RegExp(`^\\d\\d:\\d\\d:\\d\\d open http://localhost:${port} in a browser; `, 'm'))
  expect(shown).not.toContain('{"level"')
  child.stdin.write('\u0003') // Ctrl+C
  await ended
  expect(shown).toContain('stopped')
})
