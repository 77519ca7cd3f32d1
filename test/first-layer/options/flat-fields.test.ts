import { describe, expect, it } from 'vitest'
import { rawTextOptions } from '../../../src/checkpoints/embedding-request.js'
import { flatReader, typedText } from '../../../src/first-layer/options/flat.js'
import { parse } from '../../../src/first-layer/options/parse.js'
import type { InletError } from '../../../src/service/answer/error-table.js'

const reader = flatReader(rawTextOptions, typedText)
const read = (query: string) => reader(new URLSearchParams(query))
const parsed = (query: string) => parse(rawTextOptions, read(query)).position_embedding

function refusal(query: string): InletError {
  try {
    parsed(query)
  } catch (error) {
    return error as InletError
  }
  throw new Error(`${query} was not refused`)
}

describe('fields with flat names', () => {
  it('are lists where the schema has lists, whose word stays one', () => {
    expect(read('outputs=input_ids,cos&allowed_special=')).toEqual({
      outputs: ['input_ids', 'cos'],
      allowed_special: [],
    })
    expect(read('allowed_special=all&outputs=all')).toEqual({ allowed_special: 'all', outputs: ['all'] })
  })

  it.each(['4.0', '+4', '04', '1e1', ' 4', '', '4x'])(
    'are no integers unless JSON writes them so: %j',
    (text) => {
      expect(reader([['stride', text]])).toEqual({ stride: text })
    },
  )
})

describe('position_embedding with flat names', () => {
  it('is a type alone, by either name', () => {
    const rope = { position_embedding: { type: 'rope' } }
    expect(read('position_embedding=rope')).toEqual(rope)
    expect(read('position_embedding.type=rope&position_embedding=rope')).toEqual(rope)
  })

  it.each([
    ['position_embedding=rope&position_embedding.head_dim=many', 'head_dim', /must be .*Given: "many"/],
    ['position_embedding=rope&position_embedding.nonsense=1', 'nonsense', /is not a field/],
    ['position_embedding=rope&position_embedding.__proto__.x=1', '__proto__', /is not a field/],
    ['position_embedding=alibi&position_embedding.head_dim=1', 'head_dim', /is not a field/],
    ['position_embedding=rotary&position_embedding.head_dim=1', 'type', /must be one of none, /],
    [
      'position_embedding=rope&position_embedding.type=alibi',
      'type',
      /must be rope, as in `position_embedding`\. Given: alibi$/,
    ],
    ['position_embedding=rope&position_embedding.type.x=1', 'type', /Given: an object$/],
    [
      'position_embedding=rope&position_embedding.scaling=linear&position_embedding.scaling.factor=2',
      'scaling',
      /must be an object with `type`.*Given: "linear"/,
    ],
    [
      'position_embedding=rope&position_embedding.scaling.factor=2&position_embedding.scaling=linear',
      'scaling',
      /must be an object with `type`.*Given: "linear"/,
    ],
  ])('is refused by the option’s name: %s', (query, option, rule) => {
    const { code, param, message } = refusal(query)
    expect({ code, param }).toEqual({ code: 'invalid_request', param: `position_embedding.${option}` })
    expect(message).toMatch(rule)
  })
})
