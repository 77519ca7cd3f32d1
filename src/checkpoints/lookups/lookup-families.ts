import type { Architecture } from '../../first-layer/embeddings/architectures/registry.js'
import type {
  DiskTableCard,
  LookupCard,
  NgramHash,
  NgramTableCard,
} from '../../first-layer/lookups/lookup-card.js'
import type { FloatDtype } from '../../first-layer/tensors/named-tensor.js'
import { FLOAT_DTYPES } from '../../first-layer/tensors/safetensors/header.js'
import { rounded } from '../../first-layer/tensors/sixteen-bits.js'
import { type Checkpoint, type CheckpointTensor, checkTensor, declared } from '../checkpoint.js'
import { CONFIG_FILE, folderError } from '../checkpoint-files.js'
import type { ConfigJson } from '../config-json.js'
import { qwenBuffers } from './qwen-hashes.js'

/** A checkpoint of a family that looks up or takes more than a token's row. */
interface Found {
  readonly checkpoint: Checkpoint
  /** config.json, or its `text_config`. */
  readonly config: ConfigJson
  /** config.json */
  readonly whole: ConfigJson
  readonly tokens: CheckpointTensor
  readonly dtype: FloatDtype
}

/** What its first layer has beside the token's row. */
export interface CheckpointLookups {
  readonly card: LookupCard
  /** Tensors that become tables in memory, by the tables' names. */
  readonly tables: Readonly<Record<string, CheckpointTensor>>
  /** Tensors that stay in their files, and those that were read for the card. */
  readonly onDisk: readonly CheckpointTensor[]
  readonly replaced?: Architecture['replaced']
}

type LookupsOf = (found: Found) => Promise<CheckpointLookups | undefined>

/** @param routes whether blocks choose experts by the token's id */
const copies =
  (field: string, routes = (_: ConfigJson) => false): LookupsOf =>
  async ({ config }) => ({
    card: {
      streams: { count: config.size(field) ?? 4, areProjected: false },
      ...(routes(config) && { routesById: true }),
    },
    ...{ tables: {}, onDisk: [] },
  })

/** The families by `model_type`. */
export const LOOKUPS: Readonly<Record<string, LookupsOf>> = {
  gemma3n,
  gemma3n_text: gemma3n,
  gemma4: async (found) => ({ ...(await gemmaLayers(found, false)), replaced: replacedIds(found) }),
  gemma4_text: (found) => gemmaLayers(found, false),
  qwen4_exp: qwen,
  qwen4_exp_text: qwen,
  blt,
  // The first three blocks, unless config.json says otherwise.
  deepseek_v4: copies('hc_mult', (config) => config.number('num_hash_layers') !== 0),
  hy_v4: copies('hc_mult'),
  hy_v4_vl: copies('hc_mult'),
  glm5_next: copies('hc_mult'),
}

/** @throws InletError `model_failed` for a tensor that is missing, or of another shape than config.json says */
export async function lookupsOf(modelType: string, found: Found): Promise<CheckpointLookups | undefined> {
  return Object.hasOwn(LOOKUPS, modelType) ? LOOKUPS[modelType]?.(found) : undefined
}

/** Gemma 3n and 4: a row for each layer. @param roundsScales factors of the sum are rounded to the model's type (3n) */
async function gemmaLayers(found: Found, roundsScales: boolean): Promise<CheckpointLookups> {
  const { config, tokens, dtype } = found
  const width = config.number('hidden_size_per_layer_input') ?? 256
  if (width === 0) return { card: {}, tables: {}, onDisk: [] }
  const layers = config.neededSize('num_hidden_layers')
  const hidden = tokens.shape[1]
  const rows = await needed(found, 'embed_tokens_per_layer.weight', undefined, layers * width)
  const projection = await needed(found, 'per_layer_model_projection.weight', layers * width, hidden)
  const scale = (factor: number) => (roundsScales ? rounded(Math.fround(factor), dtype) : Math.fround(factor))
  return {
    card: {
      perLayer: {
        ...{ layers, width, table: diskTable([rows]) },
        scale: rounded(Math.fround(Math.sqrt(width)), dtype),
        projectionScale: scale(hidden ** -0.5),
        epsilon: config.number('rms_norm_eps') ?? 1e-6,
        sumScale: scale(2 ** -0.5),
      },
    },
    tables: {
      'per_layer.projection.weight': projection,
      'per_layer.norm.weight': await needed(found, 'per_layer_projection_norm.weight', width),
    },
    onDisk: [rows],
  }
}

async function gemma3n(found: Found): Promise<CheckpointLookups> {
  const layers = await gemmaLayers(found, true)
  const hidden = found.tokens.shape[1]
  const count = found.config.size('altup_num_inputs') ?? 4
  const tables: Record<string, CheckpointTensor> = { ...layers.tables }
  for (let k = 0; k < count - 1; k++)
    tables[`streams.${k}.weight`] = await needed(found, `altup_projections.${k}.weight`, hidden, hidden)
  return { ...layers, card: { ...layers.card, streams: { count, areProjected: true } }, tables }
}

/** The ids of images and sounds have the pad's row. */
function replacedIds({ config, whole }: Found): Architecture['replaced'] {
  const names = ['image_token_id', 'audio_token_id', 'video_token_id']
  const ids = names.flatMap((name) => whole.tokenId(name) ?? [])
  return ids.length === 0 ? undefined : { ids, by: config.tokenId('pad_token_id') ?? 0 }
}

/** Qwen4-Exp: tables of hashed n-grams in some layers, and copies of the row. */
async function qwen(found: Found): Promise<CheckpointLookups> {
  const { config, checkpoint, tokens } = found
  const streams = { count: config.size('hc_count') ?? 4, areProjected: false }
  const layers = config.sizes('ple_layer_ids') ?? []
  if (layers.length === 0) return { card: { streams }, tables: {}, onDisk: [] }
  const onDisk: CheckpointTensor[] = []
  const ngramSize = config.neededSize('ngram_size')
  const headsPerNgram = config.neededSize('heads_per_ngram')
  const sizes = {
    ...{ ngramSize, headsPerNgram, vocabSize: config.size('vocab_size') ?? tokens.shape[0] },
    ...{ vocabSizeBase: config.neededSize('ngram_vocab_size_base'), seed: config.number('seed') ?? 0 },
  }
  const tables: NgramTableCard[] = []
  for (const [nth, layer] of layers.entries()) {
    const place = `layers.${layer - 1}.ple.ple_embedding.`
    /** A buffer of the file's own; undefined: it has none. */
    const integers = async (name: string, count: number) => {
      const tensor = await find(found, place + name)
      if (tensor === undefined) return undefined
      checkTensor(tensor, [count], ['I64'])
      onDisk.push(tensor)
      return Array.from(new BigInt64Array((await checkpoint.bytes(tensor)).buffer))
    }
    const count = (ngramSize - 1) * headsPerNgram
    const made = qwenBuffers(sizes, nth)
    const heads = (await integers('ngram_heads_vocab_sizes', count))?.map(Number) ?? made.sizes
    const offsets = (await integers('ngram_heads_offsets', count))?.map(Number) ?? made.offsets
    const multipliers = (await integers('layer_multipliers', ngramSize))?.map(String) ?? made.multipliers
    const hashes = Array.from({ length: ngramSize - 1 }, (_, k): NgramHash => {
      const part = [k * headsPerNgram, (k + 1) * headsPerNgram] as const
      return {
        ...{ combine: 'xor', multipliers: multipliers.slice(0, k + 2) },
        ...{ sizes: heads.slice(...part), offsets: offsets.slice(...part) },
      }
    })
    const shards = await shardsOf(found, `${place}ngram_embedding`)
    onDisk.push(...shards)
    tables.push({ layer, table: diskTable(shards), heads: count, hashes, multipliers })
  }
  const fill = config.tokenId('eos_token_id')
  if (fill === undefined) throw folderError(CONFIG_FILE, '`eos_token_id` is needed: n-grams end there')
  const ngrams = { fill, stopsAtFill: true, context: ngramSize - 1, areAdded: false, ...ofAll(tables) }
  return { card: { ngrams, streams }, tables: {}, onDisk }
}

/** The tables, and their heads and widths together. */
function ofAll(tables: readonly NgramTableCard[]) {
  const sum = (of: (table: NgramTableCard) => number) => tables.reduce((all, each) => all + of(each), 0)
  return { tables, heads: sum(({ heads }) => heads), width: sum(({ heads, table }) => heads * table.width) }
}

/** A table in one tensor, or in several end to end, of which the last may have fewer rows. */
async function shardsOf(found: Found, name: string): Promise<CheckpointTensor[]> {
  const whole = await find(found, `${name}.weight`)
  if (whole !== undefined) return [checkTensor(whole)]
  const shards: CheckpointTensor[] = []
  const first = await needed(found, `${name}.shard_0.weight`)
  for (let next: CheckpointTensor | undefined = first; next !== undefined; ) {
    shards.push(checkTensor(next, [undefined, first.shape[1]], [first.dtype]))
    next = await find(found, `${name}.shard_${shards.length}.weight`)
  }
  return shards
}

/** A prime for each function: `BltModel` of transformers 5.24, `byte_group_hash_function`. */
const BLT_PRIMES = [
  ...[1000000007n, 5915587277n, 1500450271n, 3267000013n, 5754853343n, 4093082899n, 9576890767n],
  ...[3628273133n, 2860486313n, 5463458053n, 3367900313n],
]

/** BLT: rows of hashed groups of bytes, added to the byte's own. */
async function blt(found: Found): Promise<CheckpointLookups> {
  const { whole, tokens } = found
  const functions = whole.size('encoder_hash_byte_group_nb_functions') ?? 1
  const groups = whole.sizes('encoder_hash_byte_group_size') ?? [3, 4, 5, 6, 7, 8]
  const size = whole.size('encoder_hash_byte_group_vocab') ?? 500_002
  const primes = Array.from({ length: functions }, (_, f) => BLT_PRIMES[f % BLT_PRIMES.length])
  const hashes = primes.flatMap((prime, f) =>
    groups.map((group, g): NgramHash => {
      const powers = Array.from({ length: group }, (_, k) =>
        BigInt.asIntN(64, prime ** BigInt(group - 1 - k)),
      )
      const offset = (f * groups.length + g) * size
      return { combine: 'sum', multipliers: powers.map(String), sizes: [size], offsets: [offset] }
    }),
  )
  const rows = await needed(found, 'encoder_hash_tok_embedding.weight', undefined, tokens.shape[1])
  const own = { layer: 0, table: diskTable([rows]), heads: hashes.length, multipliers: primes.map(String) }
  const context = Math.max(...groups) - 1
  const ngrams = { fill: 0, stopsAtFill: false, context, areAdded: true, ...ofAll([{ ...own, hashes }]) }
  return { card: { ngrams }, tables: {}, onDisk: [rows] }
}

/** Tensors beside the token table have the same prefix. */
function prefixOf({ tokens }: Found): string {
  return tokens.name.replace(/(local_encoder\.)?embed_tokens\.weight$/, '')
}

function find(found: Found, name: string): Promise<CheckpointTensor | undefined> {
  return found.checkpoint.find([prefixOf(found) + name])
}

/** @param shape of the tensor, as far as it is known; absent: any */
async function needed(found: Found, name: string, ...shape: readonly (number | undefined)[]) {
  const tensor = await found.checkpoint.needed([prefixOf(found) + name])
  return checkTensor(tensor, shape.length === 0 ? undefined : shape)
}

function diskTable(tensors: readonly CheckpointTensor[]): DiskTableCard {
  const [{ dtype, shape }] = tensors as [CheckpointTensor]
  const rows = tensors.reduce((sum, tensor) => sum + tensor.shape[0], 0)
  return { tensors: tensors.map(declared), rows, width: shape[1], stored: FLOAT_DTYPES[dtype] }
}
