import type { Journal, JournalCall } from '../journal.js'
import { callFields } from './call-fields.js'
import { atOnce, type InPieces } from './file-system.js'
import type { FolderOwner } from './folder-owner.js'
import { Counted, refusal } from './full-disk.js'
import { type JournalDisk, removeNumbered, writeNumbered } from './numbered-files.js'
import { RecordLog } from './record-log.js'

/** The journal of a model in its folder, which this process owns. */
export class DiskJournal implements Journal {
  #log: RecordLog
  #broken: unknown

  /** @param number of its checkpoint and log */
  constructor(
    private readonly disk: JournalDisk,
    private readonly folder: string,
    private readonly owner: FolderOwner,
    private number: number,
    log: RecordLog,
  ) {
    this.#log = log
  }

  get bytes(): number {
    return this.#log.bytes
  }

  append(call: JournalCall): void {
    if (this.#broken !== undefined) throw this.#broken
    const fields = callFields(call)
    const bytes = RecordLog.bytesOf(fields, call.body)
    this.disk.room.take(bytes)
    try {
      this.#log.append(call.kind, fields, call.body)
    } catch (error) {
      throw refusal(error, bytes)
    }
  }

  /** The old checkpoint and its log stand until the new ones are durable. Where it throws, they go on. */
  *folding(checkpoint: Iterable<Uint8Array>): InPieces<void> {
    const { fs } = this.disk
    const [before, next] = [this.number, this.number + 1]
    const counted = new Counted(checkpoint)
    let log: RecordLog
    try {
      log = yield* writeNumbered(this.disk, this.folder, next, counted)
    } catch (error) {
      try {
        removeNumbered(fs, this.folder, next)
      } catch (left) {
        this.#broken = left // an opening may take the new checkpoint: what is appended to the old log would be lost
      }
      throw refusal(error, counted.bytes)
    }
    this.#log.discard()
    this.#log = log
    this.number = next
    try {
      removeNumbered(fs, this.folder, before)
    } catch {
      // The next opening removes them.
    }
  }

  fold(checkpoint: Iterable<Uint8Array>): void {
    atOnce(this.folding(checkpoint))
  }

  close(): void {
    this.#log.close()
    this.owner.release()
  }

  /** Ends the journal of a model that learns no more: its folder is removed next. */
  discard(): void {
    this.#log.discard()
    this.owner.end()
  }
}
