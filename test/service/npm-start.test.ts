import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, expect, type TestContext, test } from 'vitest'
import { until } from '../until.js'
import { leash } from './leash.js'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** `npm start` as a separate group of processes, without the build: others use what is built. */
function npmStart({ onTestFinished }: TestContext) {
  const child = spawn('npm', ['start', '--ignore-scripts'], {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      HOST: '127.0.0.1',
      PORT: '0',
      EMBEDDING_DIM: '8',
      VOCAB_SIZE: '1000',
      THREADS: '1',
      DRAIN_SECONDS: '1',
    },
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  })
  leash(child)
  let log = ''
  child.stdout.on('data', (chunk) => (log += chunk))
  const group = -(child.pid as number)
  onTestFinished(() => {
    if (child.exitCode === null) process.kill(group, 'SIGKILL')
  })
  const ended = once(child, 'exit').then(([code]) => code as number | null)
  return { child, group, ended, log: () => log }
}

function lives(log: string): boolean {
  try {
    return process.kill(Number(/"pid":(\d+)/.exec(log)?.[1]), 0)
  } catch {
    return false
  }
}

describe.concurrent('under npm', () => {
  test('a signal to npm ends the service, in its own time and with 0', async (context) => {
    const { child, ended, log } = npmStart(context)
    await until(() => log().includes('all threads serve'))
    expect(lives(log())).toBe(true)
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
    expect(log()).toContain('"stopped"')
    expect(lives(log())).toBe(false)
  })

  test('Ctrl-C, which the terminal sends to npm and to the service, is one signal', async (context) => {
    const { group, ended, log } = npmStart(context)
    await until(() => log().includes('all threads serve'))
    process.kill(group, 'SIGINT')
    expect(await ended).toBe(0)
    expect(log()).toContain('"stopped"')
  })
})
