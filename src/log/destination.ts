import { writeSync } from 'node:fs'

/** After a write, new lines are gathered for so long: one write for all of them costs less than one for each. */
const GATHER_MS = 10
/** A batch ends with the line that reaches so many characters: one turn of the event loop has time to write it. */
const WRITE_LENGTH = 65_536
/** The most characters that wait while nothing can be written. */
const MAX_LENGTH = 4 * 2 ** 20
/** Wait before the next try. Where a pipe is full: doubled each time, up to the second value. Else: the third. */
const FULL_PIPE_MS = 1
const MAX_FULL_PIPE_MS = 64
const BROKEN_MS = 500
/** How long the end of the process waits for a reader of the log, and how often it tries meanwhile. */
const FLUSH_MS = 500
const FLUSH_STEP_MS = 10

const NOTHING = Buffer.alloc(0)
/** For `Atomics.wait` as a sleep: no thread notifies it, so it waits for the whole time-out. */
const SLEEP = new Int32Array(new SharedArrayBuffer(4))

/** The right to write: several threads write to one descriptor, and no line may begin within another. */
export interface LogTurn {
  takeLog(): boolean
  giveLog(): void
}

/**
 * Writes log lines to a descriptor, and goes on where writes fail: a full disk, a pipe without a reader, a
 * closed one. While nothing can be written, up to 4 Mi characters of lines wait; lines beyond that are dropped
 * and counted. The write is synchronous and must not block (src/log/descriptor.ts): an asynchronous write that
 * hangs in a thread of Node's pool would keep the process from ending.
 */
export class LogDestination {
  #lines: string[] = []
  #length = 0
  /** The part of the present batch that is not written yet. */
  #rest: Buffer = NOTHING
  /**
   * Whether a part of the batch is written: this thread then keeps the right to write, so that no line is split.
   */
  #isWithinBatch = false
  #fullPipeMs = FULL_PIPE_MS
  #timer: NodeJS.Timeout | undefined
  #droppedNow = 0
  #dropped = 0

  /** @param recovered called with the number of dropped lines when lines can be written again */
  constructor(
    private readonly fd: number,
    private readonly turn: LogTurn,
    private readonly recovered: (dropped: number) => void,
  ) {}

  /** Lines that were dropped so far. */
  get dropped(): number {
    return this.#dropped
  }

  /** Adds a line; called by pino. */
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

  /** Writes all waiting lines, as far as that takes at most half a second; pino calls it after a fatal line. */
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

  /** Writes one batch in each turn, until no line waits and none has come for {@link GATHER_MS}. */
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

  /** Writes one batch. @returns milliseconds to wait before the next try; 0 where the batch is written */
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
