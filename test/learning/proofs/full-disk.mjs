import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { end, flagsOf } from '../../attacks/harness/script.mjs'
import { startService } from '../../attacks/harness/service.mjs'
import { begin, callAt, KEY, sendCall, stateOf } from './trainer.mjs'

const HELP = `A disk that becomes full (a tmpfs, where this user may mount one), a process that may write no larger file
(RLIMIT_FSIZE, by prlimit), and numbers at the end of their range: a call is 200 and has its effect, or is refused and has
none.

  npm run build && node test/learning/proofs/full-disk.mjs`

flagsOf(HELP, {})
const failures = []
const must = (holds, message) => holds || failures.push(message)
const folder = mkdtempSync(join(tmpdir(), 'inlet-full-'))
const gradients = (index) => ({ ...callAt(8 * index), writer: 'a' })

/** Sends calls until one is refused: its answer, its index, and the state before it. */
async function untilRefused(port, id, first = 0) {
  for (let index = first; ; index++) {
    const state = await stateOf(port, id)
    const { status, body } = await sendCall(port, id, gradients(index), index + 1)
    if (status !== 200) return { index, state, status, text: body.toString() }
  }
}

/** What holds after a refusal: no effect here, none after a restart; the same call is taken where there is room. */
async function refusedThenTaken(label, service, env, { index, state, status, text }, makeRoom) {
  must(status === 507, `${label}: ${status} ${text.slice(0, 200)}`)
  must((await stateOf(service.port, 'learns')) === state, `${label}: the refused call had an effect`)
  makeRoom()
  const again = await sendCall(service.port, 'learns', gradients(index), index + 1)
  must(again.status === 200, `${label}, with room again: ${again.status} ${again.body}`)
  const last = await stateOf(service.port, 'learns')
  service.kill()
  await service.exited
  const next = await startService({ env })
  must((await stateOf(next.port, 'learns')) === last, `${label}: another state after a restart`)
  next.kill()
  await next.exited
  console.log(
    `${label}: call ${index + 1} is 507 and has no effect; with room it is taken, and there after a kill`,
  )
}

async function fullDisk() {
  const dir = join(folder, 'full')
  mkdirSync(dir)
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=6m', 'tmpfs', dir], { stdio: 'ignore' })
  } catch {
    console.log('a full disk: not run, this user may not mount a tmpfs')
    return
  }
  try {
    const ballast = join(dir, 'ballast')
    writeFileSync(ballast, Buffer.alloc(2 ** 20))
    const env = { ADMIN_KEY: KEY, DATA_DIR: dir }
    const service = await startService({ env })
    await begin(service.port, 'learns')
    const refused = await untilRefused(service.port, 'learns')
    await refusedThenTaken('a full disk', service, env, refused, () => rmSync(ballast))
  } finally {
    execFileSync('umount', [dir])
  }
}

async function limitedFiles() {
  const dir = join(folder, 'limited')
  const env = { ADMIN_KEY: KEY, DATA_DIR: dir }
  const service = await startService({ env })
  await begin(service.port, 'learns')
  const limit = (bytes) =>
    new Promise((resolve) => {
      const child = spawn('prlimit', ['--pid', String(service.pid), `--fsize=${bytes}`], { stdio: 'ignore' })
      child.once('error', () => resolve(false))
      child.once('exit', (code) => resolve(code === 0))
    })
  if (!(await limit('2000000:unlimited'))) {
    console.log('a limit of file sizes: not run, there is no prlimit')
    service.kill()
    return
  }
  const refused = await untilRefused(service.port, 'learns').catch((error) => ({ problem: error.message }))
  if (service.ended || refused.status === 0) {
    // Node.js does not ignore SIGXFSZ: the system ends the process, as a kill does.
    const { signal } = await service.exited
    const next = await startService({ env })
    const { body } = await sendCall(next.port, 'learns', gradients(10_000), 10_001)
    must(/must be \d+, the next/.test(body.toString()), `after SIGXFSZ: ${body}`)
    console.log(`a limit of file sizes: the process was ended by ${signal}; the next one goes on`)
    next.kill()
    return
  }
  await limit('unlimited:unlimited')
  await refusedThenTaken('a limit of file sizes', service, env, refused, () => {})
}

async function numbers() {
  const service = await startService({ env: { ADMIN_KEY: KEY, DATA_DIR: join(folder, 'numbers') } })
  await begin(service.port, 'learns')
  const state = await stateOf(service.port, 'learns')
  const cases = [
    [2 ** 53 - 1, 409],
    [2 ** 53, 400],
    ['9007199254740993', 400],
    ['0', 400],
    ['-1', 400],
    ['1e3', 400],
    ['18446744073709551617', 400],
  ]
  for (const [number, status] of cases) {
    const answer = await sendCall(service.port, 'learns', gradients(0), number)
    must(answer.status === status, `X-Sequence ${number}: ${answer.status} ${answer.body}`)
  }
  must((await stateOf(service.port, 'learns')) === state, 'a refused number had an effect')
  console.log(`X-Sequence ${cases.map(([number]) => number).join(', ')}: refused, without effect`)
  service.kill()
  await service.exited
}

await numbers()
await fullDisk()
await limitedFiles()
rmSync(folder, { recursive: true })
end(failures)
