import {
  type FileTensor,
  FLOAT_DTYPES,
  headerLength,
  LENGTH_BYTES,
  parseHeader,
  SafetensorsError,
  type StoredTensor,
} from '../first-layer/tensors/safetensors/header.js'
import { isObject } from '../first-layer/tokens/tokenizer-file/fields.js'
import {
  type CheckpointFiles,
  CONFIG_FILE,
  folderError,
  NoTablesError,
  type ReadableFile,
  readFully,
  told,
} from './checkpoint-files.js'
import { parsedFile } from './config-json.js'
import { howToConvert } from './how-to-convert.js'

/** The only weights' file of a checkpoint without shards. */
export const SINGLE = 'model.safetensors'
const INDEX = 'model.safetensors.index.json'

/** A tensor of a checkpoint, and where its bytes begin in its file. */
export interface CheckpointTensor extends StoredTensor {
  readonly file: string
  /** Offset of its first byte in the file. */
  readonly at: number
  readonly fileBytes: number
}

export function declared({ file, name, dtype, shape }: CheckpointTensor): FileTensor {
  return { file, name, fileDtype: dtype, fileShape: shape }
}

/** The safetensors files of a folder. Reads a file's header when one of its tensors is looked up. */
export class Checkpoint {
  readonly #headers = new Map<string, Promise<ReadonlyMap<string, CheckpointTensor>>>()

  private constructor(
    private readonly folder: CheckpointFiles,
    /** Undefined if there is only one file. */
    private readonly index: Index | undefined,
  ) {}

  /** @throws InletError `model_failed` if the folder has no safetensors, with how to convert its weights */
  static async of(folder: CheckpointFiles): Promise<Checkpoint> {
    const names = await folder.names()
    if (names.includes(SINGLE)) return new Checkpoint(folder, undefined)
    if (names.includes(INDEX)) return new Checkpoint(folder, await readIndex(folder))
    const how = howToConvert(names, folder.source) ?? 'The folder has no weights'
    throw new NoTablesError(SINGLE, `is missing. ${how}`)
  }

  /** Bytes of all tensors by the index, or of the only file; undefined if the index has no total. */
  async totalBytes(): Promise<number | undefined> {
    if (this.index !== undefined) return this.index.totalBytes
    const [tensor] = (await this.#header(SINGLE)).values()
    return tensor?.fileBytes
  }

  /** The first of these tensors that exists. @throws InletError `model_failed` for a broken file */
  async find(names: readonly string[]): Promise<CheckpointTensor | undefined> {
    for (const name of names) {
      const file = this.index === undefined ? SINGLE : this.index.files.get(name)
      if (file === undefined) continue
      const tensor = (await this.#header(file)).get(name)
      if (tensor !== undefined) return tensor
      if (this.index !== undefined)
        throw folderError(INDEX, `lists ${told(name)} in ${file}, which does not have it`)
    }
    return undefined
  }

  /** As {@link find}. @throws InletError `model_failed` also if there is none */
  async needed(names: readonly string[], why = ''): Promise<CheckpointTensor> {
    const tensor = await this.find(names)
    if (tensor !== undefined) return tensor
    const name = names.map(told).join(' or ')
    throw folderError(this.index === undefined ? SINGLE : INDEX, `${name} is missing${why}`)
  }

  /** The bytes of a small tensor. */
  async bytes({ file, at, start, end }: CheckpointTensor): Promise<Uint8Array<ArrayBuffer>> {
    const opened = await this.folder.open(file)
    try {
      return await bytesAt(opened, at, end - start)
    } finally {
      await opened.close()
    }
  }

  /** The first file's first tensor of floats, in the order of names. */
  async firstFloat(): Promise<CheckpointTensor | undefined> {
    const file = this.index === undefined ? SINGLE : [...new Set(this.index.files.values())].sort()[0]
    if (file === undefined) return undefined
    const tensors = [...(await this.#header(file)).values()].sort((a, b) => (a.name < b.name ? -1 : 1))
    return tensors.find(({ dtype }) => [...TABLE_DTYPES, 'F64'].includes(dtype))
  }

  #header(file: string): Promise<ReadonlyMap<string, CheckpointTensor>> {
    const header = this.#headers.get(file) ?? headerOf(this.folder, file)
    this.#headers.set(file, header)
    return header
  }
}

/** The element types of tables, as files call them. */
export const TABLE_DTYPES: readonly string[] = Object.keys(FLOAT_DTYPES)

/**
 * Checks a tensor's type and shape.
 *
 * @param shape an axis may have any size where it is undefined
 * @param why behind the rule: `, as config.json says`
 * @throws InletError `model_failed`
 */
export function checkTensor(
  tensor: CheckpointTensor,
  shape?: readonly (number | undefined)[],
  dtypes = TABLE_DTYPES,
  why = `, as ${CONFIG_FILE} says`,
): CheckpointTensor {
  const { file, name, dtype, shape: given } = tensor
  const fits = shape?.every((size, axis) => size === undefined || size === given[axis]) ?? true
  if (fits && given.length === (shape ?? given).length && dtypes.includes(dtype)) return tensor
  const rule = shape === undefined ? '' : ` [${shape.map((size) => size ?? '…').join(', ')}]${why}`
  const found = `${dtype} [${given.join(', ')}]`
  throw folderError(file, `${told(name)} must be ${dtypes.join(', ')}${rule}. Given: ${found}`)
}

/** The tensors of one safetensors file of a folder. @throws InletError `model_failed` as {@link readTensors} */
export async function headerOf(
  folder: CheckpointFiles,
  name: string,
): Promise<ReadonlyMap<string, CheckpointTensor>> {
  const file = await folder.open(name)
  try {
    return await readTensors(file, name)
  } finally {
    await file.close()
  }
}

/**
 * Reads the header of an open safetensors file.
 *
 * @throws InletError `model_failed` for headers that the reference refuses, and for repeated names
 */
export async function readTensors(
  file: ReadableFile,
  name: string,
): Promise<ReadonlyMap<string, CheckpointTensor>> {
  const { size } = await file.stat()
  try {
    const first = await bytesAt(file, 0, Math.min(LENGTH_BYTES, size))
    const length = headerLength(first)
    const data = size - LENGTH_BYTES - length
    if (data < 0) throw new SafetensorsError(`The header has ${length} bytes, the file only ${size}.`)
    const { tensors } = parseHeader(await bytesAt(file, LENGTH_BYTES, length), data)
    const begin = LENGTH_BYTES + length
    return new Map(
      tensors.map((each) => [each.name, { ...each, file: name, at: begin + each.start, fileBytes: size }]),
    )
  } catch (error) {
    if (error instanceof SafetensorsError)
      throw folderError(name, `must be a whole safetensors file. ${error.message}`)
    throw error
  }
}

async function bytesAt(file: ReadableFile, at: number, length: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(length)
  const done = await readFully(file, bytes, at)
  if (done < length) throw new SafetensorsError(`The file ends at byte ${at + done}.`)
  return bytes
}

/** The index of a checkpoint in shards. */
interface Index {
  /** Names of tensors → names of files, which are plain names in the folder. */
  readonly files: ReadonlyMap<string, string>
  readonly totalBytes: number | undefined
}

async function readIndex(folder: CheckpointFiles): Promise<Index> {
  const text = (await folder.text(INDEX)) ?? ''
  const index = parsedFile(INDEX, text)
  const { weight_map: map, metadata } = (index ?? {}) as {
    weight_map?: unknown
    metadata?: { total_size?: unknown }
  }
  if (!isObject(map)) throw folderError(INDEX, `\`weight_map\` must be an object. Given: ${told(map)}`)
  const files = new Map<string, string>()
  for (const [tensor, file] of Object.entries(map)) {
    if (typeof file !== 'string' || !/^[^/\\\0]+\.safetensors$/.test(file)) {
      const rule = 'must be the name of a safetensors file in the folder'
      throw folderError(INDEX, `\`weight_map\`.${told(tensor)} ${rule}. Given: ${told(file)}`)
    }
    files.set(tensor, file)
  }
  const total = metadata?.total_size
  return { files, totalBytes: Number.isSafeInteger(total) ? (total as number) : undefined }
}
