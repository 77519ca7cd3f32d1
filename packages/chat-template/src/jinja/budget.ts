import { unsupported } from '../errors.js'
import { PAUSE, type Steps } from '../steps.js'

/** Most steps of a template: a loop over ten thousand messages takes a million, half a second. */
export const MAX_STEPS = 2_000_000
/** Most steps between two pauses, which expressions and macros do not have: some ten milliseconds. */
export const MAX_STEPS_AT_ONCE = 50_000
/** Most levels of blocks, expressions, values and calls at once: a small part of a thread's stack. */
export const MAX_LEVELS = 500
/** Steps in which as many characters are read as a chat may have. */
const READING_STEPS = 2000
/** How many texts of a chat's most characters may be made between two pauses. */
const MAX_TEXTS_AT_ONCE = 8
/** Fewer characters than a chat may have do not make these bounds smaller. */
const LEAST_CHARACTERS = 1 << 20
/** Steps and bytes after which a pause is due. */
const [PAUSE_STEPS, PAUSE_BYTES] = [1000, 1 << 18]
/** Elements that are copied in the time of a step. */
const ITEMS = 4
/** Characters of what is looked for that are compared, at worst, in the time in which one is read. */
const SOUGHT = 4

/** The work and memory that a template may take: it is not trusted. */
export class Budget {
  // Since the last pause.
  #steps = 0
  #bytes = 0
  /** Before it. */
  #allSteps = 0
  #levels = 0
  readonly #room: number

  /** @param maxCharacters of the chat, and of each text on the way */
  constructor(readonly maxCharacters: number) {
    this.#room = Math.max(maxCharacters, LEAST_CHARACTERS)
  }

  /** Counts steps. @throws ChatError `template_unsupported` beyond the bounds */
  take(steps = 1): void {
    this.#steps += steps
    if (this.#steps > MAX_STEPS_AT_ONCE)
      throw unsupported(EXPRESSION, `takes more than ${MAX_STEPS_AT_ONCE} steps`)
  }

  /** Counts the work of copying, or cutting off, so many elements. */
  takeItems(count: number): void {
    this.take(count / ITEMS)
  }

  /** Counts the work on a text of that length. @param weight nanoseconds of a character */
  takeText(characters: number, weight = 1): void {
    this.take((characters * weight * READING_STEPS) / this.#room)
  }

  /** Counts the search for one text in another: at worst each place of it is compared with much of the other. */
  takeSearch(text: string, sought: string): void {
    this.takeText(text.length, Math.max(1, sought.length / SOUGHT))
  }

  /** Checks, before a text is made, that it may be. */
  checkText(characters: number): void {
    if (characters > this.maxCharacters)
      throw unsupported('a text', `has more than ${this.maxCharacters} characters`)
  }

  /** Counts the bytes of what was made. */
  make(bytes: number): void {
    this.#bytes += bytes
    const most = this.#room * MAX_TEXTS_AT_ONCE * 2
    if (this.#bytes > most) throw unsupported(EXPRESSION, `makes more than ${most} bytes`)
  }

  /** One level deeper: in blocks, in an expression, in a value. */
  enter(): void {
    this.take()
    if (++this.#levels > MAX_LEVELS) throw unsupported('nesting', `goes deeper than ${MAX_LEVELS} levels`)
  }

  leave(): void {
    this.#levels--
  }

  get isPauseDue(): boolean {
    return this.#steps >= PAUSE_STEPS || this.#bytes >= PAUSE_BYTES
  }

  /** The steps of a pause: the memory of what was made since the last one, and the pause. */
  *pause(): Steps<void> {
    this.#allSteps += this.#steps
    const made = this.#bytes
    this.#steps = this.#bytes = 0
    if (this.#allSteps > MAX_STEPS) throw unsupported('the template', `takes more than ${MAX_STEPS} steps`)
    if (made > 0) yield made
    yield PAUSE
  }
}

const EXPRESSION = 'an expression or a macro'

/** Bytes of a text beside its characters. */
export const TEXT_BYTES = 32

/** A text that is written part by part; the budget counts it. */
export class Output {
  readonly #parts: string[] = []
  /** Characters so far, in UTF-16 units. */
  length = 0

  constructor(private readonly budget: Budget) {}

  /** @throws ChatError `template_unsupported` beyond the most characters */
  write(part: string): undefined {
    if (part === '') return
    this.length += part.length
    this.budget.checkText(this.length)
    this.budget.make(2 * part.length + TEXT_BYTES)
    this.#parts.push(part)
  }

  toString(): string {
    return this.#parts.join('')
  }
}
