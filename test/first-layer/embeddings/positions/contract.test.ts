import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { positionEmbeddingSchema } from '../../../../src/first-layer/embeddings/positions/position-option.js'
import { positionSchemes } from '../../../../src/first-layer/embeddings/positions/registry.js'
import type {
  PositionScheme,
  PositionTensor,
} from '../../../../src/first-layer/embeddings/positions/scheme.js'
import { elementCount } from '../../../../src/first-layer/tensors/named-tensor.js'
import { bind, elements, requestOf, tensorsOf } from './compute.js'

const EMBEDDING_DIM = 16
const docs = ['positions', 'positions-relative', 'positions-older']
  .map((name) => readFileSync(new URL(`../../../../docs/${name}.md`, import.meta.url), 'utf8'))
  .join('')

/** The scheme at its defaults, and once with each value of each option that has few. */
function wireValues({ type, options }: PositionScheme): Record<string, unknown>[] {
  const { properties = {} } = z.toJSONSchema(options, { io: 'input', unrepresentable: 'any' })
  const variants = Object.entries(properties).flatMap(([name, property]): Record<string, unknown>[] => {
    const { type: kind, enum: names = [] } = property as z.core.JSONSchema.JSONSchema
    return (kind === 'boolean' ? [true, false] : kind === 'string' ? names : []).map((value) => ({
      type,
      [name]: value,
    }))
  })
  return [{ type }, ...variants]
}

/** Elements of a tensor's sub-box: on each axis the last `shape[axis]` indices. */
function lastPart(tensor: PositionTensor, shape: readonly number[]): number[] {
  const all = elements(tensor)
  const strides = tensor.shape.map((_, axis) => elementCount(tensor.shape.slice(axis + 1)))
  const skipped = tensor.shape.map((size, axis) => size - shape[axis]!)
  return Array.from({ length: elementCount(shape) }, (_, at) => {
    let rest = at
    let from = 0
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      from += ((rest % shape[axis]!) + skipped[axis]!) * strides[axis]!
      rest = Math.floor(rest / shape[axis]!)
    }
    return all[from]!
  })
}

const isComputed = (tensor: PositionTensor) => tensor.table === undefined

describe.each(positionSchemes.map((scheme) => ({ type: scheme.type, scheme })))(
  '$type',
  ({ type, scheme }) => {
    describe.each(wireValues(scheme).map((wire) => ({ wire })))('as $wire', ({ wire: positionEmbedding }) => {
      const asked = { positionEmbedding, length: 8, offset: 4, embeddingDim: EMBEDDING_DIM }

      it('gives the tensors that it names, in the shapes and types that it declares', () => {
        const tensors = tensorsOf(asked)
        expect([...tensors.keys()]).toEqual(scheme.tensorNames)
        if (scheme.added !== undefined) {
          expect(scheme.added).toBe('position_embeddings')
          expect(tensors.get(scheme.added)?.shape).toEqual([asked.length, EMBEDDING_DIM])
        } else expect(tensors.has('position_embeddings')).toBe(false)
        for (const tensor of tensors.values()) {
          for (const axis of tensor.shape) expect(axis).toBeGreaterThan(0)
          expect(['int32', 'float32']).toContain(tensor.dtype)
          if (isComputed(tensor)) expect(elements(tensor)).not.toContain(-999)
        }
      })

      it('gives finite values', () => {
        for (const tensor of [...tensorsOf(asked).values()].filter(isComputed)) {
          const masks = type === 'alibi' && (positionEmbedding.form ?? 'causal') === 'causal'
          const good = [...elements(tensor)].every((x) => Number.isFinite(x) || (masks && x === -Infinity))
          expect(good, tensor.name).toBe(true)
        }
      })

      it('gives the same values each time', () => {
        const again = tensorsOf(asked)
        for (const [name, tensor] of tensorsOf(asked)) {
          if (isComputed(tensor)) expect(elements(tensor)).toEqual(elements(again.get(name)))
        }
      })

      it('gives the same values range by range, in any order', () => {
        for (const tensor of [...tensorsOf(asked).values()].filter(isComputed)) {
          const whole = elements(tensor)
          const range = fc
            .tuple(fc.nat(whole.length - 1), fc.integer({ min: 1, max: whole.length }))
            .map(([start, length]) => [start, Math.min(length, whole.length - start)] as const)
          fc.assert(
            fc.property(range, ([start, length]) => {
              expect(elements(tensor, start, length)).toEqual(whole.subarray(start, start + length))
            }),
            { numRuns: 40 },
          )
        }
      })

      it('continues a sequence: length 8 from position 4 are the last 8 of 12', () => {
        const whole = tensorsOf({ ...asked, length: 12, offset: 0 })
        for (const [name, part] of tensorsOf(asked)) {
          const all = whole.get(name)!
          if (part.table) {
            expect(part.table.firstRow - (all.table?.firstRow ?? 0)).toBe(4)
          } else {
            expect([...elements(part)], name).toEqual(lastPart(all, part.shape))
          }
        }
      })
    })

    it('describes each option', () => {
      for (const [name, option] of Object.entries<z.ZodType>(scheme.options.shape)) {
        expect(option.description, name).toBeTruthy()
      }
    })

    it('refuses an invalid value of an option, by the name of the option', () => {
      for (const name of Object.keys(scheme.options.shape)) {
        for (const value of [null, [], 'nonsense', -7.5]) {
          const { error } = positionEmbeddingSchema.safeParse({ type, [name]: value })
          expect(error?.issues[0]?.path[0], `${name} = ${JSON.stringify(value)}`).toBe(name)
        }
      }
    })

    it('refuses an option that it does not have, by its name', () => {
      const { error } = positionEmbeddingSchema.safeParse({ type, no_such_option: 1 })
      expect(error?.issues).toMatchObject([{ code: 'unrecognized_keys', keys: ['no_such_option'] }])
    })

    it('has a section in the docs that names its options, its tensors and a call', () => {
      const section = docs.split(/^##? /m).find((part) => part.startsWith(`\`${type}\``))
      expect(section, `no page has "## \`${type}\`"`).toBeDefined()
      for (const name of [...Object.keys(scheme.options.shape), ...scheme.tensorNames]) {
        expect(section).toContain(`\`${name}\``)
      }
      expect(section).toMatch(/```sh\ncurl [^`]*position_embedding/)
    })
  },
)

describe('the registry', () => {
  it('has each wire value once', () => {
    const types = positionSchemes.map(({ type }) => type)
    expect(new Set(types).size).toBe(types.length)
  })

  it('names the learned table’s rows and the request in its refusals', () => {
    const request = { ...requestOf({ positionEmbedding: '', length: 25 }), offset: 1000 }
    const problem = bind('learned_absolute').check(request)
    expect(problem?.code).toBe('context_too_long')
    expect(problem?.message).toMatch(/1024.*1025/)
    expect(bind('learned_absolute').check({ ...request, length: 24 })).toBeUndefined()
  })
})
