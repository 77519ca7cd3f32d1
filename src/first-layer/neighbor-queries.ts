import { documentsOf, idsBelow, textOptions } from './documents.js'
import type { Model } from './embeddings/model.js'
import type { Table } from './embeddings/op.js'
import { InletError, invalidField } from './errors.js'
import { countOf } from './given.js'
import { MAX_QUERIES, type NeighborsBody } from './neighbors-request.js'
import { meanOfRows, RowSum } from './pooling/row-sum.js'
import { ALONE, type Edge } from './running/edge.js'

/** The table that a request searches, and which of its rows. */
export interface SearchedTable {
  readonly name: 'wte.weight' | 'wpe.weight'
  readonly table: Table
  /** Row of id 0: positions of OPT begin at row 2. */
  readonly firstRow: number
  readonly rows: number
}

/** A row's token; null where it is none, or no whole text. */
export function rowText({ spec }: Model, { name }: SearchedTable, row: number): string | null {
  const { tokenizer } = spec
  return name === 'wte.weight' && tokenizer.vocabSize > 0 ? (tokenizer.tokenText(row) ?? null) : null
}

/** @throws InletError `unsupported_combination` where the model holds no table of positions */
export function searchedTable(model: Model, kind: NeighborsBody['table']): SearchedTable {
  const { vocabSize, maxPositionEmbeddings, architecture } = model.spec
  if (kind === 'token') return { name: 'wte.weight', table: model.tokenTable, firstRow: 0, rows: vocabSize }
  const table = model.table('wpe.weight')
  if (table !== undefined) {
    const firstRow = architecture.positionIndex?.base ?? 0
    return { name: 'wpe.weight', table, firstRow, rows: maxPositionEmbeddings }
  }
  const message = `\`table\` must be token: ${model.spec.id} holds no table of positions. Given: "position"`
  throw new InletError('unsupported_combination', message, 'table')
}

/**
 * The queries of a request: float32 rows as wide as the table.
 *
 * @param hasTokens called with the number of tokens whose rows they are made of, before that is done
 * @throws InletError `invalid_request` for too many queries or a vector of another width, `token_out_of_range`
 */
export async function neighborQueries(
  model: Model,
  searched: SearchedTable,
  body: NeighborsBody,
  edge: Edge = ALONE,
  hasTokens: (tokens: number) => void = () => {},
): Promise<readonly Float32Array[]> {
  if (body.vector !== undefined) {
    hasTokens(0)
    return vectors(body.vector, searched.table.tensor.shape[1])
  }
  const { text, input_ids: ids } = body
  const given = (ids ?? text)!
  checkCount(countOf(given), ids === undefined ? 'text' : 'input_ids')
  const documents =
    ids !== undefined && searched.name === 'wpe.weight'
      ? await idsBelow(ids, searched.rows, '`max_position_embeddings`', 'input_ids', edge)
      : await documentsOf(model, given, textOptions(model, given, body), edge)
  hasTokens(searched.name === 'wte.weight' ? documents.totalTokens : 0)
  const queries: Float32Array[] = []
  for (let d = 0; d < documents.count; d++) {
    const length = documents.length(d)
    const fill = (out: Int32Array, start: number) => {
      documents.copyTo(out, 0, d, start, out.length)
      if (searched.firstRow > 0) for (let i = 0; i < out.length; i++) out[i] += searched.firstRow
    }
    const { table } = searched
    const sum = new RowSum(new Float32Array(table.tensor.shape[1]), { table, workspace: model.workspace })
    for (let at = 0; at < length; at = sum.add({ length, fill }, at)) await edge.between()
    queries.push(meanOfRows(sum))
  }
  return queries
}

function vectors(given: readonly (readonly number[])[], width: number): readonly Float32Array[] {
  checkCount(given.length, 'vector')
  const wrong = given.findIndex(({ length }) => length !== width)
  if (wrong < 0) return given.map((vector) => Float32Array.from(vector))
  throw invalidField(
    given.length === 1 ? 'vector' : `vector.${wrong}`,
    `must have ${width} numbers`,
    given[wrong],
  )
}

function checkCount(count: number, param: string): void {
  if (count <= MAX_QUERIES) return
  const message = `\`${param}\` must have at most ${MAX_QUERIES} queries. Given: ${count}`
  throw new InletError('invalid_request', message, param)
}
