import type { Part } from '../../first-layer/learning/parts.js'
import type { JournalCall } from '../journal.js'
import type { StoredRecord } from './read-records.js'

/** The fields of a call's record: all but its kind and body. */
export function callFields({ writer, sequence, digest, part, options }: JournalCall): Uint8Array {
  return Buffer.from(JSON.stringify({ writer, sequence, digest, part, options }))
}

/** The call of a record that is not a log's first. */
export function callOf({ kind, fields, body }: StoredRecord): JournalCall {
  const { writer, sequence, digest, part, options } = fields
  return {
    kind: kind as JournalCall['kind'],
    writer: writer as string,
    sequence: sequence as number,
    digest: digest as string,
    ...(part === undefined ? {} : { part: part as Part }),
    options: options as JournalCall['options'],
    body,
  }
}
