import { NoRoom, notEncoded, ProcessEnded } from './failures.js'
import type { LibraryProcess } from './library-process.js'
import { HELD_BYTES, JOB_MICROSECONDS_PER_BYTE, JOB_MS, type LibraryLimits, SHORT_TEXT } from './limits.js'
import type { Result, TextWork } from './messages.js'
import { Pace } from './pace.js'
import { LIBRARY_THREADS, PLACES } from './places.js'

/** A job is refused at once where its expected wait is longer than this share of the time-out: the wait is a guess. */
const SURE_SHARE = 1 / 2
/** How often a queue looks for room that others have given back. */
const LOOK_MS = 20

interface Job {
  readonly work: TextWork
  readonly bytes: number
  readonly signal: AbortSignal | undefined
  /** Whether a process has ended while it was at work on this job and perhaps others: it then runs alone. */
  isSuspect: boolean
  timer?: NodeJS.Timeout | undefined
  resolve(result: Result): void
  reject(error: Error): void
}

/**
 * The jobs of one tokenizer. As many are at work at once as there are cores, and one short one besides. A job holds
 * memory from its beginning to its end, whether its caller waits or not; one whose caller has left does not begin.
 * One that takes too long ends the process; the others that it had run once more, each alone.
 */
export class JobQueue {
  readonly #pace = new Pace()
  readonly #short: Job[] = []
  readonly #long: Job[] = []
  readonly #running = new Set<Job>()
  #look: NodeJS.Timeout | undefined

  /** @param ended called when a job has ended, whichever way */
  constructor(
    private readonly process: LibraryProcess,
    private readonly limits: LibraryLimits,
    private readonly ended: () => void = () => {},
  ) {}

  get isIdle(): boolean {
    return this.#running.size + this.#short.length + this.#long.length === 0
  }

  /**
   * Does one work.
   *
   * @param signal aborted: a work that has not begun is dropped, and fails
   * @throws NoRoom where it cannot begin soon enough
   * @throws InletError `tokenizer_unavailable` where it takes too long, or ends the process
   */
  run(work: TextWork, signal?: AbortSignal): Promise<Result> {
    const bytes = work.type === 'decode' ? work.ids.length : sum(work.chunks.map(({ length }) => length))
    const line = this.#lineOf(bytes)
    const wait = this.#expectedWait(line)
    const { waitMs } = this.limits
    if (line.length > 0 && wait > waitMs * SURE_SHARE) return Promise.reject(new NoRoom(wait, false))
    return new Promise((resolve, reject) => {
      const job: Job = { work, bytes, signal, isSuspect: false, resolve, reject }
      if (waitMs !== Number.POSITIVE_INFINITY)
        job.timer = setTimeout(() => this.#drop(job, new NoRoom(this.#expectedWait(line), true)), waitMs)
      signal?.addEventListener('abort', () => this.#drop(job, signal.reason), { once: true })
      line.push(job)
      this.#begin()
    })
  }

  #lineOf(bytes: number): Job[] {
    return bytes <= SHORT_TEXT ? this.#short : this.#long
  }

  /** Milliseconds until a job behind this line begins. Those at work are half done. */
  #expectedWait(line: readonly Job[]): number {
    const running = [...this.#running].filter(({ bytes }) => this.#lineOf(bytes) === line)
    const bytes = sum(line.map((job) => job.bytes)) + sum(running.map((job) => job.bytes)) / 2
    return this.#pace.expect(line.length + running.length / 2, bytes)
  }

  /** Fails a job that has not begun. */
  #drop(job: Job, error: Error): void {
    const line = this.#lineOf(job.bytes)
    const at = line.indexOf(job)
    if (at < 0) return
    line.splice(at, 1)
    clearTimeout(job.timer)
    job.reject(error)
    this.ended()
  }

  /** Begins the jobs for which there is a place and room. */
  #begin(): void {
    this.#beginFrom(this.#short, LIBRARY_THREADS)
    this.#beginFrom(this.#long, PLACES)
  }

  #lookAgain(): void {
    this.#look = undefined
    this.#begin()
  }

  #beginFrom(line: Job[], places: number): void {
    for (let [job] = line; job !== undefined; [job] = line) {
      const [another] = this.#running
      if (another !== undefined && (job.isSuspect || another.isSuspect)) return
      if (this.#running.size >= places) return
      try {
        if (!this.limits.room.take(HELD_BYTES * job.bytes, line === this.#short)) {
          this.#look ??= setTimeout(() => this.#lookAgain(), LOOK_MS)
          return
        }
      } catch (error) {
        this.#drop(job, error as Error)
        continue
      }
      line.shift()
      clearTimeout(job.timer)
      if (this.#running.size === 0) this.#pace.begin()
      this.#running.add(job)
      void this.#work(job)
    }
  }

  async #work(job: Job): Promise<void> {
    try {
      job.resolve(await this.#inTime(job))
      this.#pace.done(job.bytes)
    } catch (error) {
      const isLost = error instanceof ProcessEnded && !job.isSuspect && job.signal?.aborted !== true
      if (isLost) {
        job.isSuspect = true
        this.#lineOf(job.bytes).unshift(job)
      } else job.reject(error as Error)
    }
    this.#running.delete(job)
    this.limits.room.give(HELD_BYTES * job.bytes)
    this.#begin()
    this.ended()
  }

  async #inTime({ work, bytes, signal }: Job): Promise<Result> {
    await this.process.ready()
    const most = Math.ceil(JOB_MS + (JOB_MICROSECONDS_PER_BYTE / 1000) * bytes + 2 * this.process.openedMs)
    let overrun = false
    const timer = setTimeout(() => {
      overrun = true
      this.process.end(new ProcessEnded('another text took too long'))
    }, most)
    try {
      return await this.process.send(work, signal)
    } catch (error) {
      throw overrun ? notEncoded(`it took longer than ${(most / 1000).toFixed(1)} s`) : error
    } finally {
      clearTimeout(timer)
    }
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
