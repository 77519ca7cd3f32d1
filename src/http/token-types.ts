import type { Architecture } from '../embeddings/architectures/architecture.js'
import type { Model } from '../embeddings/model.js'
import { InletError } from '../errors.js'
import { TokenBuffer } from '../tokens/token-buffer.js'
import { Documents } from '../windows/documents.js'

type Ids = readonly number[] | readonly (readonly number[])[]

interface Given {
  readonly input_ids?: Ids
  readonly token_type_ids?: Ids
}

/**
 * `token_type_ids`, in the form of `input_ids`, as documents of their own.
 *
 * @throws InletError `invalid_request` where the architecture has none or the form differs,
 * `token_out_of_range` for a type that has no row
 */
export function tokenTypesOf(model: Model, architecture: Architecture, given: Given): Documents | undefined {
  const { input_ids: inputIds, token_type_ids: types } = given
  if (inputIds === undefined || types === undefined) return undefined
  if (!architecture.tokenTypes) {
    const message = `\`token_type_ids\` must not be given for \`architecture\` ${architecture.name}, which has none.`
    throw new InletError('invalid_request', message, 'token_type_ids')
  }
  if (counts(types).join() !== counts(inputIds).join()) {
    const message = `\`token_type_ids\` must have the form of \`input_ids\`, ${form(inputIds)}. Given: ${form(types)}`
    throw new InletError('invalid_request', message, 'token_type_ids')
  }
  const nested = Array.isArray(types[0])
  const lists = (nested ? types : [types]) as readonly (readonly number[])[]
  for (const [d, list] of lists.entries()) {
    const place = list.findIndex((type) => type >= model.spec.typeVocabSize)
    if (place < 0) continue
    const param = `token_type_ids.${nested ? `${d}.` : ''}${place}`
    const message = `\`${param}\` must be below TYPE_VOCAB_SIZE ${model.spec.typeVocabSize}. Given: ${list[place]}`
    throw new InletError('token_out_of_range', message, param)
  }
  return new Documents(lists.map((list) => TokenBuffer.of(list)))
}

/** Ids of each document, −1 first where the list is flat: `[1, 2, 3]` → −1, 3; `[[1], [2, 3]]` → 1, 2. */
function counts(ids: Ids): readonly number[] {
  if (!Array.isArray(ids[0])) return [-1, ids.length]
  return (ids as readonly (readonly number[])[]).map((list) => list.length)
}

/** The form in words: `[1, 2, 3]` → "3 ids"; `[[1], [2, 3]]` → "2 documents of 1, 2 ids". */
function form(ids: Ids): string {
  if (!Array.isArray(ids[0])) return `${ids.length} ids`
  const each = counts(ids)
  const shown = each.slice(0, 8).join(', ') + (each.length > 8 ? ', …' : '')
  return `${each.length} documents of ${shown} ids`
}
