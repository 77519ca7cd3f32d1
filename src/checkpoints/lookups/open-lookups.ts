import type { FileHandle } from 'node:fs/promises'
import type { ModelCard } from '../../first-layer/cards/model-card.js'
import { RowsUnreadable } from '../../first-layer/errors.js'
import { DiskTable, type DiskTableOptions, type OpenTensor } from '../../first-layer/lookups/disk-table.js'
import { type DiskTableCard, diskTables } from '../../first-layer/lookups/lookup-card.js'
import type { Lookups } from '../../first-layer/lookups/ngram-rows.js'
import { readTensors } from '../checkpoint.js'
import { told } from '../checkpoint-files.js'
import { FolderFiles } from '../folder-files.js'
import { sameTensor } from '../tables/read-tables.js'

/**
 * Opens the files that have rows beside a token's own, and reads their headers, no table.
 *
 * @returns undefined for a model that has none
 * @throws RowsUnreadable for row numbers beyond a table
 * @throws InletError `model_failed` if a file differs from the model's card
 */
export async function openLookups(card: ModelCard, options: DiskTableOptions): Promise<Lookups | undefined> {
  const { lookups, source } = card
  if (lookups === undefined || source.type !== 'folder') return undefined
  const folder = await FolderFiles.at(source.path)
  const files = new Map<string, FileHandle>()
  const headers = new Map<string, Awaited<ReturnType<typeof readTensors>>>()
  const close = () => {
    for (const handle of files.values()) {
      held.delete(handle)
      handle.close().catch(() => {})
    }
  }
  const opened = new Map<DiskTableCard, DiskTable>()
  try {
    for (const table of diskTables(lookups)) {
      const tensors: OpenTensor[] = []
      for (const tensor of table.tensors) {
        const { file, name, fileShape } = tensor
        const handle = files.get(file) ?? (await folder.open(file))
        files.set(file, handle)
        held.add(handle)
        const header = headers.get(file) ?? (await readTensors(handle, file))
        headers.set(file, header)
        tensors.push({ fd: handle.fd, file, name, at: sameTensor(header, tensor).at, rows: fileShape[0] })
      }
      opened.set(table, new DiskTable(table, tensors, options))
    }
    for (const { table, hashes } of lookups.ngrams?.tables ?? []) {
      const end = Math.max(
        ...hashes.flatMap(({ sizes, offsets }) => sizes.map((size, h) => size + offsets[h])),
      )
      if (end <= table.rows) continue
      const { file, name } = table.tensors[0]
      const rule = `must have ${end} rows, by the sizes and offsets of its heads`
      throw new RowsUnreadable(`${file}, ${told(name)}: ${rule}. Found: ${table.rows}`)
    }
  } catch (error) {
    close()
    if (error instanceof RowsUnreadable) options.failed?.(error)
    throw error
  }
  const open = (table: DiskTableCard) => opened.get(table)!
  return {
    card: lookups,
    perLayer: lookups.perLayer && open(lookups.perLayer.table),
    ngrams: (lookups.ngrams?.tables ?? []).map(({ table }) => open(table)),
    close,
  }
}

/** Open files: Node.js ends the process one day where it collects one. */
const held = new Set<FileHandle>()
