import { readFileSync } from 'node:fs'
import { inTurn } from '../calls.mjs'
import { conversation } from '../conversation.mjs'
import { memoryOf } from '../process-state.mjs'
import { requestOf } from './requests.mjs'

const AT_ONCE = 24
export const PATIENCE_MS = 15_000
const LOOKS = 10

/** Small limits: most of what is generated is then answered with a few kilobytes. */
export const ENV = {
  MAX_JSON_RESPONSE_BYTES: '1000000',
  MAX_RESPONSE_BYTES: '1000000',
  MAX_BODY_BYTES: '1000000',
  MAX_JSON_BODY_BYTES: '1000000',
}

/**
 * Sends requests 0 … count − 1 of a seed, each on a separate connection.
 *
 * @returns { counts, unanswered, memory, failures }: how many answers of which kind, resident bytes at ten moments and
 *   the end, a line for each answer that must not be
 */
export async function sendMutated(service, { count, seed }) {
  const documented = documentedErrors()
  const counts = new Map()
  const memory = []
  const failures = []
  let unanswered = 0
  await inTurn(count, AT_ONCE, async (i) => {
    if (service.ended) return
    if (i > 0 && i % Math.ceil(count / LOOKS) === 0) memory.push(memoryOf(service.pid)?.rss)
    const { kind, bytes } = requestOf(seed, i)
    const { answers, hung } = await conversation(service.port, bytes, PATIENCE_MS)
    if (hung) failures.push(`request ${i} (${kind}): the connection must end`)
    if (answers.length === 0) unanswered++
    for (const answer of answers) {
      const said = answer.code === undefined ? String(answer.status) : `${answer.status} ${answer.code}`
      counts.set(said, (counts.get(said) ?? 0) + 1)
      const wrong = whatIsWrong(answer, said, bytes, documented)
      if (wrong) failures.push(`request ${i} (${kind}): ${wrong}`)
    }
  })
  memory.push(memoryOf(service.pid)?.rss)
  if (service.ended) failures.push('the service must live on')
  if (service.errors() !== '')
    failures.push(`standard error must stay empty: ${service.errors().slice(0, 300)}`)
  return { counts, unanswered, memory, failures }
}

function whatIsWrong({ status, code, headers, problem }, said, bytes, documented) {
  if (problem !== undefined) return `${said} was ${problem}`
  if (status < 400) return undefined
  if (status >= 500 && status !== 503 && status !== 504) return said
  if (status === 503 && !(headers['retry-after'] > 0)) return `${said} without Retry-After`
  const isHead = bytes.subarray(0, 5).toString('latin1') === 'HEAD '
  if (!isHead && !documented.has(`${status} ${code}`)) return `${said} is not documented`
  return undefined
}

/** The table of docs/errors.md, which a test compares with the code: `400 invalid_json`, … */
function documentedErrors() {
  const page = readFileSync(new URL('../../../../docs/errors.md', import.meta.url), 'utf8')
  const rows = page.slice(page.indexOf('<!-- errors -->'), page.indexOf('<!-- /errors -->'))
  return new Set(
    [...rows.matchAll(/^\| (\d+) \| `([a-z_]+)` \|/gm)].map(([, status, code]) => `${status} ${code}`),
  )
}
