import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { VARIABLES } from '../../src/service/features.js'
import { start } from './run-command.js'
import { run } from './run-here.js'

const flagOf = (variable: string) => `--${variable.toLowerCase().replaceAll('_', '-')}`

describe('inlet serve', () => {
  test('has each variable as a flag, in groups', async () => {
    const { code, stdout } = await run(['serve', '--help'])
    const page = stdout.toString()
    expect(code).toBe(0)
    for (const { name } of VARIABLES) expect(page, name).toMatch(new RegExp(`^  ${flagOf(name)} <`, 'm'))
    const titles = Array.from(page.matchAll(/^(\S.*):$/gm), ([, title]) => title)
    expect(titles).toEqual([
      ...['Options', 'Address and log', 'The default model', 'Models', 'Callers'],
      ...['Limits', 'The end', 'Datasets', 'Traces', 'Examples', 'Exit codes'],
    ])
  })

  test.each([
    [['--port', 'abc'], /^inlet: --port must be an integer from 0 to 65535\. Given: "abc"$/m],
    [['--encoding', 'bert'], /^inlet: --encoding must be one of gpt2/m],
    [['--prot', '80'], /^inlet: Unknown option '--prot' \(Did you mean --port\?\)$/m],
  ])('refuses %j with 2', async (args, message) => {
    const { code, stderr } = await run(['serve', ...args], { PORT: '0' })
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)])
  })

  test('takes flags before variables, and writes JSON where no terminal reads it', async () => {
    const { child, ended } = start(['serve', '--port', '0', '--threads', '1', '--log-level', 'info'], {
      ...{ PORT: '1', HOST: '127.0.0.1', LOG_LEVEL: 'silent', DRAIN_SECONDS: '0' },
    })
    for await (const chunk of child.stdout) if (String(chunk).includes('"msg":"ready"')) break
    child.kill('SIGTERM')
    expect((await ended).code).toBe(0)
  })
})

describe('inlet', () => {
  test.each([[['help']], [['help', 'tokenize']]])('%j is the page of --help', async (args) => {
    const page = await run(args)
    expect(page.stdout.toString()).toBe((await run([...args.slice(1), '--help'])).stdout.toString())
    expect([page.code, page.stdout.toString()]).toEqual([0, expect.stringMatching(/^Usage: inlet/)])
  })

  test.each([
    ['embed docs/sample.txt --context-length 8 --stride 1'],
    ['tokenize docs/sample.txt'],
    ['models test/goldens/models'],
  ])('%s ends in silence when its reader has had enough', (args) => {
    const shell = `node dist/cli/main.js ${args} | head -c 1; exit \${PIPESTATUS[0]}`
    const env = { ...process.env, EMBEDDING_DIM: '8' }
    const { status, stderr } = spawnSync('bash', ['-c', shell], { env, encoding: 'utf8' })
    expect([status, stderr.replace(/^Next: .*\n|^stdout: .*\n/gm, '')]).toEqual([
      0,
      expect.not.stringMatching(/EPIPE|not/),
    ])
  })
})
