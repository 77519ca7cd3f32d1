import { AnswerReader, codeOf } from './answers.mjs'
import { openConnection } from './connections.mjs'

const KEPT_BYTES = 2048

/**
 * Sends bytes as they are, ends our side, and reads all answers until the service ends its own.
 *
 * @returns { answers: [{ status, code, headers, body, problem }], hung } `hung`: it did not within `patienceMs`
 */
export function conversation(port, bytes, patienceMs) {
  const bodiless = bytes.subarray(0, 5).toString('latin1') === 'HEAD '
  const socket = openConnection(port)
  const answers = []
  return new Promise((resolve) => {
    let patience
    const reader = new AnswerReader(
      (answer) => answers.push({ ...answer, code: codeOf(answer), problem: answer.cut ? 'cut' : undefined }),
      { keep: KEPT_BYTES, bodiless },
    )
    const finish = (hung) => {
      clearTimeout(patience)
      reader.end()
      socket.resetAndDestroy()
      resolve({ answers, hung, problem: socket.problem })
    }
    patience = setTimeout(finish, patienceMs, true)
    socket.on('data', (chunk) => reader.feed(chunk))
    socket.on('end', () => finish(false)).on('close', () => finish(false))
    socket.end(bytes)
  })
}
