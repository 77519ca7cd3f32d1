import { setTimeout as delay } from 'node:timers/promises'
import { AnswerReader } from './harness/answers.mjs'
import { connected, head, openConnection } from './harness/connections.mjs'

// More connections than MAX_CONNECTIONS: those beyond are refused at once, who is connected is served on, and when
// the others have gone there is room again.

const LIVE = head('GET', '/health/live')

export const name = 'connections'
export const about = '12,000 connections where 10,000 are allowed; 600 where 500 are'
export const variants = {
  '12,000': { count: 12_000, most: 10_000 },
  600: { count: 600, most: 500, env: { MAX_CONNECTIONS: '500' } },
}
/** No new connection is taken while there is no room: the look from outside is refused too. */
export const bounds = { liveMs: undefined }

export async function send(service, { count }) {
  const first = client(service.port)
  await first.ask()
  const sockets = []
  for (let i = 0; i < count; i++) {
    sockets.push(openConnection(service.port).resume()) // who does not read does not see its end
    if (i % 200 === 199) await Promise.all(sockets.slice(-200).map(connected))
  }
  await delay(1000)
  const open = sockets.filter((socket) => !socket.destroyed && !socket.readableEnded).length
  const kept = await first.ask()
  for (const socket of sockets) socket.resetAndDestroy()
  await delay(1000)
  const again = await service.call({ path: '/health/live' })
  first.socket.destroy()
  const said = `${open} of ${count} stay open; a kept one ${kept ?? 'unserved'}; afterwards ${again.status}`
  return { answers: [again], open, kept, said }
}

/** A kept connection: `ask()` gives the next answer's status, undefined where none comes within 5 s. */
function client(port) {
  const socket = openConnection(port)
  let answered = () => {}
  const reader = new AnswerReader(({ status }) => answered(status))
  socket.on('data', (chunk) => reader.feed(chunk))
  const ask = () =>
    new Promise((resolve) => {
      answered = resolve
      setTimeout(resolve, 5000).unref()
      socket.write(LIVE)
    })
  return { socket, ask }
}

export function expect({ answers, open, kept }, must, { most }) {
  must.that(open <= most, `at most ${most} must stay open: ${open} did`)
  must.that(kept === 200, `a kept connection must be served on: ${kept}`)
  must.answered(answers, ['200'])
}
