import { SHOWN, shown } from '../../src/errors.js'
import type { Fault, Given } from '../../src/wire/given.js'
import { notAnId } from '../../src/wire/id-lists.js'

/** The slow, obvious twin of the readers of texts and ids: it looks at what JSON.parse gives. */
export interface PlainGiven extends Given {
  readonly value: unknown
}

type Check = (value: unknown) => Fault | undefined

const isTextOrTexts: Check = (value) => {
  if (typeof value === 'string') return textFault(value, [])
  return Array.isArray(value) ? textsFault(value) : wrong('must be a string or an array of strings', value)
}

const isIds: Check = (value) =>
  Array.isArray(value) ? listFault(value, []) : wrong('must be an array of integers', value)

const isIdsOrLists: Check = (value) => {
  if (!Array.isArray(value)) return wrong('must be an array of integers, or of such arrays', value)
  if (!Array.isArray(value[0])) return listFault(value, [])
  for (const [d, list] of value.entries()) {
    const fault = Array.isArray(list)
      ? listFault(list, [d])
      : wrong('must be an array of integers', list, [d])
    if (fault !== undefined) return fault
  }
  return undefined
}

/** By the name of the field. */
const CHECKS: Readonly<Record<string, Check>> = {
  text: isTextOrTexts,
  input_ids: isIdsOrLists,
  token_type_ids: isIdsOrLists,
}
/** The same for fields that take one document alone. */
const SINGLE: Readonly<Record<string, Check>> = { input_ids: isIds }

/** A parsed body with the fields of documents as the schemas want them. */
export function withGiven(body: unknown, names: readonly string[], isSingle: boolean): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const checks = isSingle ? SINGLE : CHECKS
  return Object.defineProperties(
    {},
    Object.fromEntries(
      Object.entries(body).map(([name, value]) => {
        const given = names.includes(name) ? plainGiven(value, checks[name]!) : value
        return [name, { value: given, enumerable: true }]
      }),
    ),
  )
}

function plainGiven(value: unknown, check: Check): PlainGiven {
  const isList = Array.isArray(value) && (typeof value[0] === 'string' || Array.isArray(value[0]))
  return {
    value,
    fault: check(value),
    isList,
    count: isList ? (value as unknown[]).length : 1,
    isText: false,
    [SHOWN]: shown(value),
    makeDocuments() {
      throw new RangeError('the twin makes no documents')
    },
    letGo: () => 0,
  }
}

function wrong(message: string, value: unknown, path: readonly number[] = []): Fault {
  return { path, message, given: shown(value) }
}

function empty(value: unknown, path: readonly number[]): Fault {
  return { ...wrong('must not be empty', value, path), code: 'empty_input' }
}

function textFault(text: string, path: readonly number[]): Fault | undefined {
  if (text === '') return empty(text, path)
  const index = [...text].reduce(
    ({ at, found }, character) => ({
      at: at + character.length,
      found: found ?? (/^[\ud800-\udfff]$/.test(character) ? at : undefined),
    }),
    { at: 0, found: undefined as number | undefined },
  ).found
  if (index === undefined) return undefined
  const unit = text.charCodeAt(index).toString(16).toUpperCase()
  const message = `must be Unicode text: a lone surrogate U+${unit} stands at UTF-16 index ${index}`
  return { path, message, code: 'invalid_unicode' }
}

/** A lone surrogate comes first, then an empty text, both before the first element that is no string. */
function textsFault(texts: readonly unknown[]): Fault | undefined {
  const other = texts.findIndex((text) => typeof text !== 'string')
  const faults = texts
    .slice(0, other < 0 ? undefined : other)
    .map((text, i) => textFault(text as string, [i]))
    .filter((fault) => fault !== undefined)
  const first = faults.find(({ code }) => code === 'invalid_unicode') ?? faults[0]
  if (first !== undefined) return first
  if (other >= 0) return wrong('must be a string', texts[other], [other])
  return texts.length === 0 ? empty(texts, []) : undefined
}

function listFault(list: readonly unknown[], path: readonly number[]): Fault | undefined {
  if (list.length === 0) return empty(list, path)
  const i = list.findIndex((id) => notAnId(id) !== undefined)
  return i < 0 ? undefined : wrong(notAnId(list[i])!, list[i], [...path, i])
}
