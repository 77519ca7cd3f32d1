import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FakeHub } from '../checkpoints/hub/fake-hub.js'
import { golden, TOKENIZER } from '../checkpoints/hub/pulling.js'
import { until } from '../until.js'
import { inFolder, runBuilt, start } from './run-command.js'
import { run } from './run-here.js'

let hub: FakeHub
beforeEach(async () => {
  hub = await FakeHub.start({ ...(await golden('gpt2')), ...TOKENIZER })
})
afterEach(() => hub.stop())

/** The environment of a user who has no token and no cache. */
const user = (folder: string) => ({ HF_ENDPOINT: hub.url, HF_HOME: join(folder, 'hf'), HF_TOKEN: '' })

describe('inlet pull', () => {
  test('puts a model into MODELS_DIR, reports its size, and prints the folder', async () => {
    await inFolder(async (folder) => {
      const env = { ...user(folder), MODELS_DIR: join(folder, 'models') }
      const { code, stdout, stderr } = await runBuilt(['pull', 'org/gpt2@main'], env)
      expect([code, stdout.toString()]).toEqual([0, `${folder}/models/gpt2\n`])
      expect(stderr).toMatch(/^org\/gpt2@01234567: 21\.0 of 73\.2 kB of weights are needed\n/)
      expect(stderr).toMatch(/\/models\/gpt2: 21\.0 of 73\.2 kB in .*, commit 01234567\nNext: inlet serve\n$/)
      expect(await readdir(join(folder, 'models', 'gpt2'))).toContain('inlet-source.json')
      const again = await run(['pull', 'org/gpt2'], env)
      expect([again.code, again.stderr]).toEqual([
        0,
        `${folder}/models/gpt2: commit 01234567 is there already\nNext: inlet serve\n`,
      ])
    })
  })

  test('puts it into the folder that --into names, and writes no progress with --quiet', async () => {
    await inFolder(async (folder) => {
      const target = join(folder, 'a', 'mine')
      const { code, stdout, stderr } = await run(['pull', 'org/gpt2', '--into', target, '-q'], user(folder))
      expect([code, stdout.toString(), stderr]).toEqual([0, `${target}\n`, ''])
      expect(await readdir(join(folder, 'a'))).toEqual(['mine'])
    })
  })

  test('sends the token of the environment to --endpoint', async () => {
    await inFolder(async (folder) => {
      const env = { ...user(folder), HF_ENDPOINT: 'http://127.0.0.1:1', HF_TOKEN: 'hf_mine' }
      const args = ['pull', 'org/gpt2', '--into', join(folder, 'm'), '--endpoint', hub.url]
      expect((await run(args, env)).code).toBe(0)
      expect(hub.seen[0].authorization).toBe('Bearer hf_mine')
    })
  })

  test('ends with 130 on SIGINT, and leaves nothing', async () => {
    await inFolder(async (folder) => {
      const target = join(folder, 'm')
      let isHeld = false
      hub.intercept = ({ server }) => {
        isHeld ||= server === 'files'
        return isHeld // and never answers
      }
      const { child, ended } = start(['pull', 'org/gpt2', '--into', target], user(folder))
      await until(() => isHeld)
      child.kill('SIGINT')
      const { code, stderr } = await ended
      expect([code, stderr]).toEqual([130, expect.stringMatching(/inlet: interrupted\n$/)])
      expect(await readdir(folder)).toEqual([])
    })
  })

  test.each([
    [[], /^inlet: Missing required argument 'ORG\/MODEL\[@REVISION\]'/],
    [['gpt2'], /^inlet: The model must be ORG\/MODEL or ORG\/MODEL@REVISION\. Given: gpt2\n/],
    [['../x'], /^inlet: The model must be ORG\/MODEL/],
    [['/etc/passwd'], /^inlet: The model must be ORG\/MODEL/],
    [['org/gpt2@../x'], /must be ORG\/MODEL or ORG\/MODEL@REVISION\. Given: org\/gpt2@\.\.\/x/],
    [['org/gpt2', '--timeout', '0'], /^inlet: --timeout must be seconds above 0/],
  ])('refuses %j with 2', async (args, message) => {
    const { code, stderr } = await run(['pull', ...args], { HF_ENDPOINT: hub.url })
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)])
    expect(hub.seen).toEqual([])
  })

  test('fails with 1 and one line', async () => {
    await inFolder(async (folder) => {
      hub.files.set('config.json', Buffer.from('{"model_type":"mobilebert"}'))
      const args = ['pull', 'org/gpt2', '--into', join(folder, 'm')]
      const { code, stderr, stdout } = await run(args, user(folder))
      const message = 'inlet: org/gpt2: config.json: `model_type` mobilebert is not served: its rows are made'
      expect([code, stdout.length, stderr]).toEqual([1, 0, expect.stringContaining(message)])
      const offline = await run(args, { ...user(folder), HF_HUB_OFFLINE: '1' })
      expect([offline.code, offline.stderr]).toEqual([
        1,
        'inlet: HF_HUB_OFFLINE is 1: nothing is downloaded.\n',
      ])
    })
  })

  test('names the folder that it cannot write', async () => {
    await inFolder(async (folder) => {
      const args = ['pull', 'org/gpt2', '--into', join(folder, 'file', 'm')]
      const made = await run(['tokenize', '-o', join(folder, 'file')], {}, 'a')
      expect(made.code).toBe(0)
      const { code, stderr } = await run(args, user(folder))
      expect([code, stderr]).toEqual([1, expect.stringMatching(/^inlet: .*(ENOTDIR|EEXIST).*\n$/)])
    })
  })
})
