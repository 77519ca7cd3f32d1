import { z } from 'zod'
import { shown } from '../../errors.js'
import { type IdFault, IdLists, notAnId } from '../id-lists.js'

/** Collects narrowed ids, which are appended together. */
const chunk = new Int32Array(16_384)

const TOKEN_ID = { $ref: '#/components/schemas/TokenId' }

/** Integers from 0: one document. */
export function idList(description: string) {
  return z
    .custom<readonly number[]>()
    .transform((value: unknown, context) => checked(value, context, oneList))
    .meta({ type: 'array', minItems: 1, items: TOKEN_ID, description })
}

/**
 * Integers from 0, or arrays of them, one per document. Checked by a loop of our own: a schema per element
 * would cost more than the rest of the request.
 */
export function idsField(description: string) {
  return z
    .custom<readonly number[] | readonly (readonly number[])[]>()
    .transform(checkedListOrLists)
    .meta({
      anyOf: [
        { type: 'array', minItems: 1, items: TOKEN_ID },
        { type: 'array', minItems: 1, items: { type: 'array', minItems: 1, items: TOKEN_ID } },
      ],
      description,
    })
}

/** Ids of a list or of lists; reports what is wrong with them. */
export function checkedListOrLists(value: unknown, context: z.core.$RefinementCtx): IdLists {
  return checked(value, context, listOrLists)
}

function checked(value: unknown, context: z.core.$RefinementCtx, read: (value: unknown) => IdLists): IdLists {
  const lists = value instanceof IdLists ? value : read(value)
  const { fault } = lists
  if (fault === undefined) return lists
  const params = { code: fault.code, given: shown(fault.value) }
  context.addIssue({ code: 'custom', path: [...fault.path], message: fault.message, params })
  return z.NEVER
}

function oneList(value: unknown): IdLists {
  if (!Array.isArray(value)) return faulty({ path: [], message: 'must be an array of integers', value })
  return collected([value], false)
}

function listOrLists(value: unknown): IdLists {
  if (!Array.isArray(value)) {
    return faulty({ path: [], message: 'must be an array of integers, or of such arrays', value })
  }
  return Array.isArray(value[0]) ? collected(value, true) : collected([value], false)
}

function faulty(fault: IdFault): IdLists {
  return Object.assign(new IdLists(), { fault })
}

/** The ids of lists, up to the first fault. */
function collected(given: readonly unknown[], isNested: boolean): IdLists {
  const lists = new IdLists()
  lists.isNested = isNested
  const { documents } = lists
  let count = 0 // ids that wait in the chunk
  for (let d = 0; d < given.length; d++) {
    const path = isNested ? [d] : []
    const list = given[d]
    lists.fault = faultOfList(list, path)
    if (lists.fault !== undefined) return lists
    const ids = list as readonly unknown[]
    for (let i = 0; i < ids.length; i++) {
      if (count === chunk.length) {
        documents.ids.append(chunk)
        count = 0
      }
      const id = ids[i] as number
      if ((id | 0) === id && id >= 0) {
        chunk[count++] = id
        continue
      }
      const message = notAnId(id)
      if (message !== undefined) {
        lists.fault = { path: [...path, i], message, value: id }
        return lists
      }
      chunk[count] = lists.narrowed(id, documents.ids.length + count)
      count++
    }
    documents.endDocument(documents.ids.length + count)
  }
  documents.ids.append(chunk.subarray(0, count))
  return lists
}

function faultOfList(list: unknown, path: readonly number[]): IdFault | undefined {
  if (!Array.isArray(list)) return { path, message: 'must be an array of integers', value: list }
  if (list.length > 0) return undefined
  return { path, message: 'must not be empty', code: 'empty_input', value: list }
}
