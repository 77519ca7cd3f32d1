import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { drawing } from '../../attacks/harness/random.mjs'
import { end, flagsOf } from '../../attacks/harness/script.mjs'
import { startService } from '../../attacks/harness/service.mjs'
import { begin, callAt, KEY, numbersOf, sendCall, stateOf } from './trainer.mjs'

const HELP = `A service is killed with signal 9 at random moments while a trainer sends gradients and steps, and while it
starts. After each restart the SHA-256 of its checkpoint is the one after the last acknowledged call of an undisturbed run,
or the one after the call that was on its way; that call, sent again, gets the answer of the undisturbed run; the run ends
with the same checkpoint.

  npm run build && node test/learning/proofs/kills.mjs [--kills 200] [--seed 1]`

const flags = flagsOf(HELP, { kills: 200, seed: 1, 'calls-a-kill': 10, sync: 'always' })
const MODEL = 'trainer/learns'
const failures = []
const must = (holds, message) => holds || failures.push(message)
const folder = mkdtempSync(join(tmpdir(), 'inlet-kills-'))
const draw = drawing(flags.seed)
const calls = flags.kills * flags['calls-a-kill']
const numbers = numbersOf(calls)
const send = (port, index) => sendCall(port, MODEL_PATH, callAt(index), numbers[index])
const MODEL_PATH = encodeURIComponent(MODEL)

/** States and answers of a run that nobody disturbs: `states[k]` is that after k calls. */
async function undisturbed() {
  const service = await startService({ env: { ADMIN_KEY: KEY } })
  const states = []
  const answers = []
  await begin(service.port, MODEL_PATH)
  states.push(await stateOf(service.port, MODEL_PATH))
  for (let index = 0; index < calls; index++) {
    const { status, body } = await send(service.port, index)
    if (status !== 200) throw new Error(`call ${index}: ${status} ${body}`)
    answers.push(body.toString())
    states.push(await stateOf(service.port, MODEL_PATH))
  }
  service.kill()
  await service.exited
  return { states, answers }
}

const env = { ADMIN_KEY: KEY, DATA_DIR: folder, LEARNING_SYNC: flags.sync }
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
let done = 0
const counted = { kills: 0, atStart: 0, lost: 0, answerLost: 0, torn: 0 }
while (done < calls) {
  const isLast = counted.kills >= flags.kills
  const killAfter = isLast ? Number.POSITIVE_INFINITY : draw.upTo(flags['calls-a-kill'])
  for (let sent = 0; done < calls; sent++) {
    const answering = send(service.port, done)
    if (sent >= killAfter) {
      await delay(draw.random() * 5)
      service.kill()
    }
    const { status, body } = await answering
    if (status === 0) break
    must(status === 200 && body.toString() === answers[done], `call ${done}: ${status} ${body}`)
    done++
    if (sent >= killAfter) break
  }
  if (isLast || done === calls) break
  service.kill()
  counted.kills++
  await service.exited
  if (draw.chance(0.15)) {
    const dying = await startService({ env, atOnce: true })
    await delay(draw.random() * 1500)
    dying.kill()
    await dying.exited
    counted.kills++
    counted.atStart++
  }
  service = await started()
  if (service.log().includes('cut off its log')) counted.torn++
  const state = await stateOf(service.port, MODEL_PATH)
  if (state === states[done + 1] && done < calls) {
    const again = await send(service.port, done)
    must(again.status === 200 && again.body.toString() === answers[done], `call ${done} again: ${again.body}`)
    done++
    counted.answerLost++
  } else {
    must(state === states[done], `after kill ${counted.kills}, ${done} calls: another state`)
    if (state !== states[done]) break
    counted.lost++
  }
  if ((counted.kills & 31) === 0) console.log(`${counted.kills} kills, ${done} calls`)
}
must(done === calls, `${done} of ${calls} calls`)
const last = await stateOf(service.port, MODEL_PATH)
must(last === states.at(-1), `the last state: ${last}`)
service.kill()
await service.exited
const files = readdirSync(join(folder, 'learning', MODEL.replace('/', '@')))
console.log(
  `${counted.kills} kills, ${counted.atStart} of them during a start: ${counted.answerLost} found a call whose answer was lost, ` +
    `${counted.lost} none, ${counted.torn} a torn log. At the end: ${files.join(', ')}; ${last}`,
)
rmSync(folder, { recursive: true })
end(failures)
