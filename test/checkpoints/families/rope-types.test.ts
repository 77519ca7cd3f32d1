import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { textConfig } from '../../../src/checkpoints/checkpoint-card.js'
import { ConfigJson } from '../../../src/checkpoints/config-json.js'
import { FAMILIES } from '../../../src/checkpoints/families/families.js'
import { bindPositionEmbedding } from '../../../src/first-layer/embeddings/positions/position-embedding.js'
import { readPositionEmbedding } from '../../../src/first-layer/embeddings/positions/position-option.js'

/** The number of frequencies, the first, second, middle and last, and the factor of cos and sin. */
type Frequencies = readonly [count: number, ...numbers: number[]]
type Json = Record<string, unknown>

interface Golden {
  readonly model_type: string
  readonly config: Json
  readonly cases: readonly {
    readonly what: string
    readonly set?: Json
    readonly left_out?: readonly string[]
    /** By the kind of layer; '' is that of all. */
    readonly kinds: Readonly<Record<string, Frequencies>>
  }[]
}

const url = new URL('../../goldens/rope_types.ndjson.gz', import.meta.url)
const goldens: Golden[] = gunzipSync(readFileSync(url))
  .toString()
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line))

/** The part of config.json about text, as the generator finds it. */
function textPart(config: Json): Json {
  const outer = (config.thinker_config ??
    (config.model_type === 't5gemma2' && config.encoder) ??
    config) as Json
  return ((outer || config).text_config ?? (outer || config)) as Json
}

/** The same of what we make of config.json; the name of the scheme for one that is refused. */
function ours(config: Json, modelType: string): Frequencies | string {
  const family = FAMILIES.find((each) => each.modelType === modelType)!
  const text = textConfig(ConfigJson.parse(JSON.stringify(config)), family).withDefaults(family.defaults)
  const scheme = schemeOf(() => readPositionEmbedding(family.scheme(text)))
  if (typeof scheme === 'string') return scheme
  if (scheme.type !== 'rope') return JSON.stringify(scheme)
  const tensors = bindPositionEmbedding(scheme).tensors({ length: 1, offset: 0, embeddingDim: 8 } as never)
  const numbers = (name: string) => {
    const tensor = tensors.find((each) => each.name === name) as unknown as {
      shape: number[]
      fill(out: Float32Array, start: number): void
    }
    const out = new Float32Array(tensor.shape.reduce((a, b) => a * b, 1))
    tensor.fill(out, 0)
    return out
  }
  const inverse = numbers('inv_freq')
  const n = inverse.length
  return [n, inverse[0]!, inverse[Math.min(1, n - 1)]!, inverse[n >> 1]!, inverse[n - 1]!, numbers('cos')[0]!]
}

function schemeOf<Scheme>(make: () => Scheme): Scheme | string {
  try {
    return make()
  } catch (error) {
    return (error as Error).message
  }
}

const near = (a: number, b: number) => Math.abs(a - b) <= 2e-6 * Math.abs(b)

/** Kinds of rope that are refused by these names. */
const NOT_COMPUTED = ['longrope', 'proportional', 'other']

/** Our numbers where they are right; else what is wrong, or the name of the refusal. */
function verdict(
  { model_type, config }: Golden,
  { set = {}, left_out = [], kinds }: Golden['cases'][number],
): string {
  const changed = structuredClone(config)
  const part = textPart(changed)
  for (const name of left_out) delete part[name]
  Object.assign(part, set)
  const wanted =
    kinds.full_attention ?? Object.entries(kinds).find(([kind]) => !kind.startsWith('sliding'))?.[1]
  const found = ours(changed, model_type)
  if (typeof found === 'string') return found
  const isRight = (wanted ?? Object.values(kinds)[0]!).every((value, i) => near(found[i]!, value))
  return isRight ? 'right' : `${found} in place of ${JSON.stringify(kinds)}`
}

test.each(goldens)('$model_type: the frequencies of transformers, or refused by name', (golden) => {
  for (const each of golden.cases) {
    const found = verdict(golden, each)
    const refusals = NOT_COMPUTED.map((name) => JSON.stringify({ type: 'none', rope_type: name }))
    // A folder is refused, with the field's name, that asks for a length which it does not have.
    const unknown = each.what === 'without parameters' ? ['{"type":"none"}'] : [] // of a type of which no more is known
    const allowed = ['right', ...unknown, ...refusals, 'config.json: `max_position_embeddings` is needed']
    expect(allowed, `${each.what}: ${found}`).toContain(found)
    // What cannot be computed is refused, and nothing else is.
    if (each.what === 'longrope') expect(found).toMatch(/longrope|other/)
    if (['linear', 'yarn', 'llama3', 'old'].includes(each.what) && !PARTLY.test(golden.model_type))
      expect([each.what, found]).toEqual([each.what, 'right'])
  }
})

/** Types that are refused as they are: of an order of their own, or with heads whose default width is odd. */
const PARTLY = /^(ernie4_5_vl_moe|glm4v?_moe|qwen3_omni_moe.*)$/

test('of the types as their classes make them these are refused', () => {
  const refused = goldens.filter((golden) => verdict(golden, golden.cases[0]!) !== 'right')
  expect(refused.map(({ model_type }) => model_type)).toEqual([
    ...[
      'diffusion_gemma',
      'ernie4_5_vl_moe',
      'gemma4_text',
      'gemma4_unified_text',
      'gemma4_unified',
      'gemma4',
    ],
    ...['glm4_moe', 'glm4v_moe', 'lfm3_vl', 'lfm3', 'qwen3_omni_moe_thinker', 'qwen3_omni_moe'],
  ])
  expect(goldens.length).toBeGreaterThan(190)
})
