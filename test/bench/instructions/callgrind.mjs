import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { freePort } from '../harness/service.mjs'

/** Valgrind is Debian's package of that name. */
export const hasValgrind = spawnSync('valgrind', ['--version']).error === undefined

const READY_LOOK_MS = 200
const OPTIONS = [
  '--tool=callgrind',
  '--instr-atstart=no',
  '--smc-check=all-non-file',
  '--separate-threads=yes',
]

/** A service that valgrind runs, so that its instructions can be counted: those of the processor's user mode. */
export class CountedService {
  #folder = mkdtempSync(join(tmpdir(), 'inlet-bench-callgrind-'))
  #seen = new Set()

  /** @param server path of a built `server.js` */
  static async start(server, env) {
    const service = new CountedService()
    await service.#start(server, env)
    return service
  }

  async #start(server, env) {
    const port = await freePort()
    this.url = `http://127.0.0.1:${port}`
    const out = join(this.#folder, 'out')
    this.child = spawn('valgrind', [...OPTIONS, `--callgrind-out-file=${out}`, process.execPath, server], {
      env: { ...process.env, HOST: '127.0.0.1', PORT: String(port), TF_BACKEND: 'cpu', ...env },
      stdio: 'ignore',
    })
    const ended = once(this.child, 'exit').then(() => {
      throw new Error(`${server} ended before it was ready`)
    })
    ended.catch(() => {}) // told below, if it comes before the service is ready
    await Promise.race([this.#ready(), ended])
  }

  async #ready() {
    for (;;) {
      const answer = await fetch(`${this.url}/health/ready`).catch(() => undefined)
      if (answer?.ok) return
      await setTimeout(READY_LOOK_MS)
    }
  }

  /**
   * Counts the instructions of `work`.
   *
   * @returns instructions of the first thread, which serves, and of all threads: V8 compiles and collects in others
   */
  async count(work) {
    this.#control('--instr=on')
    await work()
    this.#control('--instr=off')
    this.#control('--dump')
    await setTimeout(1000) // the files are written after the command has returned
    const counts = { first: 0, all: 0 }
    for (const name of readdirSync(this.#folder)) {
      const text = readFileSync(join(this.#folder, name), 'latin1')
      const thread = /^thread: (\d+)$/m.exec(text)?.[1]
      const total = Number(/^totals: (\d+)$/m.exec(text)?.[1])
      if (this.#seen.has(name) || thread === undefined || Number.isNaN(total)) continue
      this.#seen.add(name)
      counts.all += total
      if (thread === '1') counts.first += total
    }
    return counts
  }

  async stop() {
    this.child.kill('SIGKILL')
    await once(this.child, 'exit')
    rmSync(this.#folder, { recursive: true })
  }

  #control(command) {
    // Valgrind's pipes carry the name of the host, which it takes from HOST.
    const env = { ...process.env, HOST: '127.0.0.1' }
    execFileSync('callgrind_control', [command, String(this.child.pid)], { env, stdio: 'ignore' })
  }
}
