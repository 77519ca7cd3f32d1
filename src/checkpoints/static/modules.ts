import type { FolderTensor } from '../../first-layer/cards/model-card.js'
import { POOLING_RANGES, type Pooling } from '../../first-layer/pooling/pooling.js'
import { type CheckpointTensor, headerOf } from '../checkpoint.js'
import { declared } from '../checkpoint-card.js'
import {
  CALIBRATION_FILE,
  type CheckpointFiles,
  folderError,
  MAX_CARD_BYTES,
  MAX_MODULES_BYTES,
  MODULES_FILE,
  PROMPTS_FILE,
  STATIC_SETTINGS_FILE,
  told,
} from '../checkpoint-files.js'
import { ConfigJson, parsedFile } from '../config-json.js'

export interface StaticModules {
  /** The folder of the first module's files: empty, or `0_StaticEmbedding/`. */
  readonly path: string
  readonly normalizes: boolean
  /** Numbers of an embedding: `truncate_dim`. */
  readonly dimensions?: number
  /** Put in front of each text. */
  readonly prompt?: string
}

/** A module of sentence-transformers. */
export interface Module {
  /** The last part of its class's name: `Normalize`. */
  readonly type: string
  /** The folder of its files, with a slash at the end; empty for the model's own. */
  readonly path: string
}

/**
 * Reads the modules of modules.json; none if there is no such file.
 *
 * @throws InletError `model_failed`
 */
export async function readModules(files: CheckpointFiles): Promise<readonly Module[]> {
  const text = await files.text(MODULES_FILE, MAX_MODULES_BYTES)
  if (text === undefined) return []
  return listOf(text).map(({ type, path }) => ({
    type: (typeof type === 'string' ? type : '').split('.').at(-1) ?? '',
    path: folderOf(path),
  }))
}

function folderOf(path: unknown): string {
  if (path === '' || path === '.') return ''
  if (typeof path === 'string' && /^[\w.-]+$/.test(path) && path !== '..') return `${path}/`
  throw folderError(MODULES_FILE, `\`path\` must be the name of a folder in it. Given: ${told(path)}`)
}

/**
 * Reads modules.json of a static model: a `StaticEmbedding`, then perhaps a `Normalize`.
 *
 * @throws InletError `model_failed` for any other model
 */
export async function staticModules(files: CheckpointFiles): Promise<StaticModules> {
  const [first, ...others] = await readModules(files)
  if (first?.type !== 'StaticEmbedding' || others.some(({ type }) => type !== 'Normalize')) {
    const given = told([...(first ? [first] : []), ...others].map(({ type }) => type))
    const rule = 'must be a StaticEmbedding, and perhaps Normalize, to be served'
    throw folderError(MODULES_FILE, `${rule}. Given: ${given}`)
  }
  return { path: first.path, normalizes: others.length > 0, ...(await settingsOf(files)) }
}

type Settings = Pick<StaticModules, 'dimensions' | 'prompt'>

/** Source: sentence-transformers 6.2, `truncate_embeddings`. */
async function settingsOf(files: CheckpointFiles): Promise<Settings> {
  const text = await files.text(PROMPTS_FILE, MAX_MODULES_BYTES)
  if (text === undefined) return {}
  const settings = ConfigJson.parse(text, PROMPTS_FILE)
  const dimensions = settings.size('truncate_dim')
  const prompts = settings.object('prompts')?.texts()
  const prompt = prompts?.[settings.text('default_prompt_name') ?? '']
  return { ...(dimensions !== undefined && { dimensions }), ...(prompt !== undefined && { prompt }) }
}

function listOf(text: string): readonly Record<string, unknown>[] {
  const value = parsedFile(MODULES_FILE, text)
  const isList = Array.isArray(value) && value.every((each) => typeof each === 'object' && each !== null)
  if (isList) return value as readonly Record<string, unknown>[]
  throw folderError(MODULES_FILE, `must be a list of objects. Given: ${told(value)}`)
}

/**
 * Reads what the folder of a static model says to this service alone: `{ "accept_ids": true }`.
 *
 * @throws InletError `model_failed` for other fields or types
 */
export async function staticSettings(files: CheckpointFiles): Promise<Pick<Pooling, 'acceptIds'>> {
  const text = await files.text(STATIC_SETTINGS_FILE, MAX_CARD_BYTES)
  if (text === undefined) return {}
  const settings = ConfigJson.parse(text, STATIC_SETTINGS_FILE)
  settings.checkNames(['accept_ids'])
  const acceptIds = settings.flag('accept_ids')
  return acceptIds === undefined ? {} : { acceptIds }
}

/** The tensor in calibration.safetensors: the least and the greatest value of each dimension of a sample's embeddings. */
const RANGES = 'ranges'

/**
 * Finds the ranges of a static model's embeddings, float32 [2, numbers of an embedding]; undefined if its folder has none.
 *
 * @throws InletError `model_failed` for a file without them, or of another shape or type
 */
export async function rangesOf(files: CheckpointFiles, width: number): Promise<CheckpointTensor | undefined> {
  if (!(await files.names()).includes(CALIBRATION_FILE)) return undefined
  const tensor = (await headerOf(files, CALIBRATION_FILE)).get(RANGES)
  const [rule, given] = [
    `must have "${RANGES}" of F32 [2, ${width}]`,
    tensor && `${tensor.dtype} [${tensor.shape.join(', ')}]`,
  ]
  if (given === `F32 [2, ${width}]`) return tensor
  throw folderError(CALIBRATION_FILE, `${rule}. Given: ${given ?? 'none'}`)
}

export function rangesTable(tensor: CheckpointTensor): FolderTensor {
  const { shape } = tensor
  return { ...declared(tensor), table: POOLING_RANGES, shape, stored: 'float32', dtype: 'float32' }
}
