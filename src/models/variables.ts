import { z } from 'zod'
import { CARD_DEFAULTS, MAX_INIT_STD, SIZE_RANGES } from '../first-layer/cards/card-json.js'
import { architectureNames } from '../first-layer/embeddings/architectures/registry.js'
import {
  type PositionEmbeddingValue,
  positionEmbeddingSchema,
} from '../first-layer/embeddings/positions/position-option.js'
import { shown } from '../first-layer/errors.js'
import { DECIMAL_SEED, isSeed, SEED_RANGE } from '../first-layer/random/seed.js'
import { ENCODING_NAMES } from '../first-layer/tokens/encodings.js'
import type { ModelFolder } from './model-folders.js'
import { isModelId, MODEL_ID_RULE } from './model-id.js'

/** A wrong value in the environment; the message names the variable, the rule and the value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

export function optionalInteger(min: number, max: number) {
  return withRule(wholeNumber(min, max).optional(), `an integer from ${min} to ${max}`)
}

export function integer(fallback: number, min: number, max: number) {
  return withRule(wholeNumber(min, max).prefault(String(fallback)), `an integer from ${min} to ${max}`)
}

export function zeroOrOne() {
  return z.enum(['0', '1']).transform((given) => given === '1')
}

function wholeNumber(min: number, max: number) {
  return z
    .string()
    .regex(/^\d{1,16}$/)
    .transform(Number)
    .pipe(z.number().min(min).max(max))
}

/** Names the rule that an error and `--help` show; `describe` gives unit and purpose. */
export function withRule<S extends z.ZodType>(schema: S, rule: string): S {
  return schema.meta({ rule }) as S
}

export function oneOf<const Names extends readonly string[]>(names: Names, fallback: Names[number]) {
  return withRule(z.enum(names).prefault(fallback), `one of ${names.join(', ')}`)
}

/** `rope`, or `{"type":"rope","head_dim":128}`. */
function parsedPosition(given: string, context: z.core.$RefinementCtx): PositionEmbeddingValue {
  const result = positionEmbeddingSchema.safeParse(given.startsWith('{') ? jsonOrText(given) : given)
  if (result.success) return result.data
  const [issue] = result.error.issues
  const unknown = issue.code === 'unrecognized_keys' ? issue.keys : []
  const rule = unknown.length > 0 ? 'is not an option' : issue.message
  context.addIssue({ code: 'custom', message: `${[...issue.path, ...unknown].join('.')} ${rule}`.trim() })
  return z.NEVER
}

/** The value of a JSON text. A text that is not JSON is returned as it is, and the schema then refuses it. */
export function jsonOrText(given: string): unknown {
  try {
    return JSON.parse(given)
  } catch {
    return given
  }
}

/** `tiny=./models/tiny, gpt=openai-community/gpt2`: names, and a path or `org/model[@revision]` of each. */
function namedSources(given: string, context: z.core.$RefinementCtx): readonly ModelFolder[] {
  const paths = new Map<string, string>()
  for (const entry of given.split(',').map((part) => part.trim())) {
    const [, name = '', path = ''] = /^([^=]*)=(.*)$/s.exec(entry) ?? []
    let message: string | undefined
    if (path === '') message = `${shown(entry)} is no name=path`
    else if (!isModelId(name)) message = `a name must be ${MODEL_ID_RULE}, not ${shown(name)}`
    else if (name === 'default') message = 'the name default is the environment’s own model’s'
    else if (paths.has(name)) message = `the name ${name} stands twice`
    if (message !== undefined) {
      context.addIssue({ code: 'custom', message })
      return z.NEVER
    }
    paths.set(name, path)
  }
  return [...paths].map(([name, path]) => ({ name, path }))
}

export const MAX_BYTES = 2 ** 40
/** 1 PiB. */
export const MAX_STORED_BYTES = 2 ** 50
export const MIB = 2 ** 20

/** The variables of models, which the command reads too. */
export const MODEL_VARIABLES = {
  ENCODING: oneOf(ENCODING_NAMES, CARD_DEFAULTS.encoding)
    .describe('Tokenizer of the default model.')
    .meta({ group: 'The default model' }),
  VOCAB_SIZE: optionalInteger(...SIZE_RANGES.vocab_size).describe(
    'Rows of the token table, V. Default: the encoding’s highest id + 1. Ids beyond it are refused.',
  ),
  EMBEDDING_DIM: integer(CARD_DEFAULTS.embedding_dim, ...SIZE_RANGES.embedding_dim).describe(
    'Width of a row, C, in elements.',
  ),
  MAX_POSITION_EMBEDDINGS: integer(
    CARD_DEFAULTS.max_position_embeddings,
    ...SIZE_RANGES.max_position_embeddings,
  ).describe('Rows of the learned position table, P.'),
  TYPE_VOCAB_SIZE: integer(CARD_DEFAULTS.type_vocab_size, ...SIZE_RANGES.type_vocab_size).describe(
    'Rows of the token-type table (BERT’s).',
  ),
  SEED: withRule(
    z.string().regex(DECIMAL_SEED).transform(BigInt).refine(isSeed).prefault(String(CARD_DEFAULTS.seed)),
    `an integer ${SEED_RANGE}`,
  ).describe('`torch.manual_seed` before the tables are drawn.'),
  INIT_STD: withRule(
    z
      .string()
      .regex(/^\d*\.?\d+(e-?\d+)?$/i)
      .transform(Number)
      .pipe(z.number().positive().max(MAX_INIT_STD))
      .prefault(String(CARD_DEFAULTS.init_std)),
    `a number above 0, at most ${MAX_INIT_STD}`,
  ).describe('Standard deviation of the tables; 1 is `nn.Embedding`’s own.'),
  ARCHITECTURE: oneOf(architectureNames, CARD_DEFAULTS.architecture).describe(
    'What is done to the token rows, see docs/architectures.md.',
  ),
  POSITION_EMBEDDING: withRule(
    z.string().transform(parsedPosition).optional(),
    'a position scheme’s type, or a JSON object with `type` and options',
  ).describe('Position scheme of the default model. Default: the architecture’s.'),
  MODELS_DIR: withRule(z.string().optional(), 'a folder')
    .describe(
      'Folder with a model in each folder of its own. Default: `./models`, if it is there, and the package’s own with `tiny`.',
    )
    .meta({ group: 'Models' }),
  MODELS: withRule(
    z.string().transform(namedSources).optional(),
    'name=path or name=org/model[@revision] pairs with commas between them, each name once',
  ).describe('More models, by name: a folder, or a repository in the Hugging Face cache on disk.'),
  MODELS_STRICT: withRule(zeroOrOne().optional(), '0 or 1').describe(
    'Whether a model that cannot be loaded stops the start. Default: those of `MODELS` do, those found in a folder are `failed`; the default model always does.',
  ),
  DEFAULT_MODEL: withRule(z.string().refine(isModelId).prefault('default'), MODEL_ID_RULE).describe(
    'The model that a request without `model` gets.',
  ),
  MODELS_LOAD: oneOf(['start', 'request'], 'start').describe(
    'When tables are made: all before the service is ready, or each with the first request for it.',
  ),
  MAX_TABLE_BYTES: optionalInteger(1, MAX_BYTES).describe(
    'Bytes of all models’ tables together. Default: half of the memory that the container may use.',
  ),
  TF_BACKEND: oneOf(['auto', 'cpu', 'tensorflow'], 'auto').describe(
    'TensorFlow.js backend. `auto` takes the faster one for this work, `cpu` (docs/tfjs-node.md).',
  ),
} as const

/** The limits on bodies and answers, in bytes. */
export const LIMIT_VARIABLES = {
  MAX_BODY_BYTES: integer(64 * MIB, 1, MAX_BYTES).describe(
    'Largest text/plain body, in bytes after unpacking.',
  ),
  MAX_JSON_BODY_BYTES: integer(2 * MIB, 1, 512 * MIB).describe(
    'Largest JSON body, line of NDJSON and text of a rendered chat, in bytes after unpacking.',
  ),
  MAX_JSON_RESPONSE_BYTES: integer(256 * MIB, 1, MAX_BYTES).describe(
    'Largest JSON answer, in bytes; a float counts 14, an id 7, a token of `/v1/tokenize` 100.',
  ),
  MAX_RESPONSE_BYTES: integer(8 * 1024 * MIB, 1, MAX_BYTES).describe('Largest binary answer, in bytes.'),
} as const

export type Shapes = z.ZodRawShape

export type Variables<Of extends Shapes> = Readonly<z.output<z.ZodObject<Of>>>

export type ModelVariables = Variables<typeof MODEL_VARIABLES>

/**
 * Reads variables. An empty one counts as absent, as compose files leave them.
 * @throws ConfigError "PORT must be an integer from 0 to 65535. Given: "abc""
 */
export function readVariables<Of extends Shapes>(
  env: Readonly<Record<string, string | undefined>>,
  shapes: Of,
): Variables<Of> {
  const given = Object.fromEntries(
    Object.entries(env).filter(([name, value]) => name in shapes && value !== ''),
  )
  const result = z.object(shapes).safeParse(given)
  if (result.success) return result.data
  throw configError(result.error.issues[0], given, shapes)
}

function configError(
  issue: z.core.$ZodIssue,
  given: Readonly<Record<string, string | undefined>>,
  shapes: Shapes,
): ConfigError {
  const name = String(issue.path[0])
  const { rule, secret } = (shapes[name] as z.ZodType).meta() ?? {}
  if (secret) return new ConfigError(`${name} must be ${rule}. ${issue.message}`)
  const detail = issue.code === 'custom' && issue.message !== 'Invalid input' ? ` (${issue.message})` : ''
  return new ConfigError(`${name} must be ${rule}${detail}. Given: ${shown(given[name])}`)
}
