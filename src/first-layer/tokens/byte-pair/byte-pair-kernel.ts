import type { TokenizeKernel } from '../../kernels/tokenize-kernel.js'
import type { TokenBuffer } from '../token-buffer.js'

const STATE_BYTES = 64

const encoder = new TextEncoder()

/** The kernel's state for an unfinished document, and a copy of the memory that it needs. */
interface Saved {
  readonly state: Uint8Array
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
  #byteView = new Uint8Array(0)
  #wordView = new Int32Array(0)
  #textView: Uint8Array = new Uint8Array(0)

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
    const view = this.#shortView(3 * text.length)
    const { written } = encoder.encodeInto(text, view)
    return this.#runShort(written, written === text.length, ids)
  }

  /** The place of a short text: always the same address, so the view is kept. */
  #shortView(room: number): Uint8Array {
    if (this.#current) this.#changeTo({})
    const at = this.kernel.makeRoom(room)
    if (this.#textView.byteOffset !== at || this.#textView.length < room)
      this.#textView = this.#bytes(at, room)
    return this.#textView
  }

  #runShort(bytes: number, isAscii: boolean, ids: TokenBuffer): boolean {
    const kernel = this.kernel
    const characters = isAscii ? bytes : kernel.countCharacters(this.#textView.byteOffset, bytes)
    const result = kernel.run(bytes, true)
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
    const { text, dead, stack, memory } = this.kernel
    const at = this.kernel.saveState()
    const [textBytes, deadBytes, stackBytes, offset] = new Int32Array(
      memory.buffer,
      at,
      4,
    ) as unknown as number[]
    return {
      state: this.#bytes(at, STATE_BYTES).slice(),
      text: this.#bytes(text.value + offset!, textBytes!).slice(),
      dead: this.#bytes(dead.value + offset!, deadBytes!).slice(),
      stack: this.#bytes(stack.value, stackBytes!).slice(),
    }
  }

  #restore(saved: Saved): void {
    const kernel = this.kernel
    this.#bytes(kernel.saveState(), STATE_BYTES).set(saved.state)
    kernel.restoreState()
    this.#bytes(kernel.text.value, saved.text.length).set(saved.text)
    this.#bytes(kernel.dead.value, saved.dead.length).set(saved.dead)
    this.#bytes(kernel.stack.value, saved.stack.length).set(saved.stack)
  }

  /** Appends the ids that `run` of the kernel has written. */
  #take(result: number, ids: TokenBuffer): void {
    const count = result < 0 ? -1 - result : result
    if (count === 0) return
    const from = this.kernel.out.value >>> 2
    ids.appendPart(this.#words(), from, count)
  }

  #bytes(at: number, length: number): Uint8Array {
    return this.#memory().subarray(at, at + length)
  }

  /** A view of the kernel's memory. Earlier views are empty once the memory has grown. */
  #memory(): Uint8Array {
    if (this.#byteView.length === 0) this.#byteView = new Uint8Array(this.kernel.memory.buffer)
    return this.#byteView
  }

  #words(): Int32Array {
    if (this.#wordView.length === 0) this.#wordView = new Int32Array(this.kernel.memory.buffer)
    return this.#wordView
  }
}
