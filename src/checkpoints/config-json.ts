import { visible } from '../first-layer/errors.js'
import { parsePythonJson } from '../first-layer/python-json.js'
import { type CheckpointFiles, CONFIG_FILE, folderError, MAX_CONFIG_BYTES, told } from './checkpoint-files.js'

/** config.json, or its `text_config`. Looks values up by name, then by older names, and checks each. */
export class ConfigJson {
  constructor(
    private readonly values: Readonly<Record<string, unknown>>,
    private readonly path = '',
    private readonly file = CONFIG_FILE,
    private readonly defaults: Readonly<Record<string, number>> = {},
  ) {}

  /** @throws InletError `model_failed` if the text is no JSON object */
  static parse(text: string, file = CONFIG_FILE): ConfigJson {
    const value = parsedFile(file, text)
    if (!isObject(value)) throw folderError(file, `must be a JSON object. Given: ${told(value)}`)
    return new ConfigJson(value, '', file)
  }

  /** Refuses other names than these. */
  checkNames(names: readonly string[]): void {
    const other = Object.keys(this.values).find((name) => !names.includes(name))
    if (other === undefined) return
    throw folderError(this.file, `has a field that is none of ${names.join(', ')}. Given: ${told(other)}`)
  }

  object(name: string): ConfigJson | undefined {
    const value = this.values[name]
    if (value === undefined || value === null) return undefined
    if (!isObject(value)) throw this.#refuse(name, 'must be an object')
    return new ConfigJson(value, `${this.path}${name}.`, this.file)
  }

  /** The first of these objects that is not empty. */
  filled(...names: readonly string[]): ConfigJson | undefined {
    const objects = names.map((name) => this.object(name))
    return objects.find((each) => each !== undefined && Object.keys(each.values).length > 0)
  }

  /** This object, with the other one's values for absent names. */
  over(other: ConfigJson): ConfigJson {
    const values = { ...other.values, ...definedIn(this.values) }
    return new ConfigJson(values, this.path, this.file, other.defaults)
  }

  /** This object with values for names that are absent under their older forms too. */
  withDefaults(defaults: Readonly<Record<string, number>>): ConfigJson {
    return new ConfigJson(this.values, this.path, this.file, defaults)
  }

  /** Whether a name has the value `null`, which keeps a default from being taken. */
  isNull(name: string): boolean {
    return Object.hasOwn(this.values, name) && this.values[name] === null
  }

  text(...names: readonly string[]): string | undefined {
    const found = this.#find(names)
    if (found === undefined || typeof found.value === 'string') return found?.value as string | undefined
    throw this.#refuse(found.name, 'must be a text')
  }

  /** All values that are not null, by their names; each must be a text. */
  texts(): Readonly<Record<string, string>> {
    const named = Object.keys(this.values).map((name) => [name, this.text(name)] as const)
    return Object.fromEntries(named.filter((each): each is [string, string] => each[1] !== undefined))
  }

  flag(name: string): boolean | undefined {
    const found = this.#find([name])
    if (found === undefined || typeof found.value === 'boolean') return found?.value as boolean | undefined
    throw this.#refuse(name, 'must be true or false')
  }

  number(...names: readonly string[]): number | undefined {
    const found = this.#find(names)
    if (found === undefined || Number.isFinite(found.value)) return found?.value as number | undefined
    throw this.#refuse(found.name, 'must be a number')
  }

  /** A whole number of at least 1. */
  size(...names: readonly string[]): number | undefined {
    const value = this.number(...names)
    if (value === undefined || (Number.isSafeInteger(value) && value >= 1)) return value
    throw this.#refuse(this.#find(names)?.name ?? '', 'must be a whole number of at least 1')
  }

  /** As {@link size}, of a required name. */
  neededSize(...names: readonly string[]): number {
    const value = this.size(...names)
    if (value === undefined) throw folderError(this.file, `\`${this.path}${names[0]}\` is needed`)
    return value
  }

  /** A token's id, or the first of a list of ids. */
  tokenId(name: string): number | undefined {
    const found = this.#find([name])
    if (found === undefined) return undefined
    const value = Array.isArray(found.value) ? found.value[0] : found.value
    if (Number.isSafeInteger(value) && value >= 0) return value as number
    if (value === -1) return undefined // some checkpoints' form of none
    throw this.#refuse(name, 'must be a token id, or a list of ids')
  }

  #find(names: readonly string[]): { name: string; value: unknown } | undefined {
    for (const name of names) {
      const value = Object.hasOwn(this.values, name) ? this.values[name] : undefined
      if (value !== undefined && value !== null) return { name, value }
    }
    if (names.some((name) => this.isNull(name))) return undefined
    const name = names.find((each) => Object.hasOwn(this.defaults, each))
    return name === undefined ? undefined : { name, value: this.defaults[name] }
  }

  #refuse(name: string, rule: string) {
    return folderError(this.file, `\`${this.path}${name}\` ${rule}. Given: ${told(this.values[name])}`)
  }
}

/** Reads config.json of a folder; undefined if missing. @throws InletError `model_failed` */
export async function readConfig(files: CheckpointFiles): Promise<ConfigJson | undefined> {
  const text = await files.text(CONFIG_FILE, MAX_CONFIG_BYTES)
  return text === undefined ? undefined : ConfigJson.parse(text)
}

/** A file's JSON, as Python writes it. @throws InletError `model_failed` */
export function parsedFile(file: string, text: string): unknown {
  try {
    return parsePythonJson(text)
  } catch (error) {
    throw folderError(file, `must be JSON: ${visible((error as Error).message)}`)
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function definedIn(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined && value !== null),
  )
}
