import type { Architecture, PositionEmbeddingOptions } from '../../../../../clients/typescript/src/index.js'

/** The name of a position scheme. */
export type PositionType = PositionEmbeddingOptions['type']

/** A scheme and its options, as the interface takes them: `{ type: 'rope', head_dim: 4 }`. */
export interface Position {
  readonly type: PositionType
  readonly [option: string]: string | number | boolean
}

/** The fields that the page sends. Names and defaults are the interface's; absent is the service's default. */
export interface Recipe {
  readonly text: string
  /** `lines`: each line of the text is a document of its own. `ids`: the text is numbers, the ids of one document. */
  readonly documents: 'one' | 'lines' | 'ids'
  readonly model?: string
  readonly context_length?: number
  readonly stride?: number
  readonly tail?: 'drop' | 'pad'
  readonly pad_token_id?: number
  readonly batch_size: number
  readonly batch_index: number
  readonly shuffle?: boolean
  readonly seed?: number
  readonly position_embedding?: Position
  readonly position_offset?: number
  readonly architecture?: Architecture
}

/** Most documents that the page sends: each has a strip of its own. */
const MAX_LINES = 32

/** The ids that a text of numbers writes: "2 3 5 1" → [2, 3, 5, 1]. Words that are no numbers become NaN. */
export function idsOf({ text }: Recipe): number[] {
  return text
    .split(/[\s,[\]]+/)
    .filter((word) => word !== '')
    .map(Number)
}

/** The texts of a recipe: lines that are not empty, or the whole text; none where it is ids. */
export function documentsOf({ text, documents }: Recipe): readonly string[] {
  if (documents === 'ids') return []
  if (documents === 'one') return [text]
  const lines = text.split('\n').filter((line) => line !== '')
  return lines.length === 0 ? [''] : lines.slice(0, MAX_LINES)
}
