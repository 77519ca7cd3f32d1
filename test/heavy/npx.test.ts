import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { freshMachine } from '../packages/tarball.js'

const LISTENING = /Server listening at (http:\S+?)"/

test('npx of the tarball in an empty folder is a service', async () => {
  const { folder, env, tarball } = freshMachine()
  const cwd = join(folder, 'empty')
  mkdirSync(cwd)
  // npm takes an absolute path for a command.
  const serve = ['serve', '--host', '127.0.0.1', '--port', '0', '--threads', '1']
  const given = ['exec', '--yes', '--', join('..', tarball), ...serve]
  const child = spawn('npm', given, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'close')
  try {
    let log = ''
    for await (const chunk of child.stdout) {
      log += chunk
      if (log.includes('"msg":"ready"') && LISTENING.test(log)) break
    }
    const [, url] = LISTENING.exec(log)!
    const answer = await fetch(`${url}/v1/tokenize`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text: 'Hello, world!' }),
    })
    expect(await answer.json()).toMatchObject({ input_ids: [15496, 11, 995, 0] })
    expect(readdirSync(cwd)).toEqual([])
  } finally {
    if (child.exitCode === null) process.kill(-child.pid!, 'SIGKILL')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
})
