import { type Dict, isDict, type Value } from '../../chat/jinja/values.js'
import { readValues } from '../../chat/read-values.js'
import { SHOWN } from '../../errors.js'
import type { Steps } from '../../first-layer/steps.js'
import { invalidJson } from './invalid-json.js'
import type { JsonCursor } from './json-cursor.js'
import type { LongField } from './long-fields.js'

/** Bytes of memory for each byte of JSON: of `"",` 16 bytes are kept. */
const KEPT_PER_BYTE = 6

/** A value as Python reads it: floats and ints are told apart, objects keep the order of their keys. */
export class PythonValue {
  readonly [SHOWN] = 'a value'

  constructor(readonly value: Value) {}

  get dict(): Dict | undefined {
    return isDict(this.value) ? this.value : undefined
  }
}

/** Reads a value of any form and length, as a chat's messages are. */
export const longValue: LongField<PythonValue> = {
  read: (cursor, field, give) => valueSteps(cursor, field, give),
}

function* valueSteps(cursor: JsonCursor, field: string, give: (value: PythonValue) => void): Steps<void> {
  const { bytes, at: start } = cursor
  yield* cursor.skip()
  if (!cursor.isSmall) yield (cursor.at - start) * KEPT_PER_BYTE
  const value = yield* readValues(bytes.toString('utf8', start, cursor.at), field)
  if (value === undefined) throw invalidJson(bytes, start)
  give(new PythonValue(value))
}
