import type { Pace } from '../../turn.js'
import { MAX_KEYS, MAX_SHORT_BYTES, outOfBounds, tooManyKeys } from '../json/bounds.js'
import {
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  isSpace,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
} from '../json/characters.js'
import { InputReader } from '../json/input-reader.js'
import { invalidJson } from '../json/invalid-json.js'
import { type LongField, longInput } from '../json/long-fields.js'
import type { LongReader } from '../json/long-reader.js'
import { stringEnd, valueEnd } from '../json/value-end.js'

/** Most inputs that are read; the schema allows fewer. */
const MAX_INPUTS = 16
/** Levels of JSON around an input, and around its members. */
const [INPUT_DEPTH, MEMBER_DEPTH] = [2, 3]

/** What must come next. */
type Awaited =
  | 'list'
  | 'input or end'
  | 'input'
  | 'next input'
  | 'key or end'
  | 'key'
  | 'colon'
  | 'value'
  | 'data'
  | 'next key'
  | 'nothing'

type Input = Record<string, unknown>

/**
 * Reads the list `inputs`: objects whose `data` may be as long as the body. `data` becomes what the native body's ids
 * and texts become, LongTexts or IdLists; all other members are short.
 */
export class InputsReader implements LongReader {
  readonly #inputs: unknown[] = []
  readonly #data = new Map<Input, LongReader>()
  #awaited: Awaited = 'list'
  #input: Input = {}
  #keys = 0
  #key = ''

  constructor(
    private readonly bytes: Buffer,
    private readonly field: string,
    private readonly maxDocuments: number,
  ) {}

  get isDone(): boolean {
    return this.#awaited === 'nothing'
  }

  get byteLength(): number {
    let bytes = 0
    for (const reader of this.#data.values()) bytes += reader.byteLength
    return bytes
  }

  async finish(pace: Pace): Promise<unknown> {
    for (const [input, reader] of this.#data) input.data = await reader.finish(pace)
    return this.#inputs
  }

  step(from: number, stop: number): number {
    let at = from
    while (at < stop && this.#awaited !== 'nothing') {
      if (this.#awaited === 'data') at = this.#readData(at, stop)
      else if (isSpace(this.bytes[at]!)) at++
      else at = this.#readNext(at, this.bytes[at]!)
    }
    return at
  }

  #readData(at: number, stop: number): number {
    const reader = this.#data.get(this.#input) as LongReader
    const end = reader.step(at, stop)
    if (reader.isDone) this.#awaited = 'next key'
    return end
  }

  /** Reads one byte, a key, or a short value. */
  #readNext(at: number, byte: number): number {
    switch (this.#awaited) {
      case 'list':
        return this.#expect(at, byte, OPEN_LIST, 'input or end')
      case 'input or end':
        if (byte === CLOSE_LIST) return this.#expect(at, byte, CLOSE_LIST, 'nothing')
        return this.#beginInput(at, byte)
      case 'input':
        return this.#beginInput(at, byte)
      case 'next input':
        if (byte === CLOSE_LIST) return this.#expect(at, byte, CLOSE_LIST, 'nothing')
        return this.#expect(at, byte, COMMA, 'input')
      case 'key or end':
        if (byte === CLOSE_OBJECT) return this.#expect(at, byte, CLOSE_OBJECT, 'next input')
        return this.#readKey(at, byte)
      case 'key':
        return this.#readKey(at, byte)
      case 'colon':
        return this.#expect(at, byte, COLON, 'value')
      case 'value':
        return this.#readValue(at, byte)
      default:
        if (byte === CLOSE_OBJECT) return this.#expect(at, byte, CLOSE_OBJECT, 'next input')
        return this.#expect(at, byte, COMMA, 'key')
    }
  }

  #expect(at: number, byte: number, expected: number, next: Awaited): number {
    if (byte !== expected) throw invalidJson(this.bytes, at)
    this.#awaited = next
    return at + 1
  }

  #beginInput(at: number, byte: number): number {
    if (this.#inputs.length === MAX_INPUTS)
      throw outOfBounds(this.field, `have at most ${MAX_INPUTS} elements`)
    if (byte === OPEN_OBJECT) {
      this.#input = {}
      this.#keys = 0
      this.#inputs.push(this.#input)
      this.#awaited = 'key or end'
      return at + 1
    }
    const end = valueEnd(this.bytes, at, this.field, INPUT_DEPTH)
    this.#inputs.push(this.#parsed(at, end))
    this.#awaited = 'next input'
    return end
  }

  #readKey(at: number, byte: number): number {
    if (byte !== QUOTE) throw invalidJson(this.bytes, at)
    if (++this.#keys > MAX_KEYS) throw tooManyKeys(this.field)
    const end = stringEnd(this.bytes, at, at + MAX_SHORT_BYTES, this.field)
    this.#key = this.#parsed(at, end) as string
    this.#awaited = 'colon'
    return end
  }

  #readValue(at: number, byte: number): number {
    if (this.#key === 'data') {
      this.#data.delete(this.#input) // of a repeated key the last value counts
      if (longInput.begins(byte)) {
        const field = `${this.field}.${this.#inputs.length - 1}.data`
        this.#data.set(this.#input, new InputReader(this.bytes, field, this.maxDocuments))
        this.#awaited = 'data'
        return at
      }
    }
    const end = valueEnd(this.bytes, at, this.field, MEMBER_DEPTH)
    const value = this.#parsed(at, end)
    Object.defineProperty(this.#input, this.#key, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    })
    this.#awaited = 'next key'
    return end
  }

  #parsed(at: number, end: number): unknown {
    return JSON.parse(this.bytes.toString('utf8', at, end))
  }
}

/** The list of an inference request's inputs. */
export const inputsField: LongField = {
  begins: (byte) => byte === OPEN_LIST,
  reader: (bytes, field, maxDocuments) => new InputsReader(bytes, field, maxDocuments),
}
