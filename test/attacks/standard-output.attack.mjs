import { spawn } from 'node:child_process'
import { openSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { AnswerReader } from './harness/answers.mjs'
import { head, openConnection } from './harness/connections.mjs'
import { endWithUs } from './harness/keeper.mjs'

// A log that cannot be written: the disk is full, nobody reads the pipe, the pipe's reader has gone. Lines are lost,
// the service is not.

const REQUESTS = 3000

export const name = 'standard-output'
export const about =
  'standard output on a full disk, a full pipe, a closed pipe: then 3,000 requests, then SIGTERM'
export const variants = {
  'a full disk': { open: () => openSync('/dev/full', 'w') },
  'a pipe nobody reads': { open: () => pipeTo(['-c', 'exec sleep 600']) },
  'a pipe that is closed': { open: () => pipeTo(['-c', 'exec <&-; sleep 600']) },
}
export const env = { LOG_LEVEL: 'info', DRAIN_SECONDS: '1', SHUTDOWN_SECONDS: '6' }
export const limitMs = 80_000

export const stdout = ({ open }) => open()

/** The writing end of a pipe to a shell that does not read it. */
function pipeTo(args) {
  const child = endWithUs(spawn('sh', args, { stdio: ['pipe', 'ignore', 'ignore'], detached: false }))
  child.stdin.on('error', () => {})
  return child.stdin
}

export async function send(service) {
  const answered = await manyAnswers(service.port)
  const end = await service.stop(15_000)
  const said = end.hung
    ? 'SIGTERM unheard for 15 s'
    : `exit ${end.code} after ${(end.ms / 1000).toFixed(1)} s`
  return { answers: [], answered, end, endsIt: true, said: `${answered} of ${REQUESTS} answered; ${said}` }
}

/** How many of many small requests on one kept connection are answered within half a minute. */
async function manyAnswers(port) {
  const socket = openConnection(port)
  let answered = 0
  const ask = () => socket.write(head('GET', '/v1/models'))
  const done = new Promise((resolve) => {
    const reader = new AnswerReader(() => {
      answered++
      if (answered < REQUESTS) ask()
      else resolve()
    })
    socket.on('data', (chunk) => reader.feed(chunk)).on('close', resolve)
  })
  ask()
  await Promise.race([done, delay(30_000, undefined, { ref: false })])
  socket.destroy()
  return answered
}

export function expect({ answered, end }, must) {
  must.that(answered === REQUESTS, `every request must be answered: ${answered} of ${REQUESTS}`)
  must.that(!end.hung && end.code === 0, `SIGTERM must end it with 0: ${end.hung ? 'it hung' : end.code}`)
  must.atMost('the end', end.ms / 1000, 5, 's')
}
