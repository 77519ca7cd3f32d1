import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const CHILD = fileURLToPath(new URL('./kept-vitest.mjs', import.meta.url))

/** Runs tests in a Vitest that is kept from run to run; one that hangs is ended, and the next run gets a new one. */
export class VitestRuns {
  #child

  /** @param root the checkout whose tests run */
  constructor(root, workers) {
    this.root = root
    this.workers = workers
  }

  /**
   * @param changed files that are not as they were in the run before
   * @returns `{ failed, took, errors }`; undefined where the tests did not end in `limitMs`
   */
  async run(changed, tests, { bail, limitMs }) {
    this.#child ??= await this.#start()
    this.#child.send({ changed, tests, bail })
    const signal = AbortSignal.timeout(limitMs)
    const [outcome] = await once(this.#child, 'message', { signal }).catch(() => [])
    if (outcome === undefined) this.end()
    return outcome
  }

  end() {
    // The group: the workers are processes of their own.
    if (this.#child !== undefined) process.kill(-this.#child.pid, 'SIGKILL')
    this.#child = undefined
  }

  async #start() {
    const env = { ...process.env, WORKERS: String(this.workers) }
    const child = fork(CHILD, { cwd: this.root, env, detached: true, stdio: 'ignore' })
    await once(child, 'message')
    return child
  }
}
