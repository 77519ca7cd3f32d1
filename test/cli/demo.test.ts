import '../built.js'
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

test('the demo names a wrong variable of the environment in one line', () => {
  const { status, stderr } = spawnSync(process.execPath, ['dist/cli/main.js', 'demo'], {
    encoding: 'utf8',
    env: { ...process.env, ENCODING: 'gpt9' },
  })
  expect([status, stderr]).toEqual([1, expect.stringMatching(/^inlet: ENCODING must be .*gpt9.*\n$/)])
})

test('the demo shows tokens, windows, values and calls, and ends by itself', () => {
  const { status, stdout } = spawnSync(process.execPath, ['dist/cli/main.js', 'demo'], {
    encoding: 'utf8',
    env: { ...process.env, LOG_LEVEL: 'silent', NO_COLOR: '1', FORCE_COLOR: '' },
  })
  expect(status).toBe(0)
  expect(stdout).toContain('464 26335   286   262  "The Keeper of the"')
  expect(stdout).toContain('input_embeddings     [8, 4, 256]  float32')
  expect(stdout).toContain('-0.6244049')
  for (const title of ['# curl', '# Python', '// TypeScript']) expect(stdout).toContain(title)
  expect(stdout).not.toContain('\u001b[')
})
