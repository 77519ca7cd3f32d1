import { STATE, type TokenizeKernel } from '../../kernels/tokenize-kernel.js'
import type { TokenBuffer } from '../token-buffer.js'

const encoder = new TextEncoder()

/** The kernel's state for an unfinished document, and a copy of the memory that it needs. */
interface Saved {
  readonly state: readonly number[]
  readonly text: Uint8Array
  readonly dead: Uint8Array
  readonly stack: Uint8Array
}

/** Identifies a document while its text is tokenized. */
export interface Document {
  saved?: Saved | undefined
}

/**
 * The kernel with the tables of one encoding, which works on one document at a time. Before it works on another document
 * it saves the state of the first: usually few bytes, at most the part of a long piece that is not settled.
 */
export class BytePairKernel {
  #current: Document | undefined
  #memory = new Uint8Array(0)
  #words = new Int32Array(0)

  /** @param kernel set up, with its tables */
  constructor(private readonly kernel: TokenizeKernel) {}

  /**
   * Takes `utf8`, the next bytes of `document`: appends ids and counts characters. `isEnd`: the text ends with them.
   * @returns true if work is left that needs no more bytes: call again without bytes and with the same `isEnd`
   */
  run(document: Document, utf8: Uint8Array, isEnd: boolean, ids: TokenBuffer): boolean {
    if (this.#current !== document) this.#changeTo(document)
    const kernel = this.kernel
    if (utf8.length > 0) {
      const at = kernel.makeRoom(utf8.length)
      this.#bytes(at, utf8.length).set(utf8)
      ids.characters += kernel.countCharacters(at, utf8.length)
    }
    const result = kernel.run(utf8.length, isEnd)
    this.#take(result, ids)
    return result < 0
  }

  /**
   * Appends the ids of a short text, a document by itself without special tokens: writes its UTF-8 straight into the
   * kernel's memory.
   * @returns false, with nothing appended, if the text needs more than one call of the kernel
   */
  encodeShort(text: string, ids: TokenBuffer): boolean {
    if (this.#current) this.#changeTo({})
    const { kernel } = this
    const at = kernel.makeRoom(3 * text.length)
    const { written } = encoder.encodeInto(text, this.#bytes(at, 3 * text.length))
    const characters = kernel.countCharacters(at, written)
    const result = kernel.run(written, true)
    if (result >= 0) {
      ids.characters += characters
      this.#take(result, ids)
    }
    kernel.clear()
    this.#current = undefined
    return result >= 0
  }

  /** Forgets a document that is done. */
  leave(document: Document): void {
    document.saved = undefined
    if (this.#current === document) {
      this.#current = undefined
      this.kernel.clear()
    }
  }

  #changeTo(document: Document): void {
    if (this.#current) this.#current.saved = this.#save()
    const { saved } = document
    if (saved) this.#restore(saved)
    else this.kernel.clear()
    document.saved = undefined
    this.#current = document
  }

  #save(): Saved {
    const { kernel } = this
    kernel.compact(0)
    const { text, dead, stack, textEnd, isLong, stackDepth } = kernel
    return {
      state: STATE.map((name) => kernel[name].value),
      text: this.#bytes(text.value, textEnd.value).slice(),
      dead: this.#bytes(dead.value, isLong.value ? textEnd.value + 1 : 0).slice(),
      stack: this.#bytes(stack.value, isLong.value ? 4 * stackDepth.value : 0).slice(),
    }
  }

  #restore({ state, text, dead, stack }: Saved): void {
    const { kernel } = this
    kernel.clear()
    kernel.makeRoom(text.length)
    this.#bytes(kernel.text.value, text.length).set(text)
    this.#bytes(kernel.dead.value, dead.length).set(dead)
    this.#bytes(kernel.stack.value, stack.length).set(stack)
    for (const [i, name] of STATE.entries()) kernel[name].value = state[i]
  }

  /** Appends the ids that `run` of the kernel has written. */
  #take(result: number, ids: TokenBuffer): void {
    this.#views()
    ids.appendPart(this.#words, this.kernel.out.value >>> 2, result < 0 ? -1 - result : result)
  }

  #bytes(at: number, length: number): Uint8Array {
    this.#views()
    return this.#memory.subarray(at, at + length)
  }

  /** Views of the kernel's memory are empty once the memory has grown. */
  #views(): void {
    if (this.#memory.length > 0) return
    this.#memory = new Uint8Array(this.kernel.memory.buffer)
    this.#words = new Int32Array(this.kernel.memory.buffer)
  }
}
