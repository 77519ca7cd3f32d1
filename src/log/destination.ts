import { writeSync } from 'node:fs'

/** After a write lines wait this long for others: one write for all of them costs less than one for each. */
const GATHER_MS = 10
/** One write: what a turn of the event loop has time for, wherever it goes. */
const WRITE_LENGTH = 65_536
/** What waits while nothing can be written, in characters. */
const MAX_LENGTH = 4 * 2 ** 20
/** After which a write is tried again: where a pipe is full, twice as late each time, and where nothing can be written. */
const FULL_PIPE_MS = 1
const MAX_FULL_PIPE_MS = 64
const BROKEN_MS = 500
/** How long the process's end waits for a reader. */
const FLUSH_MS = 500
const FLUSH_STEP_MS = 10

const NOTHING = Buffer.alloc(0)
/** What `Atomics.wait` waits on: nobody wakes it. */
const SLEEP = new Int32Array(new SharedArrayBuffer(4))

/** Who may write: several threads write to one descriptor, and a line must not begin within another. */
export interface LogTurn {
  takeLog(): boolean
  giveLog(): void
}

/**
 * Writes log lines to a descriptor, whatever becomes of it: a full disk, a pipe that nobody reads or that is closed.
 * While nothing can be written, lines wait in a buffer of 4 MiB; what does not fit is dropped and counted. The write
 * itself must not block (src/log/descriptor.ts): a thread of Node's pool that hangs in a write would keep the process
 * from ending.
 */
export class LogDestination {
  #lines: string[] = []
  #length = 0
  /** Of the batch that is being written, what is still to be. */
  #rest: Buffer = NOTHING
  /** A part of the batch is written: the right to write stays here, the others' lines would stand within one of ours. */
  #isWithinBatch = false
  #fullPipeMs = FULL_PIPE_MS
  #timer: NodeJS.Timeout | undefined
  #droppedNow = 0
  #dropped = 0

  /** @param recovered told how many lines were dropped, once lines are written again */
  constructor(
    private readonly fd: number,
    private readonly turn: LogTurn,
    private readonly recovered: (dropped: number) => void,
  ) {}

  /** Lines that were dropped so far. */
  get dropped(): number {
    return this.#dropped
  }

  /** What pino calls with a line. */
  write(line: string): void {
    if (this.#length + line.length > MAX_LENGTH) {
      this.#droppedNow++
      this.#dropped++
      return
    }
    this.#lines.push(line)
    this.#length += line.length
    this.#timer ??= this.#after(0)
  }

  /** Writes all that waits, if that can be done within half a second. What pino calls after a fatal line. */
  flushSync(): void {
    let steps = FLUSH_MS / FLUSH_STEP_MS
    while (!this.#isEmpty) {
      const wait = this.#writeBatch()
      if (wait === 0) continue
      if (wait === BROKEN_MS || steps-- === 0) return
      Atomics.wait(SLEEP, 0, 0, FLUSH_STEP_MS)
    }
  }

  get #isEmpty(): boolean {
    return this.#lines.length === 0 && this.#rest.length === 0
  }

  #after(milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => this.#writeOn(), milliseconds).unref()
  }

  /** A batch a turn, until nothing waits, and nothing has come for a while. */
  #writeOn(): void {
    if (this.#isEmpty) {
      this.#timer = undefined
      return
    }
    const wait = this.#writeBatch()
    this.#timer = this.#after(this.#isEmpty ? GATHER_MS : wait)
    if (this.#isEmpty && this.#droppedNow > 0) {
      const dropped = this.#droppedNow
      this.#droppedNow = 0
      this.recovered(dropped)
    }
  }

  /** @returns milliseconds after which it is worth while to try again; 0 where all went well */
  #writeBatch(): number {
    if (!this.turn.takeLog()) return GATHER_MS
    if (this.#rest.length === 0) this.#rest = this.#nextBatch()
    try {
      while (this.#rest.length > 0) {
        this.#rest = this.#rest.subarray(writeSync(this.fd, this.#rest))
        this.#isWithinBatch = true
        this.#fullPipeMs = FULL_PIPE_MS
      }
    } catch (error) {
      if (!this.#isWithinBatch) this.turn.giveLog()
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return BROKEN_MS
      this.#fullPipeMs = Math.min(2 * this.#fullPipeMs, MAX_FULL_PIPE_MS)
      return this.#fullPipeMs
    }
    this.#isWithinBatch = false
    this.turn.giveLog()
    return 0
  }

  #nextBatch(): Buffer {
    let count = 0
    for (let length = 0; count < this.#lines.length && length < WRITE_LENGTH; count++) {
      length += this.#lines[count].length
    }
    const batch = this.#lines.splice(0, count).join('')
    this.#length -= batch.length
    return Buffer.from(batch)
  }
}
