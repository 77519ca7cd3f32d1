import fc from 'fast-check'

/** A JSON value as text of JSON: what JSON.stringify never writes stands in it too. */
type JsonText = string

const space = fc.stringMatching(/^[ \t\r\n]{0,2}$/)

/** One UTF-16 unit as JSON may write it. */
const unit = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...'abc ,:[]{}019.-é日') },
  { weight: 1, arbitrary: fc.constant('🕶') },
  { weight: 2, arbitrary: fc.constantFrom('\\n', '\\"', '\\\\', '\\/', '\\b', '\\f', '\\r', '\\t') },
  { weight: 2, arbitrary: fc.constantFrom('\\u0041', '\\u00e9', '\\u65E5', '\\u0000', '\\uFFFF') },
  { weight: 2, arbitrary: fc.constantFrom('\\ud83d\\ude00', '\\uD800\\uDC00') },
)
const lone = fc.constantFrom('\\ud83d', '\\udc00')

function stringOf(units: fc.Arbitrary<string>): fc.Arbitrary<JsonText> {
  return fc.array(units, { maxLength: 12 }).map((parts) => `"${parts.join('')}"`)
}

export const wellFormed = stringOf(unit)
export const string = fc.oneof(
  { weight: 6, arbitrary: wellFormed },
  { weight: 1, arbitrary: stringOf(fc.oneof(unit, lone)) },
)

const goodId = fc.oneof(
  fc.nat(60_000).map(String),
  fc.constantFrom('0', '-0', '1e2', '2147483647', '2147483648'),
)
const number = fc.oneof(
  goodId,
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.constantFrom('9007199254740991', '9007199254740993', '1e400', '1.0', '12E-1', '123456789012345678901'),
)
const scalar = fc.oneof(number, string, fc.constantFrom('true', 'false', 'null'))

export function listOf(element: fc.Arbitrary<JsonText>, maxLength = 6): fc.Arbitrary<JsonText> {
  return fc
    .tuple(fc.array(fc.tuple(space, element, space), { maxLength }), space)
    .map(([elements, inside]) => `[${inside}${elements.map((parts) => parts.join('')).join(',')}]`)
}

export function objectOf(members: fc.Arbitrary<readonly [JsonText, JsonText][]>): fc.Arbitrary<JsonText> {
  return fc
    .tuple(members, space, space, space)
    .map(
      ([all, a, b, c]) => `{${a}${all.map(([key, value]) => `${a}${key}${b}:${c}${value}${a}`).join(',')}}`,
    )
}

const value: fc.Arbitrary<JsonText> = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', maxDepth: 4 },
    scalar,
    listOf(tie('value') as fc.Arbitrary<JsonText>),
    objectOf(fc.array(fc.tuple(string, tie('value') as fc.Arbitrary<JsonText>), { maxLength: 3 })),
  ),
})).value as fc.Arbitrary<JsonText>

export const ids = listOf(goodId)
export const idLists = listOf(fc.oneof({ weight: 8, arbitrary: ids }, { weight: 1, arbitrary: value }))
export const texts = listOf(fc.oneof({ weight: 8, arbitrary: string }, { weight: 1, arbitrary: value }))

/** Good and bad values of the fields of every body, most of them nearly right. */
const FIELDS: Readonly<Record<string, fc.Arbitrary<JsonText>>> = {
  text: fc.oneof(string, wellFormed, texts, listOf(wellFormed), value),
  input_ids: fc.oneof(ids, listOf(ids), idLists, listOf(scalar), value),
  token_type_ids: fc.oneof(ids, listOf(ids), value),
  model: fc.oneof(fc.constant('"default"'), value),
  outputs: fc.oneof(fc.constant('["input_ids"]'), texts, value),
  allowed_special: fc.oneof(fc.constantFrom('"all"', '[]'), texts, value),
  context_length: fc.oneof(number, value),
  position_embedding: fc.oneof(fc.constant('{"type":"rope","head_dim":8}'), value),
  __proto__: value,
}

const member = fc.oneof(
  ...Object.keys({ ...FIELDS, ['__proto__']: 0 }).map((name) =>
    fc.tuple(
      fc.constantFrom(JSON.stringify(name), `"\\u00${name.charCodeAt(0).toString(16)}${name.slice(1)}"`),
      FIELDS[name] ?? value,
    ),
  ),
)

/** Bodies of requests, right and wrong, with doubled keys, as text. */
export const body = fc.oneof(
  { weight: 9, arbitrary: objectOf(fc.array(member, { maxLength: 4 })) },
  { weight: 1, arbitrary: value },
)

/** The same with one character put in, taken out, or put in another's place. */
export const brokenBody = fc
  .tuple(body, fc.nat(), fc.constantFrom(...'\u0001,:[]{}"\\0-e u'), fc.constantFrom(0, 1), fc.boolean())
  .map(([text, place, character, removed, inserts]) => {
    const characters = [...text]
    characters.splice(place % (characters.length + 1), removed, inserts ? character : '')
    return characters.join('')
  })
