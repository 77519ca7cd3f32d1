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

/** The tensors of one safetensors file, by their names. */
type Header = ReadonlyMap<string, CheckpointTensor>

/** The safetensors files of a folder. Reads a file's header when one of its tensors is looked up. */
export class Checkpoint {
  readonly #headers = new Map<string, Promise<Header>>()

  private constructor(
    private readonly folder: CheckpointFiles,
    /** The file that lists the tensors: the only one, or an index. */
    private readonly list: string,
    /** Names of tensors → names of files, which are plain names in the folder. */
    private readonly files: ReadonlyMap<string, string>,
    /** Bytes of all tensors by the index, or of the only file; undefined if the index has no total. */
    readonly totalBytes: number | undefined,
  ) {}

  /** @throws InletError `model_failed` if the folder has no safetensors, with how to convert its weights */
  static async of(folder: CheckpointFiles): Promise<Checkpoint> {
    const names = await folder.names()
    if (names.includes(SINGLE)) {
      const header = headerOf(folder, SINGLE)
      const tensors = [...(await header).values()]
      const files = new Map(tensors.map(({ name }) => [name, SINGLE]))
      const checkpoint = new Checkpoint(folder, SINGLE, files, tensors[0]?.fileBytes)
      checkpoint.#headers.set(SINGLE, header)
      return checkpoint
    }
    if (names.includes(INDEX)) {
      const { files, totalBytes } = await readIndex(folder)
      return new Checkpoint(folder, INDEX, files, totalBytes)
    }
    const how = howToConvert(names, folder.source) ?? 'The folder has no weights'
    throw new NoTablesError(SINGLE, `is missing. ${how}`)
  }

  /** The first of these tensors that exists. @throws InletError `model_failed` for a broken file */
  async find(names: readonly string[]): Promise<CheckpointTensor | undefined> {
    const name = names.find((each) => this.files.has(each))
    if (name === undefined) return undefined
    const file = this.files.get(name)!
    const tensor = (await this.#header(file)).get(name)
    if (tensor !== undefined) return tensor
    throw folderError(INDEX, `lists ${told(name)} in ${file}, which does not have it`)
  }

  /** As {@link find}. @throws InletError `model_failed` also if there is none */
  async needed(names: readonly string[], why = ''): Promise<CheckpointTensor> {
    const tensor = await this.find(names)
    if (tensor !== undefined) return tensor
    throw folderError(this.list, `${names.map(told).join(' or ')} is missing${why}`)
  }

  /** The bytes of a small tensor. */
  async bytes({ file, at, start, end }: CheckpointTensor): Promise<Uint8Array<ArrayBuffer>> {
    await using opened = await this.folder.open(file)
    return await readFully(opened, new Uint8Array(end - start), at, file)
  }

  /** The first file's first tensor of floats, in the order of names. */
  async firstFloat(): Promise<CheckpointTensor | undefined> {
    const [file] = [...new Set(this.files.values())].sort()
    if (file === undefined) return undefined
    const tensors = [...(await this.#header(file)).values()].sort((a, b) => (a.name < b.name ? -1 : 1))
    return tensors.find(({ dtype }) => [...TABLE_DTYPES, 'F64'].includes(dtype))
  }

  #header(file: string): Promise<Header> {
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
export async function headerOf(folder: CheckpointFiles, name: string): Promise<Header> {
  await using file = await folder.open(name)
  return await readTensors(file, name)
}

/**
 * Reads the header of an open safetensors file.
 *
 * @throws InletError `model_failed` for headers that the reference refuses, and for repeated names
 */
export async function readTensors(file: ReadableFile, name: string): Promise<Header> {
  const { size } = await file.stat()
  try {
    const first = new Uint8Array(Math.min(LENGTH_BYTES, size))
    const length = headerLength(await readFully(file, first, 0, name))
    const data = size - LENGTH_BYTES - length
    if (data < 0) throw new SafetensorsError(`The header has ${length} bytes, the file only ${size}.`)
    const { tensors } = parseHeader(await readFully(file, new Uint8Array(length), LENGTH_BYTES, name), data)
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

/** Reads the index of a checkpoint in shards. */
async function readIndex(folder: CheckpointFiles) {
  const index = Object(parsedFile(INDEX, (await folder.text(INDEX)) ?? ''))
  const { weight_map: map, metadata } = index as { weight_map?: unknown; metadata?: { total_size?: unknown } }
  if (!isObject(map)) throw folderError(INDEX, `\`weight_map\` must be an object. Given: ${told(map)}`)
  for (const [tensor, file] of Object.entries(map)) {
    if (typeof file === 'string' && /^[^/\\\0]+\.safetensors$/.test(file)) continue
    const rule = 'must be the name of a safetensors file in the folder'
    throw folderError(INDEX, `\`weight_map\`.${told(tensor)} ${rule}. Given: ${told(file)}`)
  }
  const total = metadata?.total_size
  const totalBytes = Number.isSafeInteger(total) ? (total as number) : undefined
  return { files: new Map(Object.entries(map as Record<string, string>)), totalBytes }
}
