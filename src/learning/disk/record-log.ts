import { crc32c } from './crc32c.js'
import { type FileSystem, writeAll } from './file-system.js'
import { crcBytes, HEADER_BYTES, type RecordKind, writeHeader } from './record.js'

/** Records so short go to the system in one piece. */
const ONE_PIECE_BYTES = 1 << 16

/** When what was appended is made durable: before the call is answered, or within a second. */
export const LEARNING_SYNCS = ['always', 'interval'] as const
export type LearningSync = (typeof LEARNING_SYNCS)[number]

/** Under `interval`, the longest time between a call's answer and its durability. */
const INTERVAL_MS = 1000

/** A log that is appended to: what an append that threw has left is cut off before anything else is written. */
export class RecordLog {
  /** Whether bytes may stand behind the last record. */
  #hasLeftover = false
  #unsynced = false
  #timer: NodeJS.Timeout | undefined
  /** Under `interval`, acknowledged calls that the disk did not take. */
  #lost: unknown

  /**
   * @param file open for writing
   * @param log the log's number
   * @param bytes where its last record ends
   * @param records that it has
   */
  constructor(
    private readonly fs: FileSystem,
    private readonly file: number,
    private readonly log: number,
    private readonly sync: LearningSync,
    public bytes: number,
    private records: number,
  ) {}

  /** Bytes that a record takes. */
  static bytesOf(fields: Uint8Array, body: Uint8Array): number {
    return HEADER_BYTES + fields.length + body.length + 4
  }

  /** Appends a record. @throws Error of the file system; the log is as before then */
  append(kind: RecordKind, fields: Uint8Array, body: Uint8Array): void {
    if (this.#lost !== undefined) throw this.#lost
    if (this.#hasLeftover) this.#cut()
    const header = writeHeader({
      ...{ kind, log: this.log, index: this.records },
      ...{ fieldBytes: fields.length, bodyBytes: body.length },
    })
    const parts = [header, fields, body, crcBytes(crc32c(body, crc32c(fields)))]
    const bytes = RecordLog.bytesOf(fields, body)
    this.#hasLeftover = true
    try {
      let at = this.bytes
      for (const part of bytes <= ONE_PIECE_BYTES ? [Buffer.concat(parts)] : parts) {
        writeAll(this.fs, this.file, part, at)
        at += part.length
      }
      if (this.sync === 'always') this.fs.fdatasyncSync(this.file)
    } catch (error) {
      try {
        this.#cut()
      } catch {
        // The next append tries again, and an opening finds a record that was not acknowledged, or a torn one.
      }
      throw error
    }
    this.#hasLeftover = false
    this.bytes += bytes
    this.records++
    if (this.sync === 'interval') this.#syncLater()
  }

  /** Makes all records durable. */
  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (!this.#unsynced) return
    this.fs.fdatasyncSync(this.file)
    this.#unsynced = false
  }

  close(): void {
    try {
      this.flush()
    } finally {
      this.fs.closeSync(this.file)
    }
  }

  /** Closes a log that nobody will read: its checkpoint has been replaced. */
  discard(): void {
    clearTimeout(this.#timer)
    this.fs.closeSync(this.file)
  }

  #cut(): void {
    this.fs.ftruncateSync(this.file, this.bytes)
    this.fs.fdatasyncSync(this.file)
    this.#hasLeftover = false
  }

  #syncLater(): void {
    this.#unsynced = true
    this.#timer ??= setTimeout(() => {
      try {
        this.flush()
      } catch (error) {
        this.#lost = error
      }
    }, INTERVAL_MS).unref()
  }
}
