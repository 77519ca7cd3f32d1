import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { drawing } from '../../../attacks/harness/random.mjs'
import { end, flagsOf } from '../../../attacks/harness/script.mjs'
import { startService } from '../../../attacks/harness/service.mjs'
import { begin, callAt, KEY, saveCheckpoint, sendCall, stateOf } from './trainer.mjs'

const HELP = `A service is killed with signal 9 at random moments while a trainer sends gradients, steps and, now and then, asks
for a checkpoint on the disk, and while it starts. After each restart the SHA-256 of its checkpoint is that of the last
acknowledged one, or of the one that was on its way; the trainer goes on from there, and the run ends with the checkpoint of
an undisturbed one.

  npm run build && node test/features/learning/proofs/kills.mjs [--kills 200] [--seed 1]`

const flags = flagsOf(HELP, { kills: 200, seed: 1, 'calls-a-kill': 10, 'calls-a-checkpoint': 3 })
const MODEL = 'trainer/learns'
const failures = []
const must = (holds, message) => holds || failures.push(message)
const folder = mkdtempSync(join(tmpdir(), 'inlet-kills-'))
const draw = drawing(flags.seed)
const calls = flags.kills * flags['calls-a-kill']
const send = (port, index) => sendCall(port, MODEL_PATH, callAt(index), `call-${index}`)
/** An answer without the version of the tables, which is another one after a kill. */
const said = (body) => body.toString().replace(/"model_version":"\d+"/, '')
const MODEL_PATH = encodeURIComponent(MODEL)

/** States and answers of an undisturbed run: `states[k]` is that after k calls. */
async function undisturbed() {
  const service = await startService({ env: { ADMIN_KEY: KEY } })
  const states = []
  const answers = []
  await begin(service.port, MODEL_PATH)
  states.push(await stateOf(service.port, MODEL_PATH))
  for (let index = 0; index < calls; index++) {
    const { status, body } = await send(service.port, index)
    if (status !== 200) throw new Error(`call ${index}: ${status} ${body}`)
    answers.push(said(body))
    states.push(await stateOf(service.port, MODEL_PATH))
  }
  service.kill()
  await service.exited
  return { states, answers }
}

const env = { ADMIN_KEY: KEY, DATA_DIR: folder }
const { states, answers } = await undisturbed()
console.log(`an undisturbed run of ${calls} calls: ${states.at(-1)}`)

/** A service that serves: one whose port another process took first ends by itself, and is started again. */
async function started() {
  for (;;) {
    const next = await startService({ env })
    await delay(20)
    if (!next.ended) return next
    const { code, signal, log } = await next.exited
    console.log(`a start ended with ${code ?? signal}: ${next.errors()} ${log.slice(-300)}`)
    must(/EADDRINUSE|in use/.test(next.errors() + log), 'a start must not end by itself')
  }
}

let service = await started()
await begin(service.port, MODEL_PATH)
await saveCheckpoint(service.port, MODEL_PATH)
let [done, saved] = [0, 0]
const counted = { kills: 0, atStart: 0, onItsWay: 0 }
while (done < calls) {
  const isLast = counted.kills >= flags.kills
  const killAfter = isLast ? Number.POSITIVE_INFINITY : draw.upTo(flags['calls-a-kill'])
  let saving
  for (let sent = 0; done < calls && sent < killAfter; sent++) {
    const { status, body } = await send(service.port, done)
    must(status === 200 && said(body) === answers[done], `call ${done}: ${status} ${body}`)
    done++
    if (done % flags['calls-a-checkpoint'] !== 0) continue
    saving = saveCheckpoint(service.port, MODEL_PATH)
    if (sent === killAfter - 1) break // the kill comes while it is written
    must((await saving).status === 200, `a checkpoint after call ${done}`)
    saved = done
    saving = undefined
  }
  if (isLast) break
  await delay(draw.random() * 5)
  service.kill()
  counted.kills++
  await service.exited
  if (saving !== undefined && (await saving).status === 200) saved = done
  if (draw.chance(0.15)) {
    const dying = await startService({ env, atOnce: true })
    await delay(draw.random() * 1500)
    dying.kill()
    await dying.exited
    counted.kills++
    counted.atStart++
  }
  service = await started()
  const state = await stateOf(service.port, MODEL_PATH)
  if (saving !== undefined && saved !== done && state === states[done]) {
    saved = done
    counted.onItsWay++
  }
  must(
    state === states[saved],
    `after kill ${counted.kills}, ${saved} calls in the checkpoint: another state`,
  )
  if (state !== states[saved]) break
  done = saved
}
must(done === calls, `${done} of ${calls} calls`)
const last = await stateOf(service.port, MODEL_PATH)
must(last === states.at(-1), `the last state: ${last}`)
service.kill()
await service.exited
const files = readdirSync(join(folder, 'learning', MODEL.replace('/', '@')))
console.log(
  `${counted.kills} kills, ${counted.atStart} of them during a start: ${counted.onItsWay} found a checkpoint whose answer was ` +
    `lost. At the end: ${files.join(', ')}; ${last}`,
)
rmSync(folder, { recursive: true })
end(failures)
