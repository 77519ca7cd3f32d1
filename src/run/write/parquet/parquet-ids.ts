import type { IdsEncoder } from '../table-output.js'
import { LevelRuns } from './levels.js'
import { ParquetWriter } from './parquet-writer.js'
import { listPath, listSchema, rootSchema } from './schema.js'

const NAME = 'input_ids'
/** Ids of a row group, at least: 64 MiB. */
const GROUP_IDS = 1 << 24

/** A row for each document: `input_ids`, a list of int32. A page for each batch. */
export function parquetIds(): IdsEncoder {
  const writer = new ParquetWriter(
    rootSchema([listSchema(NAME, 1, { type: 'INT32' })]),
    [{ type: 'INT32', path: listPath(NAME, 1) }],
    [],
  )
  let inGroup = GROUP_IDS
  return {
    ending: 'parquet',
    begin: () => writer.begin(),
    batch(ids, lengths) {
      if (inGroup >= GROUP_IDS) {
        writer.beginGroup()
        writer.beginColumn()
        inGroup = 0
      }
      inGroup += ids.length
      const [repetition, definition] = [new LevelRuns(), new LevelRuns()]
      let emptyLists = 0
      for (const length of lengths) {
        repetition.add(0, 1)
        repetition.add(1, Math.max(0, length - 1))
        definition.add(length === 0 ? 0 : 1, Math.max(1, length))
        if (length === 0) emptyLists++
      }
      const head = writer.page({
        ...{ rows: lengths.length, values: ids.length + emptyLists, emptyLists, bytes: ids.byteLength },
        ...{ repetition: repetition.bytes(), definition: definition.bytes() },
      })
      return [head, ids]
    },
    end: () => writer.end(),
  }
}
