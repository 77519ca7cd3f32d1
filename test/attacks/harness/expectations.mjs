/** The documented answers that are not the caller's fault. */
const BUSY = new Set(['503 overloaded', '503 loading', '504 deadline_exceeded'])

/** The service's answers in one line: `196 × 503 overloaded, 4 × 200`. */
export function summary(answers) {
  const counts = new Map()
  for (const answer of answers) {
    const text = textOf(answer)
    counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  const rows = [...counts].sort(([, a], [, b]) => b - a)
  return rows.map(([text, count]) => (answers.length === 1 ? text : `${count} × ${text}`)).join(', ')
}

function textOf({ status, code, problem }) {
  if (status === 0) return `none (${problem})`
  const said = code === undefined ? String(status) : `${status} ${code}`
  return problem === undefined || problem === 'left' ? said : `${said}, ${problem}`
}

/** Checks for an attack's `expect`; each that fails is a line in `failures`. */
export class Expectations {
  failures = []
  /** How many of them are about times, which other work on the machine can spoil. */
  timing = 0

  that(holds, message) {
    if (!holds) this.failures.push(message)
  }

  atMost(what, number, limit, unit) {
    const said = number === undefined ? 'unknown' : `${number.toFixed(number < 10 ? 1 : 0)} ${unit}`
    this.that(number !== undefined && number <= limit, `${what} must be at most ${limit} ${unit}: ${said}`)
  }

  /** Each answer is one of these: `200`, `400 invalid_request`, `4xx` (any error of the caller's, in our form). */
  answered(answers, allowed) {
    const wrong = answers.filter((answer) => !allowed.some((form) => matches(answer, form)))
    this.that(wrong.length === 0, `every answer must be ${allowed.join(' or ')}: ${summary(wrong)}`)
    this.busyIsPolite(answers)
  }

  /** Each answer is what the route gives, an error of the caller's, or a refusal for want of room. */
  answeredOrRefused(answers, allowed = ['200']) {
    this.answered(answers, [...allowed, ...BUSY])
  }

  /** A refusal for want of room has `Retry-After`. */
  busyIsPolite(answers) {
    const bare = answers.filter(({ status, headers }) => status === 503 && !(headers['retry-after'] > 0))
    this.that(bare.length === 0, `503 must say Retry-After: ${bare.length} did not`)
  }
}

function matches({ status, code, problem }, form) {
  if (problem !== undefined && problem !== 'left') return form === problem
  if (form === '4xx') return status >= 400 && status < 500 && code !== undefined
  const [wanted, wantedCode] = form.split(' ')
  return status === Number(wanted) && (wantedCode === undefined || code === wantedCode)
}
