import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const CHILD = fileURLToPath(new URL('./kept-vitest.mjs', import.meta.url))

/** Runs tests in a Vitest that is kept from run to run; one that hangs is ended, and the next run gets a new one. */
export class VitestRuns {
  #child

  /**
   * @param root the checkout whose tests run
   * @param variables of the tests' environment
   */
  constructor(root, workers, variables = {}) {
    this.root = root
    this.variables = { ...variables, WORKERS: String(workers) }
  }

  /**
   * @param changed files that are not as they were in the run before
   * @returns `{ failed, took, errors }`; undefined where the tests did not end in `limitMs`, or ended their process
   */
  async run(changed, tests, { bail, limitMs }) {
    this.#child ??= await this.#start()
    const child = this.#child
    const over = new AbortController()
    const timer = setTimeout(() => over.abort(), Math.round(limitMs))
    const ended = () => over.abort()
    child.once('exit', ended)
    child.send({ changed, tests, bail }, () => {}) // one that cannot be sent to has ended
    const [outcome] = await once(child, 'message', { signal: over.signal }).catch(() => [])
    clearTimeout(timer)
    child.off('exit', ended)
    if (outcome === undefined) this.end()
    return outcome
  }

  end() {
    const child = this.#child
    this.#child = undefined
    if (child === undefined) return
    try {
      process.kill(-child.pid, 'SIGKILL') // the group: the workers are processes of their own
    } catch (error) {
      if (error.code !== 'ESRCH') throw error // it has ended by itself
    }
  }

  async #start() {
    const env = { ...process.env, ...this.variables }
    const child = fork(CHILD, { cwd: this.root, env, detached: true, stdio: 'ignore' })
    await once(child, 'message')
    return child
  }
}
