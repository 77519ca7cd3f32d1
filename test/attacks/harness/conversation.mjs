import { AnswerReader, codeOf } from './answers.mjs'
import { openConnection } from './connections.mjs'

const KEPT_BYTES = 2048
/** After so long without a byte the client ends its half request. */
const QUIET_MS = 400

/**
 * Sends bytes as they are, ends our side when an answer has come whole or none comes, and reads on until the service
 * ends its own. Not before: Node drops the answer to a client whose end has come.
 *
 * @returns { answers: [{ status, code, headers, body, problem }], hung } `hung`: it did not within `patienceMs`
 */
export function conversation(port, bytes, patienceMs) {
  const bodiless = bytes.subarray(0, 5).toString('latin1') === 'HEAD '
  const socket = openConnection(port)
  const answers = []
  return new Promise((resolve) => {
    let patience
    const endOurs = () => {
      if (!socket.writableEnded) socket.end()
    }
    const quiet = setTimeout(endOurs, QUIET_MS)
    const reader = new AnswerReader(
      (answer) => {
        answers.push({ ...answer, code: codeOf(answer), problem: answer.cut ? 'cut' : undefined })
        endOurs()
      },
      { keep: KEPT_BYTES, bodiless },
    )
    const finish = (hung) => {
      clearTimeout(patience)
      clearTimeout(quiet)
      reader.end()
      socket.resetAndDestroy()
      resolve({ answers, hung, problem: socket.problem })
    }
    patience = setTimeout(finish, patienceMs, true)
    socket.on('data', (chunk) => {
      clearTimeout(quiet)
      reader.feed(chunk)
    })
    socket.on('end', () => finish(false)).on('close', () => finish(false))
    socket.write(bytes)
  })
}
