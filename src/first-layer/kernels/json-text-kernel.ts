import { instantiate } from './wasm-module.js'

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer }
  readonly MOST: { readonly value: number }
  readonly IN: { readonly value: number }
  readonly OUT: { readonly value: number }
  readonly written: { readonly value: number }
  readContent(bytes: number): number
}

/** The content of JSON strings as UTF-8, in a memory of its own. What a call has written stands there until the next one. */
export class JsonTextKernel {
  readonly #exports = instantiate<Exports>('json-text')
  readonly #in: Uint8Array
  readonly #out: Uint8Array

  constructor() {
    const { memory, IN, OUT, MOST } = this.#exports
    this.#in = new Uint8Array(memory.buffer, IN.value, MOST.value)
    this.#out = new Uint8Array(memory.buffer, OUT.value, MOST.value)
  }

  /** Most bytes of one call. */
  get most(): number {
    return this.#in.length
  }

  /**
   * Reads `content`, at most `most` bytes of a string between its quotes: `a\u00e9"` → 7 read, 61 c3 a9 written. Stops
   * before a quote, a control character, an escape that is broken or goes on behind the bytes, and half a surrogate pair.
   *
   * @returns the number of bytes read
   */
  read(content: Uint8Array): number {
    this.#in.set(content)
    return this.#exports.readContent(content.length)
  }

  /** What the last call has written: never more bytes than it has read. */
  get written(): Uint8Array {
    return this.#out.subarray(0, this.#exports.written.value)
  }
}

let kernel: JsonTextKernel | undefined

/** The thread's kernel, made at first use. */
export function jsonTextKernel(): JsonTextKernel {
  kernel ??= new JsonTextKernel()
  return kernel
}
