import { visible } from '../first-layer/errors.js'
import { otherFile, parsePythonJson } from '../first-layer/python-json.js'
import { isObject } from '../first-layer/tokens/tokenizer-file/fields.js'
import { type CheckpointFiles, CONFIG_FILE, folderError, told } from './checkpoint-files.js'

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

  /** The first name like this that has a value. */
  nameLike(pattern: RegExp): string | undefined {
    return Object.keys(this.values).find((name) => pattern.test(name) && !this.isNull(name))
  }

  object(name: string): ConfigJson | undefined {
    const value = this.values[name]
    if (value === undefined || value === null) return undefined
    if (!isObject(value)) throw this.#refuse(name, 'must be an object')
    return new ConfigJson(value, `${this.path}${name}.`, this.file)
  }

  /** Names of the values that are objects. */
  objectNames(): readonly string[] {
    return Object.keys(this.values).filter((each) => isObject(this.values[each]))
  }

  /** The first of these objects that is not empty. */
  filled(...names: readonly string[]): ConfigJson | undefined {
    const objects = names.map((name) => this.object(name))
    return objects.find((each) => each !== undefined && Object.keys(each.values).length > 0)
  }

  /** This object, with the other one's values for absent names. */
  over(other: ConfigJson): ConfigJson {
    const own = Object.entries(this.values).filter(([, value]) => value !== undefined && value !== null)
    const values = { ...this.values, ...other.values, ...Object.fromEntries(own) }
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
    return this.#value(names, (value) => typeof value === 'string', 'must be a text')
  }

  flag(name: string): boolean | undefined {
    return this.#value([name], (value) => typeof value === 'boolean', 'must be true or false')
  }

  number(...names: readonly string[]): number | undefined {
    return this.#value(names, (value): value is number => Number.isFinite(value), 'must be a number')
  }

  /** A whole number of at least 1. */
  size(...names: readonly string[]): number | undefined {
    return this.#value(names, isSize, 'must be a whole number of at least 1')
  }

  /** A list of whole numbers of at least 1. */
  sizes(name: string): readonly number[] | undefined {
    const isList = (value: unknown): value is number[] => Array.isArray(value) && value.every(isSize)
    return this.#value([name], isList, 'must be a list of whole numbers of at least 1')
  }

  /** As {@link size}, of a required name. */
  neededSize(...names: readonly string[]): number {
    const value = this.size(...names)
    if (value === undefined) throw folderError(this.file, `\`${this.path}${names[0]}\` is needed`)
    return value
  }

  /** A token's id, or the first of a list of ids; −1 is some checkpoints' form of none. */
  tokenId(name: string): number | undefined {
    const isId = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= -1
    const first = (value: unknown) => (Array.isArray(value) ? value[0] : value)
    const rule = 'must be a token id, or a list of ids'
    const id = first(this.#value([name], (value): value is unknown => isId(first(value)), rule))
    return id === -1 ? undefined : id
  }

  #value<Value>(
    names: readonly string[],
    isRight: (value: unknown) => value is Value,
    rule: string,
  ): Value | undefined {
    const found = this.#find(names)
    if (found === undefined || isRight(found.value)) return found?.value as Value | undefined
    throw this.#refuse(found.name, rule)
  }

  #find(names: readonly string[]): { name: string; value: unknown } | undefined {
    const hasValue = (name: string) => Object.hasOwn(this.values, name) && !this.isNull(name)
    const given = names.find(hasValue)
    if (given !== undefined) return { name: given, value: this.values[given] }
    if (names.some((name) => this.isNull(name))) return undefined
    const name = names.find((each) => Object.hasOwn(this.defaults, each))
    return name === undefined ? undefined : { name, value: this.defaults[name] }
  }

  #refuse(name: string, rule: string) {
    return folderError(this.file, `\`${this.path}${name}\` ${rule}. Given: ${told(this.values[name])}`)
  }
}

function isSize(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 1
}

/** Reads config.json of a folder; undefined if missing. @throws InletError `model_failed` */
export async function readConfig(files: CheckpointFiles): Promise<ConfigJson | undefined> {
  const text = await files.text(CONFIG_FILE)
  return text === undefined ? undefined : ConfigJson.parse(text)
}

/** A file's JSON, as Python writes it. @throws InletError `model_failed` */
export function parsedFile(file: string, text: string): unknown {
  try {
    return parsePythonJson(text)
  } catch (error) {
    throw folderError(file, `must be JSON: ${otherFile(text) ?? visible((error as Error).message)}`)
  }
}
