import { TorchGenerator } from '../random/generator.js'
import { fillNormalInSlices } from '../random/normal-slices.js'

/** Sizes and seed of a model's tables. */
export interface TableSpec {
  /** V: rows of `wte.weight`. */
  readonly vocabSize: number
  /** P: rows of `wpe.weight`. */
  readonly maxPositionEmbeddings: number
  /** Rows of `wtt.weight`. */
  readonly typeVocabSize: number
  /** C: elements of a row. */
  readonly embeddingDim: number
  readonly seed: bigint
  readonly initStd: number
}

/** The weights, float32 row-major, under their names in a checkpoint. */
export interface Tables {
  readonly 'wte.weight': Float32Array
  readonly 'wpe.weight': Float32Array
  readonly 'wtt.weight': Float32Array
}

export type TableKey = keyof Tables

/** Rows of each table, in the order in which they are drawn. */
export function tableRows(spec: TableSpec): Readonly<Record<TableKey, number>> {
  return {
    'wte.weight': spec.vocabSize,
    'wpe.weight': spec.maxPositionEmbeddings,
    'wtt.weight': spec.typeVocabSize,
  }
}

/** Bytes of all tables together. */
export function tableBytes(spec: TableSpec): number {
  const rows = Object.values(tableRows(spec)).reduce((sum, count) => sum + count, 0)
  return rows * spec.embeddingDim * Float32Array.BYTES_PER_ELEMENT
}

/**
 * Draws the tables as PyTorch does: `torch.manual_seed(seed)`, then one `nn.Embedding` after the other, from
 * one stream. Yields the share that is done, 0 … 1; other work of the event loop runs in between.
 */
export async function* drawTables(tables: Tables, spec: TableSpec): AsyncGenerator<number, void, void> {
  const generator = new TorchGenerator(spec.seed)
  const total = tableBytes(spec) / Float32Array.BYTES_PER_ELEMENT
  let before = 0
  for (const key of Object.keys(tableRows(spec)) as TableKey[]) {
    for await (const done of fillNormalInSlices(generator, tables[key], { std: spec.initStd })) {
      yield (before + done) / total
    }
    before += tables[key].length
  }
}
